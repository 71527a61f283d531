"""Tunnelmark as its users start it, on the network of hosts made of namespaces."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import DeadlineExceeded
from support.net_hosts import NetHost, NetHosts, NetPair
from support.net_world import why_not
from support.waiting import PATIENCE_S

PROGRAM = Path(sys.executable).parent / "tunnelmark"
_ROOT = Path(__file__).parents[2]
LEFT = "ls -d /run/tunnelmark* /etc/tunnelmark /etc/init.d/*tunnelmark* /etc/rc?.d/*tunnelmark* 2> /dev/null || :"


def need_namespaces() -> None:
    """Skip the test where there can be no hosts made of namespaces."""
    reason = why_not()
    if reason:
        pytest.skip(reason)


@dataclass(frozen=True)
class Ran:
    """Outcome of a run of the program.

    Attributes:
        status: Its exit status.
        out: What it printed.
        err: What it printed on stderr.
        seconds: How long it took.
    """

    status: int
    out: str
    err: str
    seconds: float


@dataclass
class Desk:
    """A user's computer with Tunnelmark on it.

    Attributes:
        hosts: What it manages.
        folder: What Tunnelmark keeps; it is made where it is not there.
    """

    hosts: NetHosts
    folder: Path
    _environment: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._environment = {
            "HOME": str(self.folder),
            "TUNNELMARK_HOME": str(self.folder / "tunnelmark"),
            # Not what the environment's installation points to, which in another worktree is other code.
            "PYTHONPATH": str(_ROOT),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start Tunnelmark without a user at its terminal."""
        return self.hosts.world.start([str(PROGRAM), *words], self._environment, self.folder)

    def tunnelmark(self, *words: str) -> Ran:
        """Run Tunnelmark."""
        began_s = time.monotonic()
        with self.start(*words) as process:
            out, err = process.communicate()
        return Ran(process.returncode, out, err, time.monotonic() - began_s)

    def know(self, pair: NetPair) -> None:
        """Store a pair.

        Raises:
            AssertionError: It could not be stored.
        """
        a, b = (f"root@{host.address}" for host in pair.hosts)
        keys = ("--identity", str(self.hosts.key), "--host-key-file", str(self.hosts.known_hosts))
        words = ("--a", a, "--b", b, "--underlay", ",".join(pair.addresses), *keys)
        done = self.tunnelmark("pair", "add", pair.name, *words)
        assert done.status == 0, done.err


def wait_until_nothing_is_left(hosts: Iterable[NetHost], *, timeout_s: float = PATIENCE_S) -> None:
    """Wait until nothing of Tunnelmark is left on hosts; what was cancelled there may still be ending."""
    all_hosts = list(hosts)

    def is_clean() -> bool:
        return not any(left_on(host) for host in all_hosts)

    try:
        CancelToken().wait_for(is_clean, timeout_s=timeout_s, what="hosts with nothing left on them")
    except DeadlineExceeded as error:
        raise AssertionError(f"left: {[left_on(host) for host in all_hosts]}") from error


def left_on(host: NetHost) -> list[str]:
    """Return what is left of Tunnelmark on a host: files, interfaces, processes."""
    found = host.run(LEFT).split()
    links = [name for name in host.run("ls /sys/class/net").split() if name not in ("lo", "mgmt0", "eth1", "lan0")]
    processes = host.run("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ^TUNNELMARK_ || :").split()
    return [*found, *links, *processes]
