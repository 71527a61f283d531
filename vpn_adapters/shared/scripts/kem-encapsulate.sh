# Makes the pre-shared key $1 for the public ML-KEM-768 key on stdin, and prints the ciphertext in one line of base64.

set -e
umask 077
trap 'rm -f "$1.public" "$1.raw" "$1.ciphertext"' EXIT
trap 'exit 143' HUP INT TERM
cat > "$1.public"
openssl pkeyutl -encap -inkey "$1.public" -pubin -secret "$1.raw" -out "$1.ciphertext" >&2
[ "$(wc -c < "$1.raw")" -eq 32 ]
[ "$(wc -c < "$1.ciphertext")" -eq 1088 ]
openssl base64 -in "$1.raw" -out "$1" >&2
[ "$(wc -c < "$1")" -eq 45 ]
openssl base64 -A -in "$1.ciphertext"
echo
