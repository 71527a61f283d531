# Removes the interface $1, and waits until it has gone.

ip link del dev "$1" 2>/dev/null
# @include wait-gone.sh
