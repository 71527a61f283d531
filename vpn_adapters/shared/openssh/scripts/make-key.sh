# Makes the key $1.

umask 077
rm -f "$1" "$1.pub"
ssh-keygen -q -t ed25519 -N "" -C "" -f "$1" < /dev/null
