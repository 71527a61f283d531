# Without IPv6 the interface sends no neighbour discovery or router solicitations of its own into a link that is being
# measured. udev gives a fresh virtual device another random hardware address some ms after it was made
# (systemd.link(5), MACAddressPolicy=persistent), hence the wait before ours is set.
#
# Sets up an interface that exists and is down. $1 name, $2 hardware address, $3 MTU, $4 address with prefix length.

if command -v udevadm >/dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$1/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
ip addr add "$4" dev "$1"
ip link set dev "$1" address "$2" mtu "$3" up
