# Sets up the interface. Expects name, address, mtu.

if command -v udevadm > /dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$name/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$name/disable_ipv6"; fi
ip addr add "$address" dev "$name"
ip link set dev "$name" mtu "$mtu"
