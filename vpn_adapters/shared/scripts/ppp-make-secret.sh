# Makes the password of both hosts, as a line of chap-secrets. $1 file, $2 client, $3 server, $4 address of the client.
# 256 bits from the kernel, as 64 hexadecimal digits. The shell's own printf writes it: it is in no process's arguments.

umask 077
secret=$(head -c 32 /dev/urandom | od -A n -v -t x1 | tr -d ' \n')
[ "${#secret}" -eq 64 ] || { echo "no password was made" >&2; exit 1; }
printf '%s %s %s %s\n' "$2" "$3" "$secret" "$4" > "$1"
