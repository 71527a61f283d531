# Makes a node in the network that the tunnel joins: a bridge takes the tunnel's interface and the cable to the node.
# Arguments: NAME BRIDGE NODE MTU TUNNEL_INTERFACE INNER NOTES MAC; NODE and INNER are addresses with prefix lengths. The
# gateway's own address INNER moves to the bridge.

set -e
name=$1 notes=$7
# @include make.sh
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
ip -n "$name" link set lan address "$8"
ip -n "$name" addr add "$3" dev lan
printf '%s\n' "$2" > "$notes/bridge"
ip link add "$2" type bridge stp_state 0 forward_delay 0
# EAPOL, so that nodes can agree on keys of MACsec through it. Source: IEEE 802.1Q-2022 table 8-1; bit 3 of the mask.
echo 8 > "/sys/class/net/$2/bridge/group_fwd_mask"
ip link set "$2" up
ip addr flush dev "$5" scope global
ip link set "$5" master "$2"
ip link set "$name" master "$2"
ip addr add "$6" dev "$2"
