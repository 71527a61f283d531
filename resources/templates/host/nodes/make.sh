# Makes the namespace and the cable between it and this host. Expects: name; notes, a folder that does not go before all
# is undone; $4 the MTU.

if [ -e "/sys/class/net/$name" ] || [ -e "/run/netns/$name" ]; then
  echo "An interface or a namespace named $name is already there." >&2
  exit 1
fi
[ -d "${notes%/*}" ] || mkdir -m 700 "${notes%/*}" 2>/dev/null || [ -d "${notes%/*}" ]
mkdir -m 700 "$notes"
ip netns add "$name"
ip link add "$name" mtu "$4" type veth peer name lan mtu "$4" netns "$name"
ip -n "$name" link set lo up
ip link set "$name" up
ip -n "$name" link set lan up
