# Sets the MTU of a tunnel's interface, and fails where the kernel keeps another one. Arguments: INTERFACE BYTES

# @include tunnel-mtu-read.sh
ip link set dev "$1" mtu "$2" || exit 1
has_mtu "$1" "$2"
