# Connects each client, which remains connected. Arguments: INTERFACE PREFIX COUNT FOLDER HUB PORT NETWORK.

set -e
read -r key < "$4/hub.pub"
n=1
while [ "$n" -le "$3" ]; do
  ip netns exec "$2$n" wg set "$1" private-key "$4/client-$n.key" \
    peer "$key" endpoint "$5:$6" allowed-ips "$7" persistent-keepalive 5
  n=$((n + 1))
done
