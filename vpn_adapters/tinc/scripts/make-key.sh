# Makes the RSA key of one host. $1 folder, $2 bits.

set -e
umask 077
mkdir -p "$1/hosts"
openssl genrsa -out "$1/rsa_key.priv" "$2" 2> "$1/openssl.log" || { cat "$1/openssl.log" >&2; exit 1; }
