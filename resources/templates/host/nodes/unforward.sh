# unforward NOTES: undoes what `forward` and `make_bridge` wrote down there. Sets status to 1 where something of it
# remains.
unforward() {
  if [ -e "$1/route" ]; then
    read -r route < "$1/route"
    ip route del "$route" 2>/dev/null
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
