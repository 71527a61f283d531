"""A host with a LAN port, made of network namespaces, whose firewall is seen from both LANs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.rules import LanRules, moving_step, parse_lan_rules
from app.discovery.firewall import sections_of
from app.domain.adapters import PlanStep, shell_step_argv
from app.domain.commands import Command
from app.domain.script_files import bare_script
from support.net_desk import need_namespaces
from support.net_world import World

PORT, BRIDGE, TUNNEL, INNER = "eth2", "tmlbr0", "tml0", "198.19.0.1/24"


HOST = "10.77.0.1"


JOIN = Bridging(BRIDGE, PORT).step(TUNNEL, INNER)


# The host has its LAN behind eth2, the other LAN behind the tunnel, and ports whose names begin alike.
_MAKE = f"""
for name in host own other; do ip netns add $name; ip -n $name link set lo up; done
ip -n host link add {PORT} type veth peer name lan netns own
ip -n host link add {TUNNEL} type veth peer name lan netns other
ip -n host link add eth1 type veth peer name eth20
ip -n host addr add {HOST}/24 dev {PORT}
ip -n host addr add {INNER} dev {TUNNEL}
ip -n host link set {PORT} up
ip -n host link set {TUNNEL} up
ip -n own addr add 10.77.0.11/24 dev lan
ip -n own link set lan up
ip -n other addr add 10.77.0.12/24 dev lan
ip -n other link set lan up
"""


_LISTING = r"""
nft -s list ruleset 2> /dev/null
for one in iptables-legacy ip6tables-legacy iptables-nft ip6tables-nft; do
    $one-save | sed '/^#/d; s/ \[[0-9:]*\]//'
done
"""


# Prints the ports where the host, on which nothing listens, refuses a connection; what is dropped is not answered.
_KNOCK = """
import selectors, socket, sys, time
trying = selectors.DefaultSelector()
for word in sys.argv[2:]:
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex((sys.argv[1], int(word)))
    trying.register(one, selectors.EVENT_WRITE, word)
until, refused = time.monotonic() + 1.2, set()
while trying.get_map():
    # Once more when the time is over: what has come is taken, however late this process is.
    left = until - time.monotonic()
    found = trying.select(max(left, 0))
    if not found and left <= 0:
        break
    for key, _ in found:
        if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 111:
            refused.add(key.data)
        trying.unregister(key.fileobj)
print(*sorted(refused))
"""


@dataclass
class Lan:
    """A host with a LAN port, seen from both LANs."""

    world: World
    words: tuple[str, ...]

    def sh(self, script: str) -> str:
        return self.world.run('ip netns exec host sh -ec "$1"', script)

    def load(self, rules: str) -> None:
        self.world.run('printf %s "$1" | ip netns exec host nft -f -', rules)

    def execute(self, argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        words = [*self.world.inside("-n", "-m", "-p"), "ip", "netns", "exec", "host", *self.words, *argv[1:]]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def does(self, command: Command | None) -> bool:
        assert command is not None
        return self.execute(command.argv).returncode == 0

    def read(self) -> LanRules:
        before = self.listing
        done = self.execute(shell_step_argv(bare_script("lan/rules-read.sh"), "#mark", PORT))
        assert self.listing == before
        sections = sections_of(done.stdout, "#mark")
        assert "end" in sections, done.stderr
        assert "failed" not in sections
        return parse_lan_rules(sections, PORT, BRIDGE)

    def step(self, rules: LanRules) -> PlanStep:
        return moving_step(rules.moved, PORT, BRIDGE, "0011aabb", noted=rules.noted)

    @property
    def listing(self) -> str:
        return self.sh(_LISTING)

    def closed(self, *ports: int) -> tuple[set[int], set[int]]:
        """Return the ports of the host to which no packet gets, from its own LAN and from the other one."""
        words = [sys.executable, _KNOCK, *map(str, ports)]
        ends = [
            subprocess.Popen(
                [
                    *self.world.inside("-n", "-m", "-p"),
                    "ip",
                    "netns",
                    "exec",
                    name,
                    words[0],
                    "-c",
                    words[1],
                    HOST,
                    *words[2:],
                ],
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ("own", "other")
        ]
        arrived = [{int(word) for word in end.communicate()[0].split()} for end in ends]
        assert [end.returncode for end in ends] == [0, 0]
        return set(ports) - arrived[0], set(ports) - arrived[1]


def lan_of(world: World, *words: str) -> Lan:
    world.run(_MAKE)
    return Lan(world, words)


def load_iptables(lan: Lan, program: str, rules: str) -> None:
    lan.world.run('printf %s "$1" | ip netns exec host "$2"-restore -n', f"*filter\n{rules.strip()}\nCOMMIT\n", program)


@contextmanager
def rules_world() -> Iterator[World]:
    """Give a world with a folder of BusyBox's programs alone, in which hosts are made by `lan_of`."""
    need_namespaces()
    with World() as made:
        made.run(
            "mkdir /run/few; for name in awk grep sed tr cat uname sh; do ln -s /bin/busybox /run/few/$name; done;"
            "[ -e /bin/busybox ]"
        )
        yield made


def remove_hosts(world: World) -> None:
    """Remove the hosts of a test, so that the next one makes its own."""
    world.run("for name in host own other; do ip netns del $name; done; rm -f /run/tunnelmark-*")
