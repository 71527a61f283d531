# Removes the protection of a node's frames on this host: the interface NAME above LOWER, and the guard. Arguments:
# NAME LOWER TABLE.

# @include /firewall/remove-table.sh
status=0
if [ -e "/sys/class/net/$2/upper_$1" ]; then ip link del dev "$1" || status=1; fi
remove_table netdev "$3" || status=1
exit "$status"
