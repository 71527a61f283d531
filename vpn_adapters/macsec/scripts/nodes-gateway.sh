# Protects the frames of a node that is a machine of its own from here, its gateway, to it. Arguments: FOLDER (the
# tunnel's) TABLE CIPHER MTU DIGITS CABLE UPPER GATEWAY NODE BRIDGE; NODE and GATEWAY are hardware addresses. UPPER
# takes the place of CABLE in BRIDGE.

set -e
umask 077
# shellcheck disable=SC2034 # nodes-head.sh uses them
folder=$1 table=$2 cipher=$3 mtu=$4 digits=$5
shift 5
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
# @include nodes-head.sh
# @include /nodes/gro.sh
ip link set dev "$1" nomaster
protect "" "$1" "$2" "$3" "$4" to-node to-gateway
gro "$2" 0
ip link set dev "$2" master "$5"
