# Makes the hub's interface. Arguments: INTERFACE PORT PRIVATE_KEY_FILE PEERS_FILE ADDRESS MTU; ADDRESS with prefix length.

set -e
modprobe wireguard 2>/dev/null || :
ip link add dev "$1" type wireguard
wg addconf "$1" "$4"
wg set "$1" listen-port "$2" private-key "$3"
ip addr add "$5" dev "$1"
ip link set dev "$1" mtu "$6" up
# Of this interface alone, and gone with it: clients reach each other through the hub.
echo 1 > "/proc/sys/net/ipv4/conf/$1/forwarding"
