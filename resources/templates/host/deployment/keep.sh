# Keeps the files of $1 in $2, to start the tunnel from them again.
umask 077
mkdir -p "$2" && rm -rf "$2/kept" && cp -pR "$1" "$2/kept"
