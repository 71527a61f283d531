# Takes an interface down, where it is there. $1 name.

if [ -e "/sys/class/net/$1" ]; then ip link set dev "$1" down; fi
