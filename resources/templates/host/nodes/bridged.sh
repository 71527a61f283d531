# Makes a node in the network that the tunnel joins: a bridge takes the tunnel's interface and the cable to the node.
# Arguments: NAME BRIDGE NODE MTU TUNNEL_INTERFACE INNER NOTES MAC; NODE and INNER are addresses with prefix lengths. The
# gateway's own address INNER moves to the bridge.

set -e
name=$1 notes=$7
# @include bridge.sh
# @include make.sh
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
ip -n "$name" link set lan address "$8"
ip -n "$name" addr add "$3" dev lan
make_bridge "$2" "$5" "$name" "$6" "$notes"
