"""A small world of its own on this computer, made of namespaces, in which hosts live (see `net_hosts`).

Everything in it (processes, network, mounts, the hosts' disks) belongs to one process, its first. That one ends when
its maker ends, in whatever way, and the kernel then removes everything else: nothing has a name outside.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

NETWORK = "10.98.255.254/16"
"""The address of who manages the hosts, in the network that joins all of them with him."""
_PROGRAMS = (
    *("unshare", "nsenter", "ip", "ping", "nft", "iptables", "openssl", "sudo", "doas"),
    *("ssh-keygen", "/usr/sbin/sshd", "openvpn", "tincd", "fastd", "tcpdump", "iperf3"),
)

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
"""Environment of programs in the world; nothing of its maker's."""

# It lives as long as its stdin is open.
_FIRST = f"""
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir /run/netns /run/disks
ip link set lo up
ip link add mgmt address 02:00:00:00:ff:fe type bridge
ip addr add {NETWORK} dev mgmt
ip link set mgmt up
echo ready
cat > /dev/null
"""


def why_not() -> str:
    """Return why there can be no such world here; empty if there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "network namespaces need root"
    missing = [Path(name).name for name in _PROGRAMS if not shutil.which(name)]
    if missing:
        return f"{' and '.join(missing)} missing"
    script = (
        "mount --make-rprivate / && mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w && "
        "mount -t overlay o -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w /usr && ip tuntap add dev x mode tap && "
        "ip link add name tm0 type bridge"
    )
    argv = ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "sh", "-c", script]
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else f"namespaces cannot be used here: {ran.stderr.strip()}"


def children_of(process: int) -> list[int]:
    """Return the processes that another one has started. Source: proc_pid_stat(5), field 4."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(") ")[2].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            found.append(int(folder.name))
    return found


class World:
    """The world; use it in a `with` statement."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._first = 0

    def __enter__(self) -> Self:
        argv = ["unshare", "-p", "-m", "-n", "-f", "--kill-child", "--mount-proc", "sh", "-c", _FIRST]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
        )
        assert self._process.stdout is not None
        reported = self._process.stdout.readline()
        if reported != "ready\n":
            raise AssertionError("the world did not begin")
        (self._first,) = children_of(self._process.pid)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(120)
        self._process.stdout.close()

    @property
    def folder(self) -> Path:
        """Its root folder, as it can be read from outside."""
        return Path(f"/proc/{self._first}/root")

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Put the calling thread, and whatever it starts meanwhile, on its network for the length of a block."""
        with Path("/proc/thread-self/ns/net").open() as own, Path(f"/proc/{self._first}/ns/net").open() as theirs:
            _change_network(theirs.fileno())
            # Tunnelmark tells computers apart by a card's address too, for which a process asks its network only once:
            # this one has to say the same as those that it starts here.
            before = uuid._node  # type: ignore[attr-defined]
            uuid._node = int(ran([sys.executable, "-c", "import uuid; print(uuid.getnode())"]))  # type: ignore[attr-defined]
            try:
                yield
            finally:
                uuid._node = before  # type: ignore[attr-defined]
                _change_network(own.fileno())

    def inside(self, *options: str) -> list[str]:
        """Return the words that run a program in it. `-n`: its network, `-m`: its files, `-p`: as one of its own."""
        return ["nsenter", "-t", str(self._first), *options, "--"]

    def run(self, script: str, *words: str) -> str:
        """Run a line of shell in it, and return what it printed."""
        return ran([*self.inside("-n", "-m", "-p"), "sh", "-ec", script, "world", *words])

    def captures(self, *words: str) -> None:
        """Run `ip` on its network, where processes have the numbers that they have outside."""
        ran([*self.inside("-n"), "ip", *words])

    def packet_socket(self) -> socket.socket:
        """Return a socket for whole frames on its network."""
        return packet_socket(self._first)

    def start(self, words: Sequence[str], environment: Mapping[str, str], folder: Path) -> subprocess.Popen[str]:
        """Start a program of this computer on its network; it ends when the thread that started it ends."""
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *self.inside("-n"), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, **environment},
        )


def packet_socket(process: int) -> socket.socket:
    """Return a socket for whole frames on the network of a process; its holder may be on any other one.

    Raises:
        OSError: There is no such process.
    """
    made: list[socket.socket] = []
    with Path(f"/proc/{process}/ns/net").open() as theirs:

        def make() -> None:
            _change_network(theirs.fileno())
            made.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)))  # ETH_P_ALL

        # Only this thread moves there.
        thread = threading.Thread(target=make, name="packet-socket")
        thread.start()
        thread.join()
    return made[0]


def _change_network(descriptor: int) -> None:
    """Move the calling thread to another network namespace. Source: setns(2); only the thread moves."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, 0x40000000) != 0:  # CLONE_NEWNET
        raise OSError(ctypes.get_errno(), "setns")


def ran(argv: Sequence[str], text: str = "") -> str:
    """Run a program and return what it printed.

    Raises:
        AssertionError: It failed.
    """
    done = subprocess.run(argv, input=text, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(argv)[:300]}: {done.returncode}: {done.stderr.strip()}")
    return done.stdout
