# Protects the frames of a node that is this machine. Arguments: FOLDER (the tunnel's) TABLE CIPHER MTU DIGITS LOWER
# NAME ADDRESS OWN PEER OWN_WAY PEER_WAY; ADDRESS of the node, with prefix length, moves from LOWER to the interface
# NAME.

set -e
umask 077
# shellcheck disable=SC2034 # nodes-head.sh uses them
folder=$1 table=$2 cipher=$3 mtu=$4 digits=$5
shift 5
if [ -e "/sys/class/net/$2" ]; then echo "An interface named $2 is already there." >&2; exit 1; fi
# @include nodes-head.sh
ip addr del "$3" dev "$1"
protect "" "$1" "$2" "$4" "$5" "$6" "$7"
ip addr add "$3" dev "$2"
