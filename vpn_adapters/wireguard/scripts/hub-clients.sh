# Makes an interface in each client's namespace, without key and peer. Arguments: INTERFACE PREFIX COUNT FIRST MTU; FIRST is the
# first client's address with prefix length; those of others follow in its last byte.

set -e
modprobe wireguard 2>/dev/null || :
address=${4%/*}
n=1
while [ "$n" -le "$3" ]; do
  ip -n "$2$n" link add dev "$1" type wireguard
  ip -n "$2$n" addr add "${address%.*}.$((${address##*.} + n - 1))/${4#*/}" dev "$1"
  ip -n "$2$n" link set dev "$1" mtu "$5" up
  n=$((n + 1))
done
