"""A gateway whose LAN port has its address from a DHCP server, made of network namespaces."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.deployment.slots import persistent_link
from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import Link
from support.net_desk import need_namespaces
from support.net_world import World
from support.waiting import wait_until

LINK = persistent_link(Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0)
BRIDGE, TUNNEL, PORT, INNER = "tmlbr0", "tml0", "lan0", LINK.inner(Side.A)
FOLDER = "/run/dhcp"
MAC = "ac:11:22:33:44:55"
TAKEN = f"/run/tunnelmark-{BRIDGE}.dhcp"
# Of the short one, a renewal may be late by 15 s: where a lease ends, static addresses of its subnet go with it.
SHORT_S, PATIENCE_S = 30, 600

# The gateway with its LAN port and a tunnel, its own plant with a server, and the other plant with another one.
_MAKE = f"""
mkdir -p {FOLDER}
for name in gw lan far; do ip netns add $name; done
ip -n gw link set lo up
ip -n gw link add {PORT} address {MAC} type veth peer name srv netns lan
ip -n gw link add {TUNNEL} address 02:00:00:00:00:01 type veth peer name srv netns far
for name in {PORT} {TUNNEL}; do ip -n gw link set $name up; done
ip -n lan addr add 10.66.0.1/24 dev srv
ip -n far addr add 10.67.0.1/24 dev srv
for plant in lan:66 far:67; do
    name=${{plant%:*}} net=${{plant#*:}}
    ip -n $name link set srv up
    cat > {FOLDER}/$name << END
start 10.$net.0.50
end 10.$net.0.60
interface srv
min_lease 5
lease_file {FOLDER}/$name.leases
pidfile {FOLDER}/$name.pid
option lease {PATIENCE_S}
option subnet 255.255.255.0
option router 10.$net.0.1
END
    : > {FOLDER}/$name.leases
done
ip netns exec far busybox udhcpd -f {FOLDER}/far > {FOLDER}/far.log 2>&1 &
ip netns exec far tcpdump -l -n -i srv udp dst port 67 > {FOLDER}/requests 2> {FOLDER}/capture &
# As that of Debian, but for /etc/resolv.conf; in the place where its udhcpc looks for it.
mount -t tmpfs none /mnt
mkdir /mnt/u /mnt/w
mount -t overlay none -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w /etc
mkdir -p /etc/udhcpc
cat > /etc/udhcpc/default.script << 'END'
#!/bin/sh
echo "$1 $interface" >> /run/dhcp/events
case $1 in
    bound | renew)
        busybox ifconfig $interface $ip netmask $subnet
        busybox ip -4 route add default via $router dev $interface 2> /dev/null
        ;;
    deconfig)
        busybox ip link set $interface up
        busybox ip -4 addr flush dev $interface
        busybox ip -4 route flush dev $interface
        ;;
esac
END
chmod 755 /etc/udhcpc/default.script
"""
_CLEAR = f"""
ip -n lan addr replace 10.66.0.1/24 dev srv
for one in /proc/[0-9]*; do
    case $(cat $one/comm 2> /dev/null).$(tr '\\0' ' ' 2> /dev/null < $one/cmdline) in
        dhclient.* | udhcpc.* | busybox.*"busybox udhcpc "*) kill -9 ${{one#/proc/}} || : ;;
    esac
done
ip -n gw link del {BRIDGE} 2> /dev/null || :
ip netns exec gw nft flush ruleset
ip -n gw -4 addr flush dev {PORT}
ip -n gw addr replace {INNER} dev {TUNNEL}
rm -rf /run/tunnelmark-* /run/dhclient.* /run/udhcpc.* /run/notes {FOLDER}/leases {FOLDER}/pid {FOLDER}/events
: > {FOLDER}/requests
"""
_CLIENTS = f"""
for one in /proc/[0-9]*; do
    words=$(tr '\\0' ' ' < $one/cmdline) || continue
    case $(cat $one/comm).$words in dhclient.* | busybox.*"busybox udhcpc "*) ;; *) continue ;; esac
    [ "$(stat -c %u $one)" = 0 ] || continue
    case $(cat $one/stat) in *") Z "*) continue ;; esac
    case $words in *{BRIDGE}*) on={BRIDGE} ;; *) on={PORT} ;; esac
    echo "${{one#/proc/}} $on"
done 2> /dev/null
"""
STATICS = ("10.66.0.200/24", "10.99.7.1/24")
ROUTE = "192.0.2.0/24"
ADD_ROUTE = f"ip -n gw route add {ROUTE} via 10.66.0.1 dev {PORT}"
STARTS = {
    # The words of ifupdown in Debian 11 and 12.
    "dhclient": f"dhclient -4 -v -i -pf {FOLDER}/pid -lf {FOLDER}/leases -I -df {FOLDER}/leases6 {PORT}",
    "udhcpc": f"busybox udhcpc -n -p {FOLDER}/pid -i {PORT}",
}


@dataclass
class Gateway:
    """The gateway with one client.

    Attributes:
        world: Where it is.
        client: Its client's program.
        shell: What runs the steps.
    """

    world: World
    client: str = "dhclient"
    shell: tuple[str, ...] = ("dash",)

    def begin(self, client: str, words: str = "", environment: str = "", lease_s: int = PATIENCE_S) -> None:
        """Forget everything before, and start a client on the port."""
        self.client, self.shell = client, ("dash",)
        self.world.run(_CLEAR)
        self.silence()
        self.world.run(f"sed -i 's/^option lease .*/option lease {lease_s}/' {FOLDER}/lan")
        self.serve()
        self.start(words, environment)
        self.wait(f"ip -n gw -4 route show default | grep -q 'dev {PORT}'")
        self.wait_for_clients(PORT)

    def start(self, words: str = "", environment: str = "") -> None:
        """Start a client on the port; it may be heard or not."""
        words = words or STARTS[self.client]
        self.world.run(f"exec > /dev/null 2>&1; env {environment} ip netns exec gw setsid {words} &")

    def serve(self) -> None:
        """Start the plant's server, where it is not running."""
        self.world.run(
            f"kill -0 $(cat {FOLDER}/lan.pid) 2> /dev/null || "
            f"ip netns exec lan busybox udhcpd -f {FOLDER}/lan >> {FOLDER}/lan.log 2>&1 &"
        )
        self.wait(f"kill -0 $(cat {FOLDER}/lan.pid)")

    def hush(self) -> None:
        """Let neither server nor router of the plant answer."""
        self.silence()
        self.world.run("ip -n lan addr flush dev srv")

    def silence(self) -> None:
        """End the plant's server."""
        self.world.run(f"[ ! -e {FOLDER}/lan.pid ] || kill -9 $(cat {FOLDER}/lan.pid); rm -f {FOLDER}/lan.pid")

    @property
    def steps(self) -> list[PlanStep]:
        """The steps of a deployment that join the port."""
        guard = LanGuard(1000, blocks_dhcp=False, blocks_router_advertisements=False, keeps_own_requests=True)
        bridging = Bridging(BRIDGE, PORT, guard=guard, client=self.client)
        return [*bridging.guard_steps(TUNNEL, LINK, Side.A), *bridging.steps(TUNNEL, INNER)]

    def run(self, argv: tuple[str, ...], **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a step."""
        assert argv[0] == "sh"
        settings = [f"{name}={value}" for name, value in {"TUNNELMARK_TUNNEL": "a", **environment}.items()]
        words = [*self.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "gw", "env", *settings]
        return subprocess.run([*words, *self.shell, *argv[1:]], capture_output=True, text=True, check=False)

    def join(self, **environment: str) -> None:
        """Run the steps."""
        for step in self.steps:
            done = self.run(step.command.argv, **environment)
            assert done.returncode == 0, (step.title, done.stderr)

    def part(self, **environment: str) -> str:
        """Undo the steps, and return what was reported."""
        reported = ""
        for step in reversed(self.steps):
            if step.undo is not None:
                done = self.run(step.undo.argv, **environment)
                assert done.returncode == 0, (step.title, done.stderr)
                reported += done.stderr
        return reported

    def undo(self, number: int) -> subprocess.CompletedProcess[str]:
        """Run the undo of a step."""
        undo = self.steps[number].undo
        assert undo is not None
        return self.run(undo.argv)

    def end_clients(self) -> None:
        """End all clients as if they had crashed."""
        self.world.run("".join(f"kill -9 {process} || :; " for process, _ in self.clients()))

    def supervise(self, **environment: str) -> None:
        """Do what the supervisor does every 10 s."""
        check = self.steps[-1].health_check
        assert check is not None
        self.world.run("mkdir -p /run/notes; rm -f /run/notes/client")
        assert self.run(check.argv, TUNNELMARK_NOTES="/run/notes", **environment).returncode == 0

    def addresses(self, device: str) -> str:
        """Return the addresses of a device as `ip` prints them."""
        return self.world.run(f"ip -n gw -o -4 addr show dev {device} 2> /dev/null || :")

    def settings(self, device: str) -> str:
        """Return addresses, in order, and routes of a device, but for the time for which an address is lent."""
        shown = re.sub(r" dynamic|\\.*", "", self.addresses(device))
        return shown + "".join(sorted(self.world.run(f"ip -n gw -4 route show dev {device}").splitlines(keepends=True)))

    def lent(self, device: str) -> str:
        """Return the leased address of a device with its prefix length; empty where it has none."""
        return next((word for word in self.addresses(device).split() if word.startswith("10.66.0.")), "")

    def clients(self) -> list[tuple[str, str]]:
        """Return process and interface of each client."""
        return sorted((line.split()[0], line.split()[1]) for line in self.world.run(_CLIENTS).splitlines())

    def only_client(self) -> str:
        """Return the process of the only client, once none of them is starting a program: that one is there twice."""
        found: list[tuple[str, str]] = []

        def is_one() -> bool:
            found[:] = self.clients()
            return len(found) == 1

        wait_until(is_one, "one client")
        return found[0][0]

    def words(self) -> str:
        """Return the command line of the only client."""
        process = self.only_client()
        program, _, words = self.world.run(f"tr '\\0' ' ' < /proc/{process}/cmdline").partition(" ")
        return f"{program.rpartition('/')[2]} {words}"

    def add_statics(self) -> None:
        """Give the port addresses and a route beside the lease."""
        self.world.run(f"for one in {' '.join(STATICS)}; do ip -n gw addr add $one dev {PORT}; done; {ADD_ROUTE}")

    def statics(self, device: str) -> set[str]:
        """Return which of them a device has."""
        shown = self.addresses(device) + self.world.run(f"ip -n gw -4 route show dev {device} 2> /dev/null || :")
        return {one for one in (*STATICS, ROUTE) if f" inet {one} " in shown or f"{one} via " in shown}

    def answers(self) -> int:
        """Return how often the server has lent an address or lent it again."""
        return int(self.world.run(f"grep -c 'sending ACK' {FOLDER}/lan.log || :"))

    def renew(self) -> None:
        """See a renewal: dhclient renews after half of its lease, udhcpc when it is asked to."""
        before = self.answers()
        if self.client == "udhcpc":
            process = self.only_client()
            self.world.run(f"kill -USR1 {process}")
        self.wait(f"[ $(grep -c 'sending ACK' {FOLDER}/lan.log) -gt {before} ]")

    def wait_for_clients(self, *devices: str) -> None:
        """Wait until clients run on these interfaces only: one that starts a program is there twice."""
        wait_until(lambda: [on for _, on in self.clients()] == list(devices), f"clients on {devices}")

    def wait_for_rest(self, count: int) -> None:
        """Wait until so many clients run, and none has gone into the background for a second."""
        seen: list[list[tuple[str, str]]] = []

        def is_at_rest() -> bool:
            time.sleep(0.2)
            seen.append(self.clients())
            return len(seen[-1]) == count and seen[-5:] == [seen[-1]] * 5

        wait_until(is_at_rest, f"{count} clients at rest")

    def wait(self, condition: str, seconds: int = 120) -> None:
        """Wait until a condition of the shell holds.

        Raises:
            AssertionError: It does not.
        """
        self.world.run(
            f"n=0; until {condition}; do [ $n -lt {seconds * 10} ] || {{ exec >&2; tail -n 5 {FOLDER}/*.log; "
            "ip -n gw -4 addr; ps -eo pid,ppid,etimes,args; exit 1; }; "
            "sleep 0.1; n=$((n + 1)); done"
        )


@contextmanager
def lan_gateway() -> Iterator[Gateway]:
    """Make the gateway with both plants."""
    need_namespaces()
    if shutil.which("dhclient") is None:
        pytest.fail("dhclient is missing; run packaging/setup dev")
    with World() as world:
        world.run(_MAKE)
        made = Gateway(world)
        made.wait(f"grep -q listening {FOLDER}/capture")
        yield made


def check_on_bridge(gateway: Gateway, address: str) -> None:
    """See that client and addresses are on the bridge only."""
    gateway.wait_for_clients(BRIDGE)
    assert gateway.lent(BRIDGE) == address
    assert f" {INNER} " in gateway.addresses(BRIDGE)
    assert gateway.addresses(PORT) == ""
    assert f"default via 10.66.0.1 dev {BRIDGE}" in gateway.world.run("ip -n gw -4 route show default")


def check_on_port(gateway: Gateway, address: str) -> None:
    """See that all is as before."""
    gateway.wait_for_clients(PORT)
    assert gateway.lent(PORT) == address
    assert gateway.addresses(BRIDGE) == ""
    assert f"default via 10.66.0.1 dev {PORT}" in gateway.world.run("ip -n gw -4 route show default")
    assert gateway.world.run("ls -d /run/tunnelmark-* /run/dhclient.* /run/udhcpc.* 2> /dev/null || :") == ""


def check_address(gateway: Gateway, device: str, address: str) -> None:
    """See that a device has the leased address and its default route."""
    assert gateway.lent(device) == address
    assert f"default via 10.66.0.1 dev {device}" in gateway.world.run("ip -n gw -4 route show default")
