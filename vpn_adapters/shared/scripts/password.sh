# Sets $secret to a password: 256 bits from the kernel, as 64 hexadecimal digits. What includes this writes it with the shell's own
# printf: it is in no process's arguments.

umask 077
secret=$(head -c 32 /dev/urandom | od -A n -v -t x1 | tr -d ' \n')
[ "${#secret}" -eq 64 ] || { echo "no password was made" >&2; exit 1; }
