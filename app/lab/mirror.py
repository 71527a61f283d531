"""Debian mirror of this computer, from which the lab's image is made."""

from __future__ import annotations

import os
import subprocess

from app.domain.errors import LabFault
from app.lab.messages import NO_APT, NO_ARCHIVE

MIRROR_VARIABLE = "TUNNELMARK_DEBIAN_MIRROR"
"""Environment variable that overrides what apt says, for computers whose apt knows no Debian mirror."""

_TIMEOUT_S = 60.0
_FORMAT = "$(ORIGIN)|$(LABEL)|$(REPO_URI)"


def find_mirror() -> str:
    """Return the address of a Debian archive with all releases.

    Returns:
        An address as in a sources.list.

    Raises:
        LabFault: apt is missing or names no Debian archive.
    """
    wanted = os.environ.get(MIRROR_VARIABLE, "")
    if wanted:
        return wanted
    mirror = parse_index_targets(_run_apt(["apt-get", "indextargets", "--format", _FORMAT]))
    if mirror is None:
        raise LabFault(NO_ARCHIVE(variable=MIRROR_VARIABLE))
    return mirror


def find_proxy() -> dict[str, str]:
    """Return the proxies that apt uses on this computer, by apt's name of the option."""
    found = {}
    for option in ("Acquire::http::Proxy", "Acquire::https::Proxy"):
        line = _run_apt(["apt-config", "shell", "value", option]).strip()
        if line.startswith("value='") and line.endswith("'"):
            found[option] = line.removeprefix("value='").removesuffix("'")
    return found


def parse_index_targets(output: str) -> str | None:
    """Find the Debian archive in apt's list of indexes.

    Args:
        output: What `apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)'` printed.
            Source: apt-get(8), "indextargets"; apt 2.6.

    Returns:
        The first address whose origin and label are Debian's, without a slash at its end; None if there is none.
    """
    for line in output.splitlines():
        fields = line.split("|")
        if len(fields) == 3 and fields[:2] == ["Debian", "Debian"]:
            return fields[2].rstrip("/")
    return None


def _run_apt(argv: list[str]) -> str:
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise LabFault(NO_APT(program=argv[0])) from error
    return done.stdout
