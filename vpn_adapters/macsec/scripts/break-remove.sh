# Removes the MACsec interface $1 alone, and waits until it has gone.
ip link del dev "$1"
# @include ../../shared/scripts/wait-gone.sh
