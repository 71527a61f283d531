# Makes the pre-shared key $1 with the private ML-KEM-768 key $2 from the ciphertext on stdin, in one line of base64.
# The private key is erased, whatever happens.

set -e
umask 077
trap 'rm -f "$2" "$1.raw" "$1.ciphertext"' EXIT
trap 'exit 143' HUP INT TERM
openssl base64 -d -A -out "$1.ciphertext" >&2
[ "$(wc -c < "$1.ciphertext")" -eq 1088 ]
openssl pkeyutl -decap -inkey "$2" -in "$1.ciphertext" -secret "$1.raw" >&2
[ "$(wc -c < "$1.raw")" -eq 32 ]
openssl base64 -in "$1.raw" -out "$1" >&2
[ "$(wc -c < "$1")" -eq 45 ]
