# Makes the tap interface $1.
# BusyBox's ip has no tuntap; OpenVPN can make the device too.

[ -c /dev/net/tun ] || modprobe tun
ip tuntap add dev "$1" mode tap 2>/dev/null || openvpn --mktun --dev "$1" --dev-type tap
