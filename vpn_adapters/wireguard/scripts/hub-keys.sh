# Makes the private keys of the clients. Arguments: FOLDER COUNT.

umask 077
n=1
while [ "$n" -le "$2" ]; do
  if ! wg genkey > "$1/client-$n.key" || ! test -s "$1/client-$n.key"; then exit 1; fi
  n=$((n + 1))
done
