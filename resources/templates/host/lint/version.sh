# The version of a program.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
command -v "$1" >/dev/null 2>&1 && "$1" --version 2>&1 </dev/null
