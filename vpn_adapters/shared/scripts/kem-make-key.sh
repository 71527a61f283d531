# Makes the private ML-KEM-768 key $1.

umask 077
openssl genpkey -algorithm ML-KEM-768 -out "$1" && test -s "$1"
