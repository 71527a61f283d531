"""Two hosts made of namespaces, logged in to and inspected, as tests of single tunnels use them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from support.lab_deploy import Bench, find_out
from support.lab_sessions import connected
from support.net_hosts import NetPair, net_hosts


@dataclass(frozen=True)
class NetBench(Bench):
    """A pair of hosts made of namespaces, with connections to it and what was found on it.

    Attributes:
        hosts: The hosts, as seen from their consoles.
        folder: An empty folder.
    """

    any_solution: ClassVar[str] = "openvpn-udp"

    hosts: NetPair
    folder: Path


@contextmanager
def net_bench(folder: Path) -> Iterator[NetBench]:
    """Make two hosts; for the length of a block the calling thread, and what it starts, is on their network.

    Args:
        folder: An empty folder, for keys and for what connections keep.
    """
    for name in ("hosts", "ssh", "free"):
        (folder / name).mkdir()
    with net_hosts(folder / "hosts") as made, made.world.entered():
        pair = made.spec(made.pairs[0])
        with connected(pair, folder / "ssh") as sessions:
            yield NetBench(pair, sessions, find_out(sessions), made.pairs[0], folder / "free")
