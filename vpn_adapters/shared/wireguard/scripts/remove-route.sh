# Removes the route that guards the peer $1, with the metric $2.

ip route del unreachable "$1/32" metric "$2" 2>/dev/null && exit 0
! ip route show | grep -q "^unreachable $1 .*metric $2"
