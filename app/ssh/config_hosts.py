"""Hosts in a configuration of ssh, read for an import into pairs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import paramiko

from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import HostSpec
from app.domain.ssh_hosts import SshHost, SshHosts, explicit_spec
from app.ssh.messages import (
    HOST_NAME_WRONG,
    INCLUDES_NOT_READ,
    KEY_FILE_MISSING,
    SSH_CONFIG_MISSING,
    SSH_CONFIG_NO_FILE,
    SSH_CONFIG_NO_TEXT,
    SSH_CONFIG_TOO_LARGE,
    SSH_CONFIG_UNREADABLE,
    SSH_CONFIG_WRONG,
    WORKS_FROM_SSH_CONFIG_ONLY,
)
from app.ssh.targets import SshTarget, read_ssh_config, resolve

_LARGEST_BYTES = 1 << 20
_PATTERN = frozenset("*?!")
"""Characters that make a `Host` word a pattern. Source: ssh_config(5), PATTERNS."""


def user_ssh_config() -> Path:
    """Return the file that connections follow."""
    return Path.home() / ".ssh" / "config"


def read_ssh_hosts(file: Path) -> SshHosts:
    """Read the hosts of a configuration of ssh.

    A host of ~/.ssh/config is imported under its alias, so that connections go on following that file, jump hosts
    included. A host of any other file is imported with its values, because that file is not read again.

    Raises:
        InvalidFile: The file is missing, or cannot be read or understood.
    """
    file = file.expanduser().absolute()
    text = _text(file)
    config = read_ssh_config(file)
    is_followed = file.resolve() == user_ssh_config().resolve()
    aliases = sorted({name for name in _names(text) if not _PATTERN & set(name)})
    words = (line.split(maxsplit=1)[0].partition("=")[0].lower() for line in text.splitlines() if line.strip())
    notes = (INCLUDES_NOT_READ(),) if "include" in words else ()
    return SshHosts(str(file), tuple(_host(name, config, is_followed=is_followed) for name in aliases), notes)


def _names(text: str) -> Iterator[str]:
    """Give what follows Host, patterns included. paramiko lists none where there is a Match."""
    for line in text.splitlines():
        found = re.fullmatch(r"\s*host(?:\s+|\s*=\s*)(.*)", line, re.IGNORECASE)
        if found is None:
            continue
        with suppress(ValueError):  # a quotation that does not end; ssh refuses the file
            yield from shlex.split(found[1], comments=True)


def _text(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():
            raise InvalidFile(SSH_CONFIG_NO_FILE(file=file))
        with file.open("rb") as stream:
            data = stream.read(_LARGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise InvalidFile(SSH_CONFIG_MISSING(file=file)) from error
    except OSError as error:
        raise InvalidFile(SSH_CONFIG_UNREADABLE(file=file, reason=error.strerror)) from error
    if len(data) > _LARGEST_BYTES:
        raise InvalidFile(SSH_CONFIG_TOO_LARGE(file=file))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidFile(SSH_CONFIG_NO_TEXT(file=file)) from error
    if "\0" in text or text.startswith("-----BEGIN"):
        raise InvalidFile(SSH_CONFIG_WRONG(file=file))
    return text


def _host(alias: str, config: paramiko.SSHConfig, *, is_followed: bool) -> SshHost:
    if not alias.isprintable() or alias.startswith("-"):
        return SshHost(alias, problem=HOST_NAME_WRONG())
    try:
        target = resolve(HostSpec(label=alias, address=alias), config)
    except InvalidOption as error:
        return SshHost(alias, problem=error.sentence())
    identity = next((str(one) for one in target.identity_files if one.is_file()), "")
    named = next((str(one) for one in target.identity_files), "")
    note = KEY_FILE_MISSING(file=named) if named and not identity else ""
    problem = "" if is_followed else _problem_elsewhere(target)
    spec = HostSpec(label=alias, address=alias)
    if not is_followed:
        spec = explicit_spec(alias, target.address, target.user, target.port, identity)
    return SshHost(
        alias=alias,
        address=target.address,
        user=target.user,
        port=target.port,
        identity_file=identity or named,
        jumps=tuple(hop.login for hop in target.jumps),
        problem=problem,
        note=note,
        spec=None if problem else spec,
    )


def _problem_elsewhere(target: SshTarget) -> str:
    """Return what a pair cannot store of a host, so that it only works out of the file that connections follow."""
    lost = "ProxyJump" if target.jumps else ""
    lost = lost or ("HostKeyAlias" if target.key_name != target.address else "")
    lost = lost or ("RevokedHostKeys" if target.revoked_key_files else "")
    return WORKS_FROM_SSH_CONFIG_ONLY(setting=lost) if lost else ""
