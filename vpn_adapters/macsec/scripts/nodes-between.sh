# Protects the frames of a node from here to the other node. Arguments: FOLDER (the tunnel's) TABLE CIPHER MTU DIGITS SPACE
# NAME ADDRESS OWN PEER OWN_WAY PEER_WAY; ADDRESS of the node, with prefix length, moves to the interface NAME.

set -e
umask 077
# shellcheck disable=SC2034 # nodes-head.sh uses them
folder=$1 table=$2 cipher=$3 mtu=$4 digits=$5
shift 5
# @include nodes-head.sh
ip -n "$1" addr flush dev lan
protect "$1" lan "$2" "$4" "$5" "$6" "$7"
ip -n "$1" addr add "$3" dev "$2"
