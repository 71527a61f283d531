# Prints the clients' public keys, one a line. Arguments: FOLDER COUNT.

n=1
while [ "$n" -le "$2" ]; do
  wg pubkey < "$1/client-$n.key" || exit 1
  n=$((n + 1))
done
