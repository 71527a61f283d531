# Makes the private key $1.
umask 077
wg genkey > "$1" && test -s "$1"
