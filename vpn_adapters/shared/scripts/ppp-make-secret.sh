# Makes the password of both hosts, as a line of chap-secrets. $1 file, $2 client, $3 server, $4 address of the client.

# @include password.sh
printf '%s %s %s %s\n' "$2" "$3" "$secret" "$4" > "$1"
