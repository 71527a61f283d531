"""Addresses and users for logins to hosts, from what is stored and from ~/.ssh/config. No host is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.domain.errors import InputFault
from app.domain.hosts import HostSpec
from app.storage.in_use import given_endpoint

if TYPE_CHECKING:
    from app.ssh.targets import SshTarget


def login_user(spec: HostSpec) -> str:
    """Return the user that a connection would log in as.

    Raises:
        InvalidFile, InvalidOption: The ssh configuration cannot be used.
    """
    return _target(spec).user


def endpoint_of(spec: HostSpec) -> str:
    """Return address and port that a connection goes to, with the jump hosts before it.

    Where the ssh configuration cannot be used, which connecting reports, it is what was stored.
    """
    try:
        target = _target(spec)
    except InputFault:
        return given_endpoint(spec)
    endpoint = f"{target.address.lower()}:{target.port}"
    # Behind different jump hosts, the same private address is another host.
    return f"{endpoint} via {', '.join(target.way)}" if target.way else endpoint


def _target(spec: HostSpec) -> SshTarget:
    # Here, so that a command that only asks for locks does not load paramiko when it begins.
    from app.ssh.config_hosts import user_ssh_config
    from app.ssh.targets import read_ssh_config, resolve

    return resolve(spec, read_ssh_config(user_ssh_config()))
