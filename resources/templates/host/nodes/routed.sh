# Makes a node in a network of its own, behind this gateway. Arguments: NAME GATEWAY NODE MTU PEER_NETWORK PEER
# TUNNEL_INTERFACE NOTES; addresses with prefix lengths, PEER without. TUNNEL_INTERFACE is empty for the bare link:
# the interface towards the peer then forwards as well, and its own setting is kept in the folder NOTES.

set -e
name=$1 notes=$8
# @include make.sh
ip addr add "$2" dev "$name"
ip -n "$name" addr add "$3" dev lan
ip -n "$name" route add default via "${2%/*}"
device=$7
if [ -z "$device" ]; then
  device=$(ip -o route get "$6" | sed -n 's/.* dev \([^ ]*\).*/\1/p')
  old=$(cat "/proc/sys/net/ipv4/conf/$device/forwarding")
  printf '%s %s\n' "$device" "$old" > "$notes/forwarding"
fi
ip route add "$5" via "$6" dev "$device"
printf '%s\n' "$5" > "$notes/route"
# Of one interface alone, and gone with it: the host as a whole forwards no more than before.
echo 1 > "/proc/sys/net/ipv4/conf/$name/forwarding"
echo 1 > "/proc/sys/net/ipv4/conf/$device/forwarding"
