# Removes addresses and routes that were made on this host for a node that is a machine of its own. Arguments: NOTES.
# Nothing is done where none were made.

# @include gro.sh
# @include unforward.sh
notes=$1
[ -d "$notes" ] || exit 0
status=0
unforward "$notes"
if [ -e "$notes/link" ]; then
  read -r interface mtu mac ipv6 < "$notes/link"
  if [ -e "/sys/class/net/$interface" ]; then
    ip link set "$interface" mtu "$mtu" address "$mac" || status=1
    if [ -s "$notes/gro" ]; then gro "$interface" "$(cat "$notes/gro")" || status=1; fi
    [ "$ipv6" = - ] || echo "$ipv6" > "/proc/sys/net/ipv6/conf/$interface/disable_ipv6" || status=1
  fi
fi
if [ -e "$notes/address" ]; then
  read -r interface address < "$notes/address"
  if ip -o addr show dev "$interface" 2>/dev/null | grep -qF " inet $address "; then
    ip addr del "$address" dev "$interface" || status=1
  fi
fi
if [ "$status" -eq 0 ]; then rm -rf "$notes"; fi
exit "$status"
