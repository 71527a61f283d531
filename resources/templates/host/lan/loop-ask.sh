# Asks the LAN behind a port for an address. Arguments: PORT ADDRESS COUNT.

# @include has-link.sh

# Through a router behind the port, no ARP request would ask for the address itself.
case $(ip -4 route get "$2" oif "$1" 2> /dev/null) in *" via "*) exit 106 ;; esac
exec ping -c "$3" -W 1 -I "$1" "$2"
