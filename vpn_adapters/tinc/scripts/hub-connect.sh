# Connects each client, which remains connected, and gives it its address. Arguments: FOLDER PREFIX COUNT FIRST MTU SECONDS; FIRST is
# the first client's address with prefix length; those of others follow in its last byte.

set -e
address=${4%/*}
n=1
while [ "$n" -le "$3" ]; do
  own=$1/client-$n
  ip -n "$2$n" link set tap0 mtu "$5" up
  ip -n "$2$n" addr replace "${address%.*}.$((${address##*.} + n - 1))/${4#*/}" dev tap0
  : > "$own/log"
  grep -q '^ConnectTo' "$own/tinc.conf" || echo "ConnectTo = tunnelmark_a" >> "$own/tinc.conf"
  kill -HUP "$(cat "$own/pid")"
  n=$((n + 1))
done
read -r now _ < /proc/uptime
end=$((${now%%.*} + $6))
n=1
while [ "$n" -le "$3" ]; do
  until grep -q 'Connection with tunnelmark_a .*activated' "$1/client-$n/log"; do
    read -r now _ < /proc/uptime
    if [ "${now%%.*}" -gt "$end" ]; then echo "Client $n did not connect." >&2; exit 1; fi
    sleep 0.2 2> /dev/null || sleep 1
  done
  n=$((n + 1))
done
