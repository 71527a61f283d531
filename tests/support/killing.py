"""A Tunnelmark of its own that is killed while it works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.link import STATE_DIR
from support.lab_deploy import Bench
from support.lab_sessions import sh
from support.pair_files import save_pair

ROOT = Path(__file__).parents[2]
DEPLOYED_LINKS = "standing"
# Those that the peer has closed and sshd has not read to the end yet are among them. Source: ss(8).
_CONNECTIONS = 'ss -Htn state established state close-wait "( sport = :${SSH_CONNECTION##* } )" | wc -l'
# As a renewal writes it, over what is there; again where a host is armed or renewed meanwhile. The folder is named in
# two parts, so that this command is not taken for one that works on a tunnel.
_FOLDER = Path(STATE_DIR)
_END_LEASE = (
    f"(cd {_FOLDER.parent} && cd {_FOLDER.name} && read -r now _ < /proc/uptime && "
    "printf '%-10d\\n' \"${now%.*}\" | dd of=lease conv=notrunc,nocreat) > /dev/null 2>&1"
)


def kill_tunnelmark(bench: Bench, folder: Path, stage: str, solution: str, lease_s: int) -> None:
    """Start building a tunnel, kill that process with -9 in a stage, and wait until both hosts have noticed.

    What it had sent when it was killed is begun on a host even afterwards.

    Args:
        bench: The hosts.
        folder: Where a file may be put.
        stage: Name of a stage, or `standing` once the tunnel is up.
        solution: What is built.
        lease_s: Lease: for how long a host waits until it rolls back, in seconds.

    Raises:
        AssertionError: It ended before that stage.
    """
    sessions = bench.sessions
    before = {host: _connections(host) for host in (sessions.a, sessions.b)}
    words = (str(save_pair(bench.pair, folder / "pair.json")), solution, str(lease_s), stage)
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "support" / "lab_deploy.py"), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
    ) as process:
        try:
            reported: list[str] = []
            for line in process.stdout or ():
                reported.append(line)
                if line.strip() == (DEPLOYED_LINKS if stage == DEPLOYED_LINKS else "staying"):
                    break
            else:
                raise AssertionError(f"it ended before {stage}: {''.join(reported)}")
        finally:
            process.send_signal(signal.SIGKILL)
    for host, count in before.items():
        CancelToken().wait_for(
            lambda host=host, count=count: _connections(host) <= count,
            timeout_s=240.0,
            what=f"sshd of {host.spec.label} to notice that the connection is gone",
            interval_s=0.1,
        )


def wait_until_back(sessions: SessionPair, *, timeout_s: float, ends_leases: bool = False) -> None:
    """Wait until both hosts have rolled back, and nothing that works on a tunnel is left running there.

    Args:
        sessions: The hosts.
        timeout_s: How long it may take, in seconds.
        ends_leases: Whether the end of both leases is moved to now. So they can be as long as a busy computer needs.
    """
    # Processes first: as long as one is there, the folder may still be made.
    # The brackets keep this very command from being found.
    place = STATE_DIR.replace("/run", "/ru[n]", 1)
    inspect = f"pgrep -f '^[^ ]*sh .*{place}' || ls -d {place}* 2> /dev/null || true"
    if ends_leases:
        inspect = f"{_END_LEASE}; {inspect}"
    for host in (sessions.a, sessions.b):
        CancelToken().wait_for(
            lambda host=host: sh(host, inspect) == "",
            timeout_s=timeout_s,
            what=f"{host.spec.label} to put itself back",
            interval_s=0.5,
        )


def _connections(host: HostSession) -> int:
    return int(sh(host, _CONNECTIONS))
