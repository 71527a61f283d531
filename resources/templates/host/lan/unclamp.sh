# Removes the firewall table that clamps the MSS of TCP connections. Arguments: FAMILY TABLE

# @include ../firewall/remove-table.sh
remove_table "$1" "$2"
