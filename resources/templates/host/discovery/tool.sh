# A program: where it is; what that really is; then what it says of its version. Arguments: PROGRAM [ARGUMENT]...
# @include path.sh
path=$(command -v "$1") || exit 127
echo "$path"
if [ -L "$path" ]; then readlink -f "$path"; else echo "$path"; fi
"$@" </dev/null 2>&1
