# Removes the firewall table $1 that guards the interface $2.

command -v nft > /dev/null || exit 0
if ip link show dev "$2" 2> /dev/null | grep -q .; then
  echo "interface $2 is still there, so the firewall table that guards it stays" >&2
  exit 1
fi
nft delete table inet "$1" 2> /dev/null || ! nft list table inet "$1" > /dev/null 2>&1
