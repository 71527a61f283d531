# Lets pass again what hold.sh has withheld.
# $1 folder, $2 table. Prints what was withheld.

nft list table ip "$2" 2>/dev/null
nft delete table ip "$2" 2>/dev/null
rm -f "$1/hold"
