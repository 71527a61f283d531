# forward NETWORK PEER DEVICE NOTES: routes the network of the peer's node to PEER through DEVICE, the tunnel's
# interface, and lets that forward. DEVICE is empty for the bare link: the interface towards the peer then forwards,
# and its own setting is kept in the folder NOTES. No router may be between the two then.
forward() {
  # Before any note: the undo removes what is noted, and this would not be ours.
  if [ -n "$(ip route show exact "$1")" ]; then echo "There is a route to $1 already." >&2; exit 1; fi
  device=$3
  if [ -z "$device" ]; then
    way=$(ip -o route get "$2")
    router=$(printf '%s\n' "$way" | sed -n 's/.* via \(inet6 \)\{0,1\}\([^ ]*\).*/\2/p')
    if [ -n "$router" ]; then
      echo "$2 is reached through the router $router, which has no route to the nodes: without a VPN, packets between" \
        "nodes need both gateways in one network." >&2
      exit 1
    fi
    device=$(printf '%s\n' "$way" | sed -n 's/.* dev \([^ ]*\).*/\1/p')
    old=$(cat "/proc/sys/net/ipv4/conf/$device/forwarding")
    printf '%s %s\n' "$device" "$old" > "$4/forwarding"
  fi
  printf '%s %s %s\n' "$1" "$2" "$device" > "$4/route"
  ip route add "$1" via "$2" dev "$device"
  # Of one interface alone, and gone with it: the host as a whole forwards no more than before.
  echo 1 > "/proc/sys/net/ipv4/conf/$device/forwarding"
}
