"""The shell script that installs packages on a host without letting a daemon start by itself."""

from __future__ import annotations

from app.domain.adapters import shell_step_argv
from app.domain.script_files import bare_script

STOPPED_PREFIX = "tunnelmark-stopped: "
"""Begins a line of the script's output for each service that the packages had enabled."""

_SCRIPT = bare_script("discovery/install-packages.sh")


def guarded_argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return argv that runs a package manager so that nothing it brings starts by itself.

    Args:
        argv: The package manager with its arguments.
    """
    return shell_step_argv(_SCRIPT, *argv)
