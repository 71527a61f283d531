# Ends a script where the port $1 is missing or has no link. A port that is down refuses to be read.
# Source: Linux, Documentation/ABI/testing/sysfs-class-net, carrier.

[ -e "/sys/class/net/$1" ] || exit 103
carrier=
read -r carrier 2> /dev/null < "/sys/class/net/$1/carrier"
[ "$carrier" = 1 ] || exit 105
