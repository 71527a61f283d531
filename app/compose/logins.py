"""As whom Tunnelmark logs in to a host."""

from __future__ import annotations

from pathlib import Path

from app.domain.hosts import HostSpec
from app.ssh.targets import read_ssh_config, resolve


def login_user(spec: HostSpec) -> str:
    """Return the user that a connection would log in as, by what was stored and by ~/.ssh/config. Asks no host.

    Raises:
        InvalidFile, InvalidOption: The ssh configuration cannot be used.
    """
    return resolve(spec, read_ssh_config(Path.home() / ".ssh" / "config")).user
