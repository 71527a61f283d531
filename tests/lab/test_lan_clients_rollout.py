"""A deployment between hosts whose LAN ports have DHCP clients, from the roll-out to the rollback."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, NetPair, net_hosts
from support.waiting import wait_until

BRIDGED = ("--bridge", "A=lan0", "--bridge", "B=lan0")
BRIDGE, PORT = "tmlbr0", "lan0"
NETS = {Side.A: "10.66.0", Side.B: "10.67.0"}

_SERVER = """
ip addr add {net}.1/24 dev port
cat > /run/{name}.dhcp << END
start {net}.50
end {net}.90
interface port
min_lease 5
lease_file /run/{name}.leases
pidfile /run/{name}.pid
option lease 16
option subnet 255.255.255.0
END
: > /run/{name}.leases
busybox udhcpd -f /run/{name}.dhcp > /run/{name}.log 2>&1 &
"""
# What a host does when it starts: dhclient as ifupdown of Debian 12 starts it, udhcpc as that of Alpine Linux.
_STARTS = {
    Side.A: "mkdir -p /var/lib/dhcp; dhclient -4 -v -i -pf /run/dhclient.lan0.pid "
    "-lf /var/lib/dhcp/dhclient.lan0.leases -I -df /var/lib/dhcp/dhclient6.lan0.leases lan0",
    Side.B: "busybox udhcpc -b -R -p /run/udhcpc.lan0.pid -s /etc/udhcpc.script -i lan0",
}
_SCRIPT = """#!/bin/sh
case $1 in
    bound | renew) busybox ifconfig $interface $ip netmask $subnet ;;
    deconfig) busybox ip -4 addr flush dev $interface ;;
esac
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts"), has_lan=True) as started:
        for side in Side:
            host = started.pairs[0].host(side)
            host.in_plant(_SERVER.format(net=NETS[side], name=host.name))
            start = f"ip addr flush dev {PORT}; {_STARTS[side]} > /dev/null 2>&1"
            host.run(f"cat > /etc/udhcpc.script << 'END'\n{_SCRIPT}END\nchmod 755 /etc/udhcpc.script")
            host.run(f"cat >> /etc/network.sh << 'END'\n{start}\nEND\n{start}")
        yield started


@pytest.fixture(scope="module")
def desk(hosts: NetHosts, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    opened = Desk(hosts, tmp_path_factory.mktemp("desk"))
    opened.know(hosts.pairs[0])
    return opened


def address(host: NetHost, device: str, net: str) -> str:
    """Return the leased address of a device; empty where it has none."""
    shown = host.run(f"ip -o -4 addr show dev {device} 2> /dev/null || :").split()
    return next((word for word in shown if word.startswith(f"{net}.")), "")


def clients(host: NetHost) -> list[str]:
    """Return the interfaces that clients serve; those that are suspended do not count."""
    found = host.run(
        "for one in /proc/[0-9]*; do case $(cat $one/comm) in dhclient | busybox) ;; *) continue ;; esac; "
        'case $(cat $one/stat) in *") T "* | *") Z "*) continue ;; esac; '
        f"case $(tr '\\0' ' ' < $one/cmdline) in *{BRIDGE}*) echo {BRIDGE} ;; *) echo {PORT} ;; esac; done 2> /dev/null"
    )
    return found.split()


def is_on(pair: NetPair, device: str) -> bool:
    """Whether the client and the leased address of both hosts are on a device, and on no other one."""
    other = PORT if device == BRIDGE else BRIDGE
    return all(
        clients(pair.host(side)) == [device]
        and address(pair.host(side), device, NETS[side]) != ""
        and address(pair.host(side), other, NETS[side]) == ""
        for side in Side
    )


def answers(hosts: NetHosts, host: NetHost) -> int:
    return int(hosts.world.run(f"grep -c 'sending ACK' /run/{host.name}.log || :"))


def check_renewed(hosts: NetHosts, pair: NetPair) -> None:
    before = {host.name: answers(hosts, host) for host in pair.hosts}
    wait_until(lambda: all(answers(hosts, host) > before[host.name] for host in pair.hosts), "a renewal", timeout_s=60)


def test_leases_are_renewed_through_a_deployment_a_restart_a_power_cut_and_a_rollback(
    hosts: NetHosts, desk: Desk
) -> None:
    (pair,) = hosts.pairs
    wait_until(lambda: is_on(pair, PORT), "leases")
    own = {side: address(pair.host(side), PORT, NETS[side]) for side in Side}
    done = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED)
    assert done.status == 0, done.err
    said = " ".join((done.out + done.err).split())
    assert "Its client (ISC dhclient) runs on the bridge while lan0 is joined" in said
    assert "Its client (BusyBox udhcpc) runs on the bridge while lan0 is joined" in said
    assert is_on(pair, BRIDGE)
    assert {side: address(pair.host(side), BRIDGE, NETS[side]) for side in Side} == own
    for host in pair.hosts:
        for side in Side:
            host.in_plant(f"ping -c 1 -W 2 {own[side].partition('/')[0]} || [ {host.name} != {pair.host(side).name} ]")
    check_renewed(hosts, pair)
    # A daemon dies: the tunnel is taken down and started again.
    pair.a.run("pkill -KILL -x openvpn")
    time.sleep(1)
    wait_until(lambda: desk.tunnelmark("status", pair.name).status == 0, "the tunnel", timeout_s=60)
    wait_until(lambda: is_on(pair, BRIDGE), "clients on the bridge", timeout_s=60)
    # What moves a client is no daemon of the tunnel: that it ends restarts nothing.
    assert pair.a.run("cat /run/tunnelmark-*/.lasting/restarts").strip() == "1"
    for side in Side:
        pair.host(side).power_off()
        pair.power_on(side)
    wait_until(lambda: is_on(pair, BRIDGE), "clients on the bridge after a loss of power", timeout_s=90)
    check_renewed(hosts, pair)
    ended = desk.tunnelmark("undeploy", pair.name)
    assert ended.status == 0, ended.err
    wait_until(lambda: is_on(pair, PORT), "clients on the port")
    wait_until_nothing_is_left(pair.hosts)
