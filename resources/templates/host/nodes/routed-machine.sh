# Gives this machine an address behind its gateway, and a route through that to the peer's node. Arguments: INTERFACE
# NODE GATEWAY MTU PEER_NETWORK NOTES; NODE and GATEWAY are addresses with prefix lengths. Packets to the peer's node
# have MTU bytes at most; the interface keeps its own MTU, because nodes of several tunnels share it.

set -e
# @include address.sh
# @include needed.sh
refuse_needed "$1"
if [ -n "$(ip route show exact "$5")" ]; then echo "There is a route to $5 already." >&2; exit 1; fi
take_address "$1" "$2" "$6"
printf '%s %s %s\n' "$5" "${3%/*}" "$1" > "$6/route"
ip route add "$5" via "${3%/*}" dev "$1" src "${2%/*}" mtu "$4"
