# Sets up an interface that another one lies above. $1 name, $2 hardware address, $3 MTU.
# No address and no IPv6: nothing but what is above it may use this interface.

if command -v udevadm >/dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$1/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
ip link set dev "$1" address "$2" mtu "$3" up
