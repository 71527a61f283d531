# Sets the MTU of a tunnel's interface, and fails where it does not last: a daemon that was just started opens the
# interface a moment later, and may set its own. Arguments: INTERFACE BYTES

# @include tunnel-mtu-read.sh
for _ in 1 2 3 4 5; do
    ip link set dev "$1" mtu "$2" || exit 1
    sleep 1
    if has_mtu "$1" "$2"; then exit 0; fi
done
exit 1
