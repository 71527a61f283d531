# Connects each client, which remains connected, and gives it its address. Arguments: PREFIX COUNT FOLDER PROGRAM FIRST SECONDS; FIRST
# is the first client's address with prefix length; those of others follow in its last byte.

set -e
perl "$4" "$2" "$3" "$6"
address=${5%/*}
n=1
while [ "$n" -le "$2" ]; do
  ip -n "$1$n" addr replace "${address%.*}.$((${address##*.} + n - 1))/${5#*/}" dev tap0
  ip -n "$1$n" link set tap0 up
  n=$((n + 1))
done
