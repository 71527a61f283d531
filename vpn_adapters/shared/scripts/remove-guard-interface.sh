# Removes the firewall table $1 that guards the interface $2.

# @include /firewall/remove-table.sh
if ip link show dev "$2" 2> /dev/null | grep -q .; then
  echo "interface $2 is still there, so the firewall table that guards it stays" >&2
  exit 1
fi
remove_table inet "$1"
