# Removes the firewall table that clamps the MSS of TCP connections. Arguments: FAMILY TABLE

command -v nft > /dev/null || exit 0
nft delete table "$1" "$2" 2> /dev/null || ! nft list table "$1" "$2" > /dev/null 2>&1
