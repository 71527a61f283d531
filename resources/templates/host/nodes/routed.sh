# Makes a node in a network of its own, behind this gateway. Arguments: NAME GATEWAY NODE MTU PEER_NETWORK PEER
# TUNNEL_INTERFACE NOTES; addresses with prefix lengths, PEER without. TUNNEL_INTERFACE is empty for the bare link:
# the interface towards the peer then forwards as well, and its own setting is kept in the folder NOTES.

set -e
name=$1 notes=$8
# @include forward.sh
# @include make.sh
ip addr add "$2" dev "$name"
ip -n "$name" addr add "$3" dev lan
ip -n "$name" route add default via "${2%/*}"
forward "$5" "$6" "$7" "$notes"
echo 1 > "/proc/sys/net/ipv4/conf/$name/forwarding"
