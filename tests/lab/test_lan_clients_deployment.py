"""A deployment between hosts whose LAN ports have DHCP clients, from its start to the rollback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.hosts import Side
from support.lab_sessions import until_answered
from support.net_desk import Desk, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, NetPair, net_hosts
from support.waiting import wait_until

pytestmark = pytest.mark.full
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


def clients(host: NetHost) -> set[str]:
    """Return the interfaces that clients serve."""
    found = host.run(
        "for one in /proc/[0-9]*; do case $(cat $one/comm) in dhclient | busybox) ;; *) continue ;; esac; "
        'case $(cat $one/stat) in *") Z "*) continue ;; esac; '
        f"case $(tr '\\0' ' ' < $one/cmdline) in *{BRIDGE}*) echo {BRIDGE} ;; *) echo {PORT} ;; esac; done 2> /dev/null"
    )
    return set(found.split())


def is_on(pair: NetPair, device: str) -> bool:
    """Whether the client and the leased address of both hosts are on a device, and on no other one."""
    other = PORT if device == BRIDGE else BRIDGE
    return all(
        clients(pair.host(side)) == {device}
        and address(pair.host(side), device, NETS[side]) != ""
        and address(pair.host(side), other, NETS[side]) == ""
        for side in Side
    )


def answers(hosts: NetHosts, host: NetHost) -> int:
    return int(hosts.world.run(f"grep -c 'sending ACK' /run/{host.name}.log || :"))


def check_renewed(hosts: NetHosts, pair: NetPair) -> None:
    before = {host.name: answers(hosts, host) for host in pair.hosts}
    wait_until(lambda: all(answers(hosts, host) > before[host.name] for host in pair.hosts), "a renewal")


def serve(hosts: NetHosts, host: NetHost, lease_s: int) -> None:
    """Start the server of a host's plant, in place of one that runs."""
    hosts.world.run(f"kill $(cat /run/{host.name}.pid) 2> /dev/null || :")
    host.in_plant(
        f"sed -i 's/^option lease .*/option lease {lease_s}/' /run/{host.name}.dhcp; "
        f"busybox udhcpd -f /run/{host.name}.dhcp >> /run/{host.name}.log 2>&1 &"
    )


def kill_clients(host: NetHost) -> None:
    host.run(
        "for one in /proc/[0-9]*; do case $(cat $one/comm) in dhclient | busybox) ;; *) continue ;; esac; "
        "kill -9 ${one#/proc/}; done 2> /dev/null || :"
    )


def hurry(host: NetHost) -> None:
    """Have the supervisor check in its next round, in 2 s at most, and not when 10 s are over."""
    host.run("rm -f /run/tunnelmark-*/.lasting/client")


def log(host: NetHost) -> str:
    return host.run("cat /run/tunnelmark-*/.lasting/log 2> /dev/null || :")


def restarts(host: NetHost) -> str:
    return host.run("cat /run/tunnelmark-*/.lasting/restarts 2> /dev/null || echo 0").strip()


def daemons(host: NetHost) -> set[str]:
    """Return the programs whose end the supervisor takes for that of the tunnel."""
    found = host.run(
        "for one in $(grep -ls TUNNELMARK_TUNNEL /proc/[0-9]*/environ); do cat ${one%/environ}/comm; done 2> /dev/null "
        "|| :"
    )
    return set(found.split()) - {"grep"}


@pytest.fixture(scope="module")
def deployed(hosts: NetHosts, desk: Desk) -> NetPair:
    (pair,) = hosts.pairs
    wait_until(lambda: is_on(pair, PORT), "leases")
    own = {side: address(pair.host(side), PORT, NETS[side]) for side in Side}
    done = desk.tunnelmark("deploy", pair.name, "openvpn-udp", *BRIDGED)
    assert done.status == 0, done.err
    reported = " ".join((done.out + done.err).split())
    assert "Its client (ISC dhclient) runs on the bridge while lan0 is joined" in reported
    assert "Its client (BusyBox udhcpc) runs on the bridge while lan0 is joined" in reported
    assert is_on(pair, BRIDGE)
    assert {side: address(pair.host(side), BRIDGE, NETS[side]) for side in Side} == own
    for side in Side:
        pair.host(side).in_plant(until_answered(own[side].partition("/")[0]))
    return pair


def test_supervisor_starts_a_client_that_died_and_moves_one_from_the_port(deployed: NetPair, desk: Desk) -> None:
    for host in deployed.hosts:
        # As if the supervisor had just checked.
        host.run("for one in /run/tunnelmark-*/.lasting; do echo 999999999 > $one/client; done")
        kill_clients(host)
    shown = desk.tunnelmark("status", deployed.name)
    assert shown.status == 1, "it looks for the client itself"
    for host in deployed.hosts:
        hurry(host)
    wait_until(lambda: is_on(deployed, BRIDGE), "clients on the bridge")
    for side in Side:
        host = deployed.host(side)
        wait_until(
            lambda host=host: "the DHCP client of lan0 was started on tmlbr0" in log(host),  # type: ignore[misc]
            "a line in the log",
        )
        host.run(f"{_STARTS[side]} > /dev/null 2>&1 &")
    for host in deployed.hosts:
        wait_until(lambda host=host: PORT in clients(host), "a client on the port")  # type: ignore[misc]
        hurry(host)
    wait_until(lambda: is_on(deployed, BRIDGE), "clients on the bridge only")
    # The script of a client that was ended may give the port its address once more.
    wait_until(lambda: desk.tunnelmark("status", deployed.name).status == 0, "nothing to mend")
    assert [restarts(host) for host in deployed.hosts] == ["0", "0"]


def test_restart_beside_a_silent_server_keeps_client_and_address(
    hosts: NetHosts, deployed: NetPair, desk: Desk
) -> None:
    host = deployed.a
    # With a lease that does not end meanwhile.
    serve(hosts, host, lease_s=600)
    before = answers(hosts, host)
    wait_until(lambda: answers(hosts, host) > before, "a lease")
    wait_until(lambda: address(host, BRIDGE, NETS[Side.A]) != "", "an address")
    own = address(host, BRIDGE, NETS[Side.A])
    hosts.world.run(f"kill $(cat /run/{host.name}.pid)")
    host.run("pkill -KILL -x openvpn")
    wait_until(lambda: "started again" in log(host), "the tunnel")
    assert clients(host) == {BRIDGE}
    assert address(host, BRIDGE, NETS[Side.A]) == own
    # That a client gives up waiting ends no daemon of the tunnel.
    assert daemons(host) == {"openvpn"}
    serve(hosts, host, lease_s=16)
    wait_until(lambda: desk.tunnelmark("status", deployed.name).status == 0, "the tunnel")
    assert restarts(host) == "1"


def test_host_that_starts_before_its_server_is_heard_on_the_bridge(
    hosts: NetHosts, deployed: NetPair, desk: Desk
) -> None:
    hosts.world.run(f"kill $(cat /run/{deployed.a.name}.pid)")
    for side in Side:
        deployed.host(side).power_off()
        deployed.power_on(side)
    wait_until(lambda: BRIDGE in clients(deployed.a), "a client on the bridge")
    # Until dhclient has given up for the first time.
    wait_until(lambda: clients(deployed.a) == {BRIDGE}, "no client on the port", timeout_s=120)
    serve(hosts, deployed.a, lease_s=16)
    wait_until(lambda: is_on(deployed, BRIDGE), "leases on the bridge", timeout_s=400)
    assert restarts(deployed.a) == "0"
    check_renewed(hosts, deployed)
    assert desk.tunnelmark("status", deployed.name).status == 0


def test_clients_return_to_the_port(deployed: NetPair, desk: Desk) -> None:
    ended = desk.tunnelmark("undeploy", deployed.name)
    assert ended.status == 0, ended.err
    assert [clients(host) for host in deployed.hosts] == [{PORT}, {PORT}]
    wait_until(lambda: is_on(deployed, PORT), "leases on the port")
    wait_until_nothing_is_left(deployed.hosts)
