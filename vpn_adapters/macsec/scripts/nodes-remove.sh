# Removes the protection of a node's frames, and leaves the node without an address: nothing is sent in the clear while the
# rest goes. Arguments: SPACE NAME CABLE UPPER TABLE; UPPER and TABLE of the host itself are empty where there are none.

# @include /firewall/remove-table.sh
if [ -e "/run/netns/$1" ]; then ip -n "$1" link del dev "$2" 2> /dev/null; fi
[ -n "$4" ] || exit 0
status=0
if [ -e "/sys/class/net/$3/upper_$4" ]; then ip link del dev "$4" || status=1; fi
remove_table netdev "$5" || status=1
exit "$status"
