# Makes the key of one host. $1: the tunnel's own folder; $2 its kind.
# A folder as swanctl(8) wants it, of our own.

set -e
umask 077
mkdir -p "$1/swanctl/private" "$1/swanctl/pubkey"
case $2 in
  ed25519) set -- "$1" -algorithm ed25519;;
  *) set -- "$1" -algorithm EC -pkeyopt ec_paramgen_curve:P-384;;
esac
folder=$1
shift
openssl genpkey "$@" -out "$folder/swanctl/private/own.pem" 2>"$folder/openssl.log" ||
  { cat "$folder/openssl.log" >&2; exit 1; }
openssl pkey -in "$folder/swanctl/private/own.pem" -pubout -out "$folder/swanctl/pubkey/own.pem"
