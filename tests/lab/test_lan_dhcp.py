"""A bridge of the gateway's own keeps its DHCP client and its MAC address while a tunnel is joined with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.deployment.lan.bridge import Bridging
from support.net_desk import need_namespaces
from support.net_world import World

BRIDGE, TUNNEL, INNER = "br-lan", "tml0", "198.19.0.1/24"
MAC = "ac:11:22:33:44:55"
STEP = Bridging(BRIDGE, BRIDGE).step(TUNNEL, INNER)

_MAKE = f"""
ip netns add gw; ip netns add lan
ip -n gw link add eth2 address {MAC} type veth peer name srv netns lan
ip -n gw link add {BRIDGE} type bridge
ip -n gw link set eth2 master {BRIDGE} up
ip -n gw link set {BRIDGE} up
ip -n gw link add {TUNNEL} address 02:00:00:00:00:01 type veth peer name far
ip -n gw link set far up
ip -n gw addr add {INNER} dev {TUNNEL}
ip -n gw link set {TUNNEL} up
ip -n lan addr add 10.66.0.1/24 dev srv
ip -n lan link set srv up
mkdir -p /run/dhcp
cat > /run/dhcp/server << END
start 10.66.0.50
end 10.66.0.60
interface srv
lease_file /run/dhcp/leases
option lease 600
option subnet 255.255.255.0
END
: > /run/dhcp/leases
cat > /run/dhcp/client << 'END'
#!/bin/sh
case $1 in
    bound | renew)
        ip addr change "$ip/24" valid_lft "$lease" preferred_lft "$lease" dev "$interface"
        echo "$1" >> /run/dhcp/told
        ;;
    deconfig) ip -4 addr flush dev "$interface" dynamic ;;
esac
END
chmod 755 /run/dhcp/client
: > /run/dhcp/told
ip netns exec lan busybox udhcpd -f /run/dhcp/server > /run/dhcp/log 2>&1 &
ip netns exec gw busybox udhcpc -f -p /run/dhcp/pid -i {BRIDGE} -s /run/dhcp/client > /run/dhcp/log2 2>&1 &
"""


@pytest.fixture
def host() -> Iterator[World]:
    need_namespaces()
    with World() as made:
        made.run(_MAKE)
        yield made


def run(host: World, argv: tuple[str, ...]) -> None:
    host.run('ip netns exec gw "$@"', *argv)


def renewed(host: World, count: int) -> str:
    """Have the client renew its lease unless it has just got it; return the bridge's addresses.

    Args:
        host: Where it runs.
        count: How often the server has answered it then.
    """
    has_all = f"[ $(wc -l < /run/dhcp/told) -ge {count} ]"
    if count > 1:
        host.run("kill -USR1 $(cat /run/dhcp/pid)")
    host.run(f"n=0; until {has_all} || [ $n -eq 1200 ]; do sleep 0.1; n=$((n + 1)); done")
    reported = host.run("cat /run/dhcp/told").split()
    assert reported == ["bound", *["renew"] * (count - 1)], host.run("cat /run/dhcp/log /run/dhcp/log2")
    return host.run(f"ip -n gw -o -4 addr show dev {BRIDGE}")


def mac_of(host: World) -> str:
    return host.run(f"ip netns exec gw cat /sys/class/net/{BRIDGE}/address").strip()


def test_client_of_a_bridge_goes_on_and_the_bridge_keeps_its_address(host: World) -> None:
    assert STEP.undo is not None
    (lent,) = renewed(host, 1).split("inet ")[1:]
    address = lent.split()[0]
    assert mac_of(host) == MAC
    run(host, STEP.command.argv)
    assert mac_of(host) == MAC
    joined = renewed(host, 2)
    assert f" {address} " in joined
    assert f" {INNER} " in joined
    run(host, STEP.undo.argv)
    assert mac_of(host) == MAC
    parted = renewed(host, 3)
    assert f" {address} " in parted
    assert INNER not in parted
