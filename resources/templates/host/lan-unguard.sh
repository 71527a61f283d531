# Removes the firewall table that guards joined LANs. Arguments: TABLE

command -v nft > /dev/null || exit 0
nft delete table bridge "$1" 2> /dev/null || ! nft list table bridge "$1" > /dev/null 2>&1
