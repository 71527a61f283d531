# Makes the tap interface $1, with $2 as a second name.

set -e
[ -c /dev/net/tun ] || modprobe tun
ip tuntap add dev "$1" mode tap
[ -z "$2" ] || ip link property add dev "$1" altname "$2"
