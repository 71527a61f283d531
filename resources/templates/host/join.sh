# Joins a tunnel with a LAN port in a bridge; the port's addresses and routes move to the bridge.
# Arguments: BRIDGE TUNNEL PORT INNER (the tunnel's own address, which moves too).

# @include lan-addresses.sh

set -e
bridge=$1 tunnel=$2 port=$3 inner=$4
saved=/run/tunnelmark-$bridge.lan
set -f
if [ -e "$saved" ]; then restore_port; fi
if [ -e "/sys/class/net/$port/master" ]; then
    echo "$port belongs to another interface already" >&2
    exit 1
fi
if [ -e "/sys/class/net/$bridge" ]; then
    echo "$bridge is there already" >&2
    exit 1
fi
write_port_down
ip link add name "$bridge" type bridge
if command -v udevadm > /dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
# The other plant's network is behind it, too: what routers announce there must not configure this host.
for setting in accept_ra autoconf; do
    if [ -e "/proc/sys/net/ipv6/conf/$bridge/$setting" ]; then
        echo 0 > "/proc/sys/net/ipv6/conf/$bridge/$setting"
    fi
done
read -r hardware < "/sys/class/net/$port/address"
ip link set dev "$bridge" address "$hardware"
ip addr del "$inner" dev "$tunnel"
ip link set dev "$tunnel" master "$bridge"
ip link set dev "$port" master "$bridge" up
ip link set dev "$bridge" up
failures=0
for_each address add_address "$bridge" < "$saved"
if [ "$failures" -ne 0 ]; then exit 1; fi
# A DHCP client removes what has the bridge's name as its label.
if has_client; then ip addr add "$inner" dev "$bridge" label "$bridge:tm"; else ip addr add "$inner" dev "$bridge"; fi
backwards=$(sed '1!G;h;$!d' "$saved")
for_each address take_address "$port" << END
$backwards
END
for_each route put_route "$bridge" < "$saved"
[ "$failures" -eq 0 ]
