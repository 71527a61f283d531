# Removes the firewall table $1 of the session $2.
# What is guarded goes first. Where it could not, the guard stays: else frames would leave and come in unprotected.

# @include /firewall/remove-table.sh
if ip l2tp show session 2> /dev/null | grep -q "^Session $2 in tunnel"; then
  echo "session $2 of L2TPv3 is still there, so the firewall table that guards it stays" >&2
  exit 1
fi
remove_table inet "$1"
