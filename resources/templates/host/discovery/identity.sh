# The host: its name, its kernel, its processor, and the user who has logged in.
# @include path.sh
uname -n
uname -r
uname -m
echo "${SUDO_USER:-${DOAS_USER:-$(id -un)}}"
