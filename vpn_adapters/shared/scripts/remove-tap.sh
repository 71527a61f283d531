# Removes the tap interface $1, and waits until it has gone.

if [ -e "/sys/class/net/$1" ]; then ip tuntap del dev "$1" mode tap; fi
# @include wait-gone.sh
