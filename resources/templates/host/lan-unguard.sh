# Removes the firewall table that guards joined LANs. Arguments: TABLE

# @include firewall/remove-table.sh
remove_table bridge "$1"
