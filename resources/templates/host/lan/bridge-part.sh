# Parts a tunnel from a LAN port that was a bridge before. Arguments: BRIDGE TUNNEL PORT INNER.

if [ -e "/sys/class/net/$2/brport" ]; then ip link set dev "$2" nomaster; fi
if [ -e "/sys/class/net/$1" ]; then ip addr del "$4" dev "$1" 2> /dev/null; fi
exit 0
