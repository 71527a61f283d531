# Whether the route is there that guards the peer $1, with the metric $2.
ip route show | grep -q "^unreachable $1 .*metric $2"
