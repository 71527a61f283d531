"""Hosts on this computer: each a network, mount and process namespace of its own, with its own sshd.

Each has files of its own but for the programs, which are this computer's; /run is lost with its power. What is rolled
out on one is on no other, and nothing of it on this computer. They can run what this computer's kernel can.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.hosts import AuthKind, HostSpec, PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.script_files import host_script
from app.host.script_events import parse_sections
from app.host.snapshots import HostSnapshot, SnapshotDepth, parse_snapshot
from support.net_disk import Disk
from support.net_world import ENVIRONMENT, World, children_of, packet_socket, ran

_HERE = Path(__file__).parent


@dataclass
class NetHost:
    """One host.

    Attributes:
        world: Where it lives.
        number: From 1 to 250; its names and addresses come from it.
        kind: How it starts what starts with it: `sysv` or `busybox`.
        underlay: Its address there, with prefix length.
        has_lan: Whether it has a port lan0 with two addresses and a route, and a network with one host behind it.
    """

    world: World
    number: int
    kind: str
    underlay: str
    has_lan: bool = False
    _process: subprocess.Popen[str] | None = field(default=None, init=False)
    _first: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        """Its own name."""
        return f"gateway-{self.number}"

    @property
    def address(self) -> str:
        """Address of its sshd."""
        return f"10.98.0.{self.number}"

    @property
    def disk(self) -> Path:
        """Its disk, as it can be read from outside, also while it is off."""
        return self.world.folder / f"run/disks/{self.number}"

    @property
    def files(self) -> Path:
        """Its root folder on the disk: what is in /usr and /run is not there."""
        return self.disk / "root"

    def install(self, folder: Path, public_key: Path) -> None:
        """Make its disk; its host key is known from then on."""
        addresses = {
            "management": f"{self.address}/16",
            "underlay": self.underlay,
            "lan": f"10.77.0.{102 - self.number % 2}",
            "second": f"10.77.0.{112 - self.number % 2}",
        }
        disk = Disk(f"/run/disks/{self.number}", self.name, self.kind, addresses)
        self.host_key = disk.make(self.world, folder, public_key)
        if self.has_lan:
            self.world.run(
                'ip netns add "$1" && ip -n "$1" link add port type bridge && ip -n "$1" link set port up && '
                'ip -n "$1" addr add "$2" dev port && ip -n "$1" link set lo up',
                self._plant,
                f"10.77.0.{2 - self.number % 2}/24",
            )

    def start(self, underlay: str) -> None:
        """Switch it on, and wait until it lets us in.

        Args:
            underlay: The world's bridge that its underlay is plugged into.
        """
        boot = f"/run/disks/{self.number}"
        script = (_HERE / "net_host_boot.sh").read_text()
        argv = ["unshare", "-p", "-m", "-n", "-u", "-i", "-C", "-f", "sh", "-c", script, "boot", boot, self.name]
        # What it says on stderr is that its first process was killed.
        self._process = subprocess.Popen(
            [*self.world.inside("-m", "-p"), *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=ENVIRONMENT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "apart\n", f"{self.name} did not start"
        (entered,) = children_of(self._process.pid)
        (self._first,) = children_of(entered)
        for index, (port, name, bridge) in enumerate(self._cables(underlay)):
            # Its cards are the same after every restart.
            card = f"02:00:00:00:{self.number:02x}:{index:02x}"
            inside = ("name", name, "netns", str(self._first), "address", card)
            self.world.captures("link", "add", port, "type", "veth", "peer", *inside)
            if bridge:
                self.world.captures("link", "set", port, "master", bridge, "up")
        if self.has_lan:
            lan = f"l{self.number}"
            self.world.run('ip link set "$1" netns "$2" && ip -n "$2" link set "$1" master port up', lan, self._plant)
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "up\n", f"{self.name} did not come up"

    def _cables(self, underlay: str) -> Iterator[tuple[str, str, str]]:
        yield f"m{self.number}", "mgmt0", "mgmt"
        yield f"u{self.number}", "eth1", underlay
        if self.has_lan:
            yield f"l{self.number}", "lan0", ""

    @property
    def _plant(self) -> str:
        return f"plant{self.number}"

    @property
    def is_on(self) -> bool:
        """Whether it has power."""
        return self._process is not None

    @property
    def boot(self) -> int:
        """Another number after each start."""
        return self._first

    def packet_socket(self) -> socket.socket:
        """Return a socket for whole frames of all its interfaces; no process of the host holds it."""
        return packet_socket(self._first)

    def power_off(self) -> None:
        """Take its power away: every process, /run and every interface is gone at once."""
        process, self._process = self._process, None
        if process is None:
            return
        subprocess.run(["kill", "-9", str(self._first)], check=False)
        process.wait(120)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        for port in (f"m{self.number}", f"u{self.number}"):
            with contextlib.suppress(AssertionError):
                self.world.captures("link", "del", port)
        if self.has_lan:
            with contextlib.suppress(AssertionError):
                self.world.run('ip -n "$2" link del "$1"', f"l{self.number}", self._plant)

    def plug(self, cable: str, *, is_in: bool) -> None:
        """Pull a cable or plug it in again: `m` management, `u` underlay."""
        self.world.captures("link", "set", f"{cable}{self.number}", "up" if is_in else "down")

    def enter(self) -> list[str]:
        """Return the words that run a program on it."""
        return ["nsenter", "-t", str(self._first), "-n", "-m", "-p", "-u", "-i", "--"]

    def run(self, script: str) -> str:
        """Run some shell on it, not over SSH, and return what it printed."""
        return ran([*self.enter(), "sh", "-ec", script])

    def in_plant(self, script: str) -> str:
        """Run some shell on the host in the network behind it."""
        return self.world.run('ip netns exec "$1" sh -ec "$2"', self._plant, script)

    def inspect(self) -> HostSnapshot:
        """Return its thorough snapshot."""
        mark = "f00dfeedf00dfeed"
        argv = [*self.enter(), "sh", "-s", "--", STATE_DIR, mark, SnapshotDepth.THOROUGH.value, ""]
        output = ran(argv, host_script("inspect.sh"))
        return parse_snapshot(parse_sections(output, mark), state_dir=STATE_DIR, depth=SnapshotDepth.THOROUGH)

    def known_hosts_line(self) -> str:
        """Return what a file of known hosts says of it."""
        return f"{self.address} {self.host_key}\n"


@dataclass
class NetPair:
    """Two hosts with an underlay of their own between them.

    Attributes:
        number: From 1 to 120.
        a: One host.
        b: The other one.
    """

    number: int
    a: NetHost
    b: NetHost

    @property
    def name(self) -> str:
        """Names by which Tunnelmark may call it."""
        return f"pair-{self.number}"

    @property
    def hosts(self) -> tuple[NetHost, NetHost]:
        """Both."""
        return self.a, self.b

    def host(self, side: Side) -> NetHost:
        """Return one."""
        return self.a if side is Side.A else self.b

    @property
    def underlay(self) -> str:
        """The world's bridge between them."""
        return f"between{self.number}"

    @property
    def addresses(self) -> tuple[str, str]:
        """Their underlay addresses."""
        return f"10.99.{self.number}.1", f"10.99.{self.number}.2"

    def power_on(self, side: Side) -> None:
        """Switch a host on."""
        self.host(side).start(self.underlay)


@dataclass
class NetHosts:
    """Pairs of hosts, and what it takes to log in to them.

    Attributes:
        world: Where they live.
        folder: For keys.
        pairs: The pairs.
    """

    world: World
    folder: Path
    pairs: list[NetPair] = field(default_factory=list)

    @property
    def key(self) -> Path:
        """The key that all of them let in."""
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """Their host keys."""
        return self.folder / "known_hosts"

    def spec(self, pair: NetPair) -> PairSpec:
        """Return how to reach a pair from within the world's network; its hosts are called as a lab's are."""
        a, b = (
            HostSpec(
                label=f"gateway-{side.value}",
                address=pair.host(side).address,
                user="root",
                auth=AuthKind.KEY,
                identity_file=str(self.key),
                host_key_file=str(self.known_hosts),
            )
            for side in Side
        )
        # As with a lab's, absolute figures of hosts that share this computer mean little.
        return PairSpec(pair.name, a, b, *pair.addresses, is_lab=True)

    def add(self, *, has_lan: bool = False) -> NetPair:
        """Add a pair and switch it on."""
        number = len(self.pairs) + 1
        a, b = (
            NetHost(self.world, 2 * number - 2 + last, kind, f"10.99.{number}.{last}/24", has_lan)
            for last, kind in ((1, "sysv"), (2, "busybox"))
        )
        pair = NetPair(number, a, b)
        self.world.captures("link", "add", pair.underlay, "type", "bridge")
        self.world.captures("link", "set", pair.underlay, "up")
        for host in pair.hosts:
            host.install(self.folder / host.name, self.key.with_suffix(".pub"))
            host.start(pair.underlay)
        with self.known_hosts.open("a") as file:
            file.write("".join(host.known_hosts_line() for host in pair.hosts))
        self.pairs.append(pair)
        return pair


@contextlib.contextmanager
def net_hosts(folder: Path, pairs: int = 1, *, has_lan: bool = False) -> Iterator[NetHosts]:
    """Give pairs of hosts; nothing of them is left afterwards.

    Args:
        folder: An empty folder for keys.
        pairs: How many.
        has_lan: Whether each host has a network behind it.
    """
    key = folder / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    with World() as world:
        hosts = NetHosts(world, folder)
        try:
            for _ in range(pairs):
                hosts.add(has_lan=has_lan)
            yield hosts
        finally:
            for pair in hosts.pairs:
                for host in pair.hosts:
                    host.power_off()
