"""DHCP clients of a LAN port go on at the bridge and come back, with real programs and a real server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from app.deploy.bridging import Bridging
from app.deploy.lan_guard import LanGuard
from app.deploy.places import lasting_link
from app.domain.adapters import Step
from app.domain.hosts import Side
from app.domain.link import Link
from support.net_desk import need_namespaces
from support.net_world import World

LINK = lasting_link(Link("10.99.1.1", "10.99.1.2"), "0123456789abcdef", 0)
STRIDE = int(os.environ.get("TUNNELMARK_STRIDE", "11"))
"""Of the programs that a script starts, so many are passed over; 1 for none."""
BRIDGE, TUNNEL, PORT, INNER = "tmlbr0", "tml0", "lan0", LINK.inner(Side.A)
FOLDER = "/run/dhcp"

# The gateway with its LAN port and a tunnel, its own plant with a server, and the other plant with another one.
_MAKE = f"""
mkdir -p {FOLDER}
for name in gw lan far; do ip netns add $name; done
ip -n gw link set lo up
ip -n gw link add {PORT} address ac:11:22:33:44:55 type veth peer name srv netns lan
ip -n gw link add {TUNNEL} address 02:00:00:00:00:01 type veth peer name srv netns far
ip -n gw addr add {INNER} dev {TUNNEL}
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
option lease SECONDS
option subnet 255.255.255.0
option router 10.$net.0.1
END
    : > {FOLDER}/$name.leases
    ip netns exec $name busybox udhcpd -f {FOLDER}/$name > {FOLDER}/$name.log 2>&1 &
done
ip netns exec far tcpdump -l -n -i srv udp dst port 67 > {FOLDER}/requests 2> {FOLDER}/capture &
# As that of Debian, but for /etc/resolv.conf.
cat > {FOLDER}/script << 'END'
#!/bin/sh
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
echo "$1 $interface" >> {FOLDER}/events
END
chmod 755 {FOLDER}/script
"""
_CLIENTS = {
    # The words of ifupdown in Debian 11 and 12.
    "dhclient": f"dhclient -4 -v -i -pf {FOLDER}/pid -lf {FOLDER}/leases -I -df {FOLDER}/leases6 {PORT}",
    "udhcpc": f"busybox udhcpc -bR -p {FOLDER}/pid -s {FOLDER}/script -i {PORT} -x hostname:gateway",
}


@dataclass
class Gateway:
    """The gateway with one client."""

    world: World
    client: str
    shell: tuple[str, ...] = ("dash",)

    @property
    def steps(self) -> list[Step]:
        guard = LanGuard(1000, blocks_dhcp=False, blocks_router_advertisements=False, keeps_own_requests=True)
        bridging = Bridging(BRIDGE, PORT, guard=guard, client=self.client)
        return [*bridging.guard_steps(TUNNEL, LINK, Side.A), *bridging.steps(TUNNEL, INNER)]

    def run(self, argv: tuple[str, ...], **environment: str) -> subprocess.CompletedProcess[str]:
        assert argv[0] == "sh"
        settings = [f"{name}={value}" for name, value in {"TUNNELMARK_TUNNEL": "a", **environment}.items()]
        words = [*self.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "gw", "env", *settings]
        return subprocess.run([*words, *self.shell, *argv[1:]], capture_output=True, text=True, check=False)

    def join(self, **environment: str) -> None:
        for step in self.steps:
            done = self.run(step.command.argv, **environment)
            assert done.returncode == 0, (step.title, done.stderr)

    def part(self) -> None:
        for step in reversed(self.steps):
            assert step.undo is not None
            done = self.run(step.undo.argv)
            assert done.returncode == 0, (step.title, done.stderr)

    def addresses(self, device: str) -> str:
        return self.world.run(f"ip -n gw -o -4 addr show dev {device} 2> /dev/null || :")

    def clients(self) -> list[tuple[str, str, str]]:
        """Return process, state and interface of each client that runs."""
        script = (
            "for one in /proc/[0-9]*; do read -r name < $one/comm || continue; "
            "case $name in busybox | udhcpc | dhclient) ;; *) continue ;; esac; "
            "words=$(tr '\\0' ' ' < $one/cmdline) || continue; case $words in *udhcpd*) continue ;; esac; "
            'state=$(sed "s/.*) \\(.\\).*/\\1/" $one/stat) || continue; '
            f"case $words in *{BRIDGE}*) on={BRIDGE} ;; *) on={PORT} ;; esac; "
            'echo "${one#/proc/} $state $on"; done 2> /dev/null'
        )
        found = [tuple(line.split()) for line in self.world.run(script).splitlines()]
        return sorted((process, state, on) for process, state, on in found)

    def start(self) -> None:
        self.world.run(f"exec > /dev/null 2>&1; ip netns exec gw setsid {_CLIENTS[self.client]} &")

    def wait_for_process(self) -> None:
        self.wait(f"cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' | grep -qE '(dhclient|udhcpc) .*{PORT}'")

    def active(self) -> list[str]:
        return [on for _, state, on in self.clients() if state not in "TZ"]

    def answers(self) -> int:
        return int(self.world.run(f"grep -c 'sending ACK' {FOLDER}/lan.log || :"))

    def wait(self, condition: str, seconds: int = 20) -> None:
        limit = seconds * 10
        self.world.run(
            f"n=0; until {condition}; do [ $n -lt {limit} ] || {{ cat {FOLDER}/*.log >&2; exit 1; }}; "
            "sleep 0.1; n=$((n + 1)); done"
        )

    def wait_for_answer(self) -> None:
        before = self.answers()
        self.wait(f"[ $(grep -c 'sending ACK' {FOLDER}/lan.log) -gt {before} ]")


@pytest.fixture(params=sorted(_CLIENTS))
def gateway(request: pytest.FixtureRequest) -> Iterator[Gateway]:
    need_namespaces()
    if shutil.which("dhclient") is None:
        pytest.fail("dhclient is missing; run packaging/setup dev")
    with World() as world:
        # Where no renewal is awaited, a busy computer must not let a lease end.
        world.run(_MAKE.replace("SECONDS", "12" if "renews" in request.node.name else "120"))
        made = Gateway(world, request.param)
        made.wait(f"grep -q listening {FOLDER}/capture")
        made.start()
        made.wait(f"ip -n gw -4 route show default | grep -q 'dev {PORT}'")
        yield made


def lent(text: str) -> str:
    """Return the address of the own plant with its prefix length."""
    return next((word for word in text.split() if word.startswith("10.66.0.")), "")


def check_on_bridge(gateway: Gateway, address: str) -> None:
    assert gateway.active() == [BRIDGE]
    bridged = gateway.addresses(BRIDGE)
    assert lent(bridged) == address
    assert f" {INNER} " in bridged
    assert gateway.addresses(PORT) == ""
    assert (" dynamic " in bridged) == (gateway.client == "dhclient")


def check_on_port(gateway: Gateway, address: str) -> None:
    assert gateway.active() == [PORT]
    assert [on for _, _, on in gateway.clients()] == [PORT]
    assert lent(gateway.addresses(PORT)) == address
    assert gateway.addresses(BRIDGE) == ""
    assert gateway.world.run("ls -d /run/tunnelmark-* /run/dhclient.* /run/udhcpc.* 2> /dev/null || :") == ""


def check_renewal(gateway: Gateway, on: str) -> None:
    """See the server answer a renewal; dhclient renews after half of its lease, udhcpc when it is asked to."""
    if gateway.client == "udhcpc":
        (process,) = [one for one, state, where in gateway.clients() if where == on and state not in "TZ"]
        before = gateway.answers()
        gateway.world.run(f"kill -USR1 {process}")
        gateway.wait(f"[ $(grep -c 'sending ACK' {FOLDER}/lan.log) -gt {before} ]")
    else:
        gateway.wait_for_answer()


def words_of(gateway: Gateway) -> str:
    ((process, _, _),) = gateway.clients()
    return gateway.world.run(f"tr '\\0' ' ' < /proc/{process}/cmdline")


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=" ".join)
def test_client_renews_on_the_bridge_and_again_on_the_port(gateway: Gateway, shell: tuple[str, ...]) -> None:
    gateway.shell = shell
    address, words = lent(gateway.addresses(PORT)), words_of(gateway)
    gateway.join()
    check_on_bridge(gateway, address)
    check_renewal(gateway, BRIDGE)
    gateway.world.run("ip netns exec gw ping -c 1 -W 2 10.66.0.1")
    check_on_bridge(gateway, address)
    gateway.part()
    check_on_port(gateway, address)
    check_renewal(gateway, PORT)
    check_on_port(gateway, address)
    assert words_of(gateway) == words
    assert f"default via 10.66.0.1 dev {PORT}" in gateway.world.run("ip -n gw -4 route show default")
    assert gateway.world.run(f"cat {FOLDER}/requests") == "", "a server of the other plant was asked"


@pytest.mark.parametrize("gateway", ["dhclient"], indirect=True)
def test_without_the_guard_a_server_of_the_other_plant_is_asked(gateway: Gateway) -> None:
    for step in gateway.steps[1:]:
        gateway.run(step.command.argv)
    gateway.wait(f"grep -q 'DHCP, Request from ac:11:22:33:44:55' {FOLDER}/requests")


# A program that ends the group of who calls it, when it has been called so often together with others like it.
_KILLER = """#!/bin/sh
count=$(cat /run/killer/count)
echo "$((count - 1))" > /run/killer/count
if [ "$count" -eq 0 ]; then kill -9 0; fi
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec "${0##*/}" "$@"
"""
KILLED = ("ip", "mv", "mkdir", "sed", "tr", "cp", "rm", "setsid", "sleep", "nft")


def run_killed(gateway: Gateway, step: Step, calls: int, *, is_undo: bool) -> bool:
    """Run a step or its undo until so many programs have been started; return whether it came to its end."""
    gateway.world.run(f"echo {calls} > /run/killer/count")
    command = step.undo if is_undo else step.command
    assert command is not None
    path = "PATH=/run/killer:/usr/sbin:/usr/bin:/sbin:/bin"
    inside = gateway.world.inside("-n", "-m", "-p")
    words = [*inside, "setsid", "-w", "ip", "netns", "exec", "gw", "env", path, *command.argv]
    return subprocess.run(words, capture_output=True, text=True, check=False).returncode == 0


@pytest.mark.parametrize("is_undo", [False, True], ids=["join", "part"])
def test_wherever_it_is_killed_the_client_is_on_the_port_again(gateway: Gateway, is_undo: bool) -> None:
    world, address = gateway.world, lent(gateway.addresses(PORT))
    world.run('mkdir /run/killer; printf %s "$1" > /run/killer/ip; chmod 755 /run/killer/ip', _KILLER)
    world.run(f"for name in {' '.join(KILLED[1:])}; do ln -s ip /run/killer/$name; done")
    guard, stop, join, run = gateway.steps
    for step in (stop, run):
        calls = 3
        while True:
            before = (guard,) if step is stop and not is_undo else (guard, stop, join)
            for one in (*before, run) if is_undo else before:
                assert gateway.run(one.command.argv).returncode == 0
            for one in (run, join) if is_undo and step is stop else ():
                assert one.undo is not None
                assert gateway.run(one.undo.argv).returncode == 0
            has_ended = run_killed(gateway, step, calls, is_undo=is_undo)
            gateway.part()
            check_on_port(gateway, address)
            world.run(f"ip -n gw addr replace {INNER} dev {TUNNEL}")
            if has_ended:
                break
            calls += STRIDE
        assert calls > 3


def test_client_that_comes_late_or_dies_is_found_by_the_supervisor(gateway: Gateway) -> None:
    address, world = lent(gateway.addresses(PORT)), gateway.world
    ((process, _, _),) = gateway.clients()
    world.run(f"kill -9 {process}; ip -n gw addr flush dev {PORT}; mkdir /run/notes")
    run = gateway.steps[-1]
    assert run.standing is not None

    def stands() -> bool:
        world.run("rm -f /run/notes/*")
        assert run.standing is not None
        return gateway.run(run.standing.argv, TUNNELMARK_NOTES="/run/notes").returncode == 0

    gateway.join(TUNNELMARK_NOTES="/run/notes")
    assert gateway.active() == []
    assert stands(), "there is nothing to move"
    gateway.start()
    gateway.wait_for_process()
    if gateway.client == "dhclient":
        gateway.wait(f"ip -n gw -o -4 addr show dev {PORT} | grep -q ' {address} '")
    assert not stands()
    assert gateway.run(run.command.argv, TUNNELMARK_NOTES="/run/notes").returncode == 0
    gateway.wait(f"ip -n gw -o -4 addr show dev {BRIDGE} | grep -q ' {address} '")
    check_on_bridge(gateway, address)
    assert stands()
    for process, state, _ in gateway.clients():
        if state != "T":
            world.run(f"kill -9 {process}")
    assert not stands()
    assert gateway.run(run.command.argv, TUNNELMARK_NOTES="/run/notes").returncode == 0
    gateway.wait("test -e /run/tunnelmark-tmlbr0.dhcp/answered")
    check_on_bridge(gateway, address)
    gateway.part()
    check_on_port(gateway, address)


def test_lease_that_ended_meanwhile_does_not_come_back_and_holds_nothing_up(gateway: Gateway) -> None:
    gateway.join()
    gateway.world.run(f"kill -9 $(cat {FOLDER}/lan.pid); ip -n gw addr flush dev {BRIDGE} label {BRIDGE}")
    gateway.part()
    assert gateway.addresses(PORT) == ""
    assert set(gateway.active()) == {PORT}


@pytest.mark.parametrize("gateway", ["dhclient"], indirect=True)
def test_client_that_cannot_be_moved_is_left_alone(gateway: Gateway) -> None:
    ((process, _, _),) = gateway.clients()
    gateway.world.run(f"kill -9 {process}; exec > /dev/null 2>&1; ip netns exec gw dhclient -d {PORT} &")
    gateway.wait_for_process()
    before = [(process, on) for process, _, on in gateway.clients()]
    done = gateway.run(gateway.steps[1].command.argv)
    assert done.returncode == 1
    assert "the DHCP client of lan0 cannot be moved (service)" in done.stderr
    assert [(process, on) for process, _, on in gateway.clients()] == before
