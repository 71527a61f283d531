# Protects the frames of a node from here to its gateway, which is this host. Arguments: FOLDER (the tunnel's) TABLE CIPHER MTU
# DIGITS SPACE NAME ADDRESS NODE CABLE UPPER GATEWAY BRIDGE; NODE and GATEWAY are hardware addresses. ADDRESS of the node, with
# prefix length, moves to the interface NAME, and UPPER takes the place of CABLE in BRIDGE.

set -e
umask 077
# shellcheck disable=SC2034 # nodes-head.sh uses them
folder=$1 table=$2 cipher=$3 mtu=$4 digits=$5
shift 5
if [ -e "/sys/class/net/$6" ]; then echo "An interface named $6 is already there." >&2; exit 1; fi
# @include nodes-head.sh
# @include /nodes/gro.sh
ip -n "$1" addr flush dev lan
ip link set dev "$5" nomaster
protect "" "$5" "$6" "$7" "$4" to-node to-gateway
protect "$1" lan "$2" "$4" "$7" to-gateway to-node
gro "$6" 0
ip -n "$1" addr add "$3" dev "$2"
ip link set dev "$6" master "$8"
