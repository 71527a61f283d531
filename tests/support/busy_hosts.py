"""Load beside a measurement: on a gateway, or on the computer that runs the practice lab."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from app.domain.commands import HostSession
from support.lab_sessions import sh

# Ends with the test even if that is killed.
_BUSY_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""

_SPIKES = """
touch /run/spikes
setsid sh -c '
    while [ -e /run/spikes ]; do
        sleep 0.7
        timeout 0.05 sh -c "while :; do :; done"
    done
' < /dev/null > /dev/null 2>&1 &
"""


@contextmanager
def busy_computer() -> Iterator[None]:
    """Keep one CPU of this computer busy."""
    loop = subprocess.Popen([sys.executable, "-I", "-c", _BUSY_LOOP])
    try:
        yield
    finally:
        loop.kill()
        loop.wait()


@contextmanager
def spikes(host: HostSession) -> Iterator[None]:
    """Take the CPU of a gateway for 50 ms every 0.7 s."""
    sh(host, _SPIKES)
    try:
        yield
    finally:
        sh(host, "rm -f /run/spikes")
