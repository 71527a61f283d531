# Gives a tunnel's interface its former MTU, where the interface is still there. Arguments: INTERFACE BYTES

[ -e "/sys/class/net/$1" ] || exit 0
ip link set dev "$1" mtu "$2" || [ ! -e "/sys/class/net/$1" ]
