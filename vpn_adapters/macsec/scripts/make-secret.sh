# Makes the shared secret $1.
# 256 bits from the kernel, as 64 hexadecimal digits.

umask 077
head -c 32 /dev/urandom | od -A n -v -t x1 | tr -d ' \n' > "$1"
[ "$(wc -c < "$1")" -eq 64 ]
