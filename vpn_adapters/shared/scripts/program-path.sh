# The path of the program $1, which only root may have on his path.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
command -v "$1"
