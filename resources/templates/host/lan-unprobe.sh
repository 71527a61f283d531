# Removes the route to the address that probes ask for. Arguments: BRIDGE `NOBODY`

ip -4 route del "$2/32" dev "$1" 2> /dev/null
[ -z "$(ip -4 route show "$2/32" dev "$1" 2> /dev/null)" ]
