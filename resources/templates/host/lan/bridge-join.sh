# Joins a tunnel with a LAN port that is a bridge already: the tunnel becomes one more port of it.
# Arguments: BRIDGE TUNNEL PORT INNER (the tunnel's own address, which moves to the bridge).
#
# A bridge whose address was never set takes the lowest one of its ports: the LAN would go on to send to the old one,
# and a DHCP server would see another client. A bridge without a port has a random address, and gets that of
# its first port as before.
# Source: br_stp_recalculate_bridge_id() in Linux 6.12; addr_assign_type 3 is NET_ADDR_SET.

set -e
assigned=
read -r assigned 2> /dev/null < "/sys/class/net/$1/addr_assign_type" || :
if [ "$assigned" != 3 ] && [ -n "$(ls "/sys/class/net/$1/brif")" ]; then
    read -r hardware < "/sys/class/net/$1/address"
    ip link set dev "$1" address "$hardware"
fi
ip addr del "$4" dev "$2"
ip link set dev "$2" master "$1"
ip addr add "$4" dev "$1"
