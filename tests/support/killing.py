"""A Tunnelmark of its own that is killed while it works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from app.domain.hosts import PairSpec
from support.pair_files import save_pair

ROOT = Path(__file__).parents[2]
STANDING = "standing"


def kill_tunnelmark(pair: PairSpec, folder: Path, stage: str, solution: str, lease_s: int) -> None:
    """Start building a tunnel, and kill that process with -9 in a stage.

    Args:
        pair: The hosts.
        folder: Where a file may be put.
        stage: Name of a stage, or `standing` once the tunnel stands.
        solution: What is built.
        lease_s: For how long a host waits until it puts itself back, in seconds.

    Raises:
        AssertionError: It ended before that stage.
    """
    words = (str(save_pair(pair, folder / "pair.json")), solution, str(lease_s), stage)
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "support" / "lab_deploy.py"), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
    ) as process:
        try:
            said: list[str] = []
            for line in process.stdout or ():
                said.append(line)
                if line.strip() == (STANDING if stage == STANDING else "staying"):
                    break
            else:
                raise AssertionError(f"it ended before {stage}: {''.join(said)}")
        finally:
            process.send_signal(signal.SIGKILL)
