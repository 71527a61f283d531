# Routes a node that is a machine of its own, behind an interface of this gateway that is up. Arguments: INTERFACE
# GATEWAY PEER_NETWORK PEER TUNNEL_INTERFACE NOTES; GATEWAY is this gateway's address towards the node, with prefix
# length. TUNNEL_INTERFACE is empty for the bare link.

set -e
# @include address.sh
# @include forward.sh
take_address "$1" "$2" "$6"
forward "$3" "$4" "$5" "$6"
