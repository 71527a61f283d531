"""Fields for faults: two hosts that may be broken, and a user's computer with Tunnelmark on it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from app.domain.hosts import Side
from app.host.snapshots import HostSnapshot
from support.net_desk import Desk, Ran, left_on
from support.net_hosts import NetHosts, NetPair
from support.underlay_attack import Outcome, UnderlayAttack

CLOCK_LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


class FaultDesk(Protocol):
    """A user's computer with Tunnelmark on it."""

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start Tunnelmark without a user at its terminal."""

    def tunnelmark(self, *words: str) -> Ran:
        """Run Tunnelmark."""


class FaultHost(Protocol):
    """A host that may be broken. What is done here does not go over the connections that are broken."""

    def run(self, script: str) -> str:
        """Run some shell as root and return what it printed."""

    def inspect(self) -> HostSnapshot:
        """Return its thorough snapshot."""

    def left(self) -> list[str]:
        """Return what is left of Tunnelmark on it."""

    def lose_power(self) -> None:
        """Switch it off, at once."""

    def regain_power(self) -> None:
        """Switch it on again, and wait until it lets us in."""

    def break_connections(self) -> None:
        """Break every SSH connection to it; new ones can be made."""

    def shut_out(self) -> Callable[[], None]:
        """Make it unreachable over SSH; return what ends that."""

    def cut_underlay(self) -> Callable[[], None]:
        """Interrupt its underlay; return what ends that."""

    def fill_disks(self) -> Callable[[], None]:
        """Leave no space where Tunnelmark writes; return what ends that."""

    def move_clock(self, seconds: int) -> Callable[[], None]:
        """Move its clock; return what puts it right again."""


class Intruder(Protocol):
    """An attacker on the underlay."""

    def stream(self) -> None:
        """Begin to send forged packets at both hosts, again and again."""

    def end_stream(self) -> None:
        """Stop that."""

    def forge(self) -> Outcome:
        """Send forged packets at both hosts; return what came of all that was forged until now."""

    def forge_and_replay(self) -> Outcome:
        """Send forged packets, and copied ones that were altered or are sent again, into a tunnel that is up."""


class Field(Protocol):
    """Two hosts and what is needed to deploy something on them."""

    @property
    def pair(self) -> str:
        """The name under which Tunnelmark knows the pair."""

    def host(self, side: Side) -> FaultHost:
        """Return one host."""

    def desk(self, folder: Path) -> FaultDesk:
        """Return another computer with Tunnelmark on it, which knows the pair."""

    def crosses(self) -> bool:
        """Return whether the networks behind the hosts reach each other."""

    def intruder(self) -> AbstractContextManager[Intruder]:
        """Return an attacker on the underlay of both hosts."""

    def broken(self) -> str:
        """Return which host has ended though it was not switched off here; empty if none has."""


class NoIntruder:
    """Implements `Intruder` where there is none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stream(self) -> None:
        pass

    def end_stream(self) -> None:
        pass

    def forge(self) -> Outcome:
        return Outcome(0, 0, ())

    def forge_and_replay(self) -> Outcome:
        return Outcome(0, 0, ())


_FILL = """
for place in /run /var; do
    dd if=/dev/zero of=$place/fill bs=64k 2> /dev/null || :
    dd if=/dev/zero of=$place/fill.more bs=512 2> /dev/null || :
done
"""
SESSIONS = """
for stat in /proc/[0-9]*/stat; do
    read -r pid name _ < "$stat" 2> /dev/null || continue
    case $name in '(sshd'*) ;; *) continue ;; esac
    if ! tr '\\0' ' ' < "/proc/$pid/cmdline" | grep -q -e listener -e '-D'; then kill -9 "$pid" 2> /dev/null || :; fi
done
"""


@dataclass
class NetFaultHost:
    """Implements `FaultHost` with a host made of namespaces."""

    pair: NetPair
    side: Side

    def run(self, script: str) -> str:
        return self.pair.host(self.side).run(script)

    def inspect(self) -> HostSnapshot:
        return self.pair.host(self.side).inspect()

    def left(self) -> list[str]:
        return left_on(self.pair.host(self.side))

    def lose_power(self) -> None:
        self.pair.host(self.side).power_off()

    def regain_power(self) -> None:
        self.pair.power_on(self.side)

    def break_connections(self) -> None:
        self.run(SESSIONS)

    def shut_out(self) -> Callable[[], None]:
        host = self.pair.host(self.side)
        host.plug("m", is_in=False)
        return lambda: host.plug("m", is_in=True)

    def cut_underlay(self) -> Callable[[], None]:
        host = self.pair.host(self.side)
        host.plug("u", is_in=False)
        return lambda: host.plug("u", is_in=True)

    def fill_disks(self) -> Callable[[], None]:
        self.run(_FILL)
        # Both folders were different before; only what is in them is compared.
        return lambda: void(self.run("rm -f /run/fill /run/fill.more /var/fill /var/fill.more"))

    def move_clock(self, seconds: int) -> Callable[[], None]:
        # Only programs that start from now on see it: the kernel has one clock for all hosts.
        self.run(f"echo '{seconds:+d}s' > /tmp/clock; echo {CLOCK_LIBRARY} > /tmp/preload")
        return lambda: void(self.run("rm -f /tmp/preload /tmp/clock"))


@dataclass
class NetField:
    """Implements `Field` with hosts made of namespaces."""

    hosts: NetHosts
    net_pair: NetPair
    _known: Path | None = field(default=None, init=False)

    @property
    def pair(self) -> str:
        return self.net_pair.name

    def host(self, side: Side) -> NetFaultHost:
        return NetFaultHost(self.net_pair, side)

    def desk(self, folder: Path) -> Desk:
        if self._known is None:
            # Storing the pair takes the program a second each time; it is copied from then on.
            self._known = self.hosts.folder / f"known-{self.pair}"
            Desk(self.hosts, self._known).know(self.net_pair)
        shutil.copytree(self._known, folder)
        return Desk(self.hosts, folder)

    def crosses(self) -> bool:
        # What was heard of the other side before is forgotten, as after some minutes.
        for host in self.net_pair.hosts:
            host.in_plant("ip neigh flush dev port")
        with contextlib.suppress(AssertionError):
            self.net_pair.a.in_plant("ping -c 3 -i 0.3 -W 2 10.77.0.2")
            return True
        return False

    def intruder(self) -> UnderlayAttack:
        return UnderlayAttack(self.hosts.world, self.net_pair)

    def broken(self) -> str:
        world = self.hosts.world.folder
        try:
            is_there = (world / "run/disks").is_dir()
        except OSError:
            is_there = False
        if not is_there:
            return "the world in which the hosts live has ended"
        gone = [host.name for host in self.net_pair.hosts if host._process and host._process.poll() is not None]
        return f"the first process of {' and '.join(gone)} has ended" if gone else ""


def void(_value: object) -> None:
    """Forget what something returned."""


Hosts = Mapping[Side, FaultHost]
