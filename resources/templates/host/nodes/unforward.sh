# unforward NOTES: undoes what `forward`, routed-machine.sh and `make_bridge` wrote down there. Sets status to 1 where
# something of it remains.
unforward() {
  if [ -e "$1/route" ]; then
    # What is noted may not have been made yet; and only the route with this way is ours.
    read -r network via device < "$1/route"
    ip route del "$network" via "$via" dev "$device" 2>/dev/null
    [ -z "$(ip route show exact "$network" via "$via" dev "$device" 2>/dev/null)" ] || status=1
  fi
  if [ -e "$1/forwarding" ]; then
    read -r device old < "$1/forwarding"
    [ ! -e "/proc/sys/net/ipv4/conf/$device" ] || echo "$old" > "/proc/sys/net/ipv4/conf/$device/forwarding" || status=1
  fi
  if [ -e "$1/bridge" ]; then
    read -r bridge < "$1/bridge"
    [ ! -e "/sys/class/net/$bridge" ] || ip link del "$bridge" || status=1
  fi
}
