# make_bridge NAME TUNNEL_INTERFACE CABLE INNER NOTES: makes a bridge of the tunnel's interface and the cable to the
# node. The gateway's own address INNER moves to it.
make_bridge() {
  printf '%s\n' "$1" > "$5/bridge"
  ip link add "$1" type bridge stp_state 0 forward_delay 0
  # EAPOL, so that nodes can agree on keys of MACsec through it. Source: IEEE 802.1Q-2022 table 8-1; bit 3 of the mask.
  echo 8 > "/sys/class/net/$1/bridge/group_fwd_mask"
  ip link set "$1" up
  ip addr flush dev "$2" scope global
  ip link set "$2" master "$1"
  ip link set "$3" master "$1"
  ip addr add "$4" dev "$1"
}
