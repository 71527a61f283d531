"""Another process that has hosts in use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.hosts import HostSpec

_PROGRAM = """
import sys
from pathlib import Path
from app.domain.hosts import HostSpec
from app.storage.in_use import InUse
folder, what, *places = sys.argv[1:]
hosts = [HostSpec(place, place.split()[0], int(place.split()[1])) for place in places]
with InUse(Path(folder)).hold(hosts, what):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(folder: Path, hosts: tuple[HostSpec, ...], what: str = "comparison 3") -> Iterator[subprocess.Popen[str]]:
    """Have another process hold hosts for the length of a `with` block, unless it is ended before."""
    places = [f"{host.address} {host.port or 22}" for host in hosts]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(folder), what, *places],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()
