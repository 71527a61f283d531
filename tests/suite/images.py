"""Job that makes the practice lab's images, and boots and saves their machines, where that was not done before.

Without it the first test file would be charged with several minutes that are no fault of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

from app.domain.cancel import CancelToken
from app.domain.errors import TunnelmarkError
from app.lab import LabManager, LabProgress, LabSpec

PLATFORMS = "debian-11", "debian-13"
"""Platforms of the lab's A and B; the other labs of a run are made of the same images."""


def report(progress: LabProgress) -> None:
    """Print what is being done, for the job's log."""
    print(progress.text, flush=True)


def main() -> int:
    """Start a lab and stop it again; return the exit status."""
    if shutil.which("qemu-system-x86_64") is None:
        print("QEMU is missing: the tests on machines say what follows from it.")
        return 0
    with tempfile.TemporaryDirectory(prefix="tunnelmark-images-") as folder:
        manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=Path(folder))
        spec = LabSpec(f"images-{os.getpid()}", *PLATFORMS)
        try:
            manager.up(spec, token=CancelToken(), on_progress=report, is_owned=True)
        except TunnelmarkError as error:
            print(error, file=sys.stderr)
            return 1
        manager.down(spec.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
