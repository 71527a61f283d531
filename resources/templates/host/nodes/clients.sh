# Makes the clients of a hub: namespaces, each with a cable to a bridge of this host, which forwards for them. Arguments:
# PREFIX COUNT BRIDGE GATEWAY FIRST MTU PEER NOTES; the namespaces are PREFIX1 and so on; GATEWAY is this host's address on the
# bridge, with prefix length; FIRST the first client's, without; those of others follow in its last byte. What the
# interface towards PEER had for a setting is kept in the folder NOTES.

set -e
prefix=$1 count=$2 bridge=$3 gateway=$4 first=$5 mtu=$6 notes=$8
if [ -e "/sys/class/net/$bridge" ]; then echo "An interface named $bridge is already there." >&2; exit 1; fi
# Before any note: the undo removes what is noted, and these would not be ours.
n=1
while [ "$n" -le "$count" ]; do
  name=$prefix$n
  if [ -e "/sys/class/net/$name" ] || [ -e "/run/netns/$name" ]; then
    echo "An interface or a namespace named $name is already there." >&2
    exit 1
  fi
  n=$((n + 1))
done
[ -d "${notes%/*}" ] || mkdir -m 700 "${notes%/*}" 2>/dev/null || [ -d "${notes%/*}" ]
mkdir -m 700 "$notes"
printf '%s %s\n' "$prefix" "$count" > "$notes/clients"
ip link add "$bridge" type bridge stp_state 0 forward_delay 0
ip addr add "$gateway" dev "$bridge"
ip link set "$bridge" up
n=1
while [ "$n" -le "$count" ]; do
  name=$prefix$n
  ip netns add "$name"
  ip link add "$name" mtu "$mtu" master "$bridge" type veth peer name lan mtu "$mtu" netns "$name"
  ip link set "$name" up
  ip -n "$name" link set lo up
  ip -n "$name" addr add "${first%.*}.$((${first##*.} + n - 1))/${gateway#*/}" dev lan
  ip -n "$name" link set lan up
  ip -n "$name" route add default via "${gateway%/*}"
  n=$((n + 1))
done
device=$(ip -o route get "$7" | sed -n 's/.* dev \([^ ]*\).*/\1/p')
old=$(cat "/proc/sys/net/ipv4/conf/$device/forwarding")
printf '%s %s\n' "$device" "$old" > "$notes/forwarding"
# Of these interfaces alone: the host as a whole forwards no more than before.
echo 1 > "/proc/sys/net/ipv4/conf/$bridge/forwarding"
echo 1 > "/proc/sys/net/ipv4/conf/$device/forwarding"
