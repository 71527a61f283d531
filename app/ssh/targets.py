"""Target of a connection: a host's spec together with ~/.ssh/config."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import paramiko
from paramiko.config import SSHConfigDict
from paramiko.ssh_exception import ConfigParseError, CouldNotCanonicalize

from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import HostSpec
from app.ssh.known_hosts import DEFAULT_PORT
from app.ssh.messages import (
    JUMP_CIRCLE,
    JUMP_HOST_FOR,
    JUMP_WRONG,
    PROXY_COMMAND,
    REVOKED_KEYS_SETTING_WRONG,
    SSH_CONFIG_NOT_APPLICABLE,
    SSH_CONFIG_PORT_WRONG,
    SSH_CONFIG_UNUSABLE,
    TOO_MANY_JUMPS,
)

MAX_JUMPS = 8


@dataclass(frozen=True, slots=True)
class SshTarget:
    """A host after ~/.ssh/config was asked.

    Attributes:
        spec: What was asked for.
        address: Host name or IP address.
        port: TCP port.
        user: User name.
        key_name: Name under which its key is looked up; the address unless HostKeyAlias says otherwise.
        key_port: Port that goes with `key_name`; 22 for an alias, which is complete.
        identity_files: Key files to try.
        is_identities_only: Whether the agent's other keys must not be tried.
        jumps: Hosts to go through, the nearest first.
        way: Names of the hosts that it is reached through, the nearest first; also those of a jump host itself.
        revoked_key_files: Files with keys that no host may show (RevokedHostKeys).
    """

    spec: HostSpec
    address: str
    port: int
    user: str
    key_name: str
    key_port: int
    identity_files: tuple[Path, ...] = ()
    is_identities_only: bool = False
    jumps: tuple[SshTarget, ...] = ()
    way: tuple[str, ...] = ()
    revoked_key_files: tuple[Path, ...] = ()

    @property
    def login(self) -> str:
        """Return `user@host:port`."""
        return f"{self.user}@{self.address}:{self.port}"

    @property
    def password_name(self) -> str:
        """Return the name under which the password is stored: the login, its key's alias and the way to the host.

        Where there is neither an alias nor a jump host, it is the login alone, as in every earlier version.
        """
        is_alias = (self.key_name, self.key_port) != (self.address, self.port)
        name = f"{self.login} as {self.key_name}" if is_alias else self.login
        return f"{name} via {', '.join(self.way)}" if self.way else name

    @property
    def named_address(self) -> str:
        """Return the address behind the host's name: `gateway-a (192.0.2.1)`; alone where it is the name."""
        return self.address if self.spec.label == self.address else f"{self.spec.label} ({self.address})"

    def __str__(self) -> str:
        return f"{self.spec.label} ({self.login})"


def read_ssh_config(file: Path) -> paramiko.SSHConfig:
    """Read a configuration of the user's ssh; one that is not there is empty.

    Raises:
        InvalidFile: It cannot be understood or read.
    """
    try:
        return paramiko.SSHConfig.from_path(str(file))
    except FileNotFoundError:
        return paramiko.SSHConfig()
    except (OSError, UnicodeDecodeError, ConfigParseError) as error:
        raise InvalidFile(SSH_CONFIG_UNUSABLE(file=file, reason=error)) from error


def resolve(spec: HostSpec, config: paramiko.SSHConfig) -> SshTarget:
    """Find out where a connection goes.

    Raises:
        InvalidOption: The configuration asks for something that Tunnelmark cannot do, or makes no sense.
    """
    return _resolve(spec, config, depth=0)


def _resolve(spec: HostSpec, config: paramiko.SSHConfig, depth: int) -> SshTarget:
    if depth > MAX_JUMPS:
        raise InvalidOption(JUMP_CIRCLE(number=MAX_JUMPS, host=spec.label))
    options = _lookup(config, spec)
    address = options.get("hostname", spec.address)
    files = [spec.identity_file] if spec.identity_file else []
    files += [name for name in options.get("identityfile", []) if name.lower() != "none"]
    port = spec.port or _port(options.get("port"), spec)
    target = SshTarget(
        spec=spec,
        address=address,
        port=port,
        user=spec.user or options.get("user") or getpass.getuser(),
        key_name=options.get("hostkeyalias", address),
        key_port=DEFAULT_PORT if "hostkeyalias" in options else port,
        identity_files=tuple(dict.fromkeys(Path(name).expanduser() for name in files)),
        is_identities_only=options.get("identitiesonly", "no").lower() == "yes",
        revoked_key_files=_revoked_key_files(options, spec),
    )
    jumps = _jumps(options, target, config, depth)
    return replace(target, jumps=jumps, way=_way(jumps))


def _revoked_key_files(options: SSHConfigDict, spec: HostSpec) -> tuple[Path, ...]:
    """Read RevokedHostKeys. Source: ssh_config(5) of OpenSSH 10; `none` is the default."""
    try:
        names = shlex.split(options.get("revokedhostkeys", "none"))
    except ValueError as error:
        raise InvalidOption(REVOKED_KEYS_SETTING_WRONG(host=spec.address, reason=error)) from error
    return tuple(Path(name).expanduser() for name in names if name.lower() != "none")


def _way(jumps: Sequence[SshTarget]) -> tuple[str, ...]:
    """Return the names of jump hosts without the ways to them: those come before."""
    return tuple(replace(hop, way=()).password_name for hop in jumps)


def _lookup(config: paramiko.SSHConfig, spec: HostSpec) -> SSHConfigDict:
    try:
        return config.lookup(spec.address)
    except (CouldNotCanonicalize, KeyError, ValueError) as error:
        raise InvalidOption(SSH_CONFIG_NOT_APPLICABLE(host=spec.address, reason=error)) from error


def _port(text: str | None, spec: HostSpec) -> int:
    if text is None:
        return DEFAULT_PORT
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise InvalidOption(SSH_CONFIG_PORT_WRONG(port=text, host=spec.address))
    return int(text)


def _jumps(options: SSHConfigDict, target: SshTarget, config: paramiko.SSHConfig, depth: int) -> tuple[SshTarget, ...]:
    jump = options.get("proxyjump")
    if jump is None or jump.lower() == "none":
        if jump is None and options.get("proxycommand"):
            raise InvalidOption(
                PROXY_COMMAND(host=target.spec.address),
            )
        return ()
    hops: list[SshTarget] = []
    for text in jump.split(","):
        hop = _resolve(_hop_spec(text.strip(), target.spec), config, depth + 1)
        # The first hop may itself be behind others; of the later ones, the hop before is the way to them.
        hops += [*hop.jumps, replace(hop, jumps=())] if not hops else [replace(hop, jumps=())]
    if len(hops) > MAX_JUMPS:
        raise InvalidOption(TOO_MANY_JUMPS(number=MAX_JUMPS, host=target.spec.label))
    return tuple(replace(hop, way=_way(hops[:number])) for number, hop in enumerate(hops))


def _hop_spec(text: str, spec: HostSpec) -> HostSpec:
    """Read `[user@]host[:port]` or `ssh://[user@]host[:port]`."""
    rest = text.removeprefix("ssh://").rstrip("/")
    user, at, host = rest.rpartition("@")
    address, port = host, None
    if host.startswith("["):
        address, _, tail = host[1:].partition("]")
        port = tail.removeprefix(":") or None
    elif host.count(":") == 1:
        address, _, port = host.partition(":")
    if not address or (port is not None and not port.isdecimal()):
        raise InvalidOption(JUMP_WRONG(jump=text, host=spec.label))
    return HostSpec(
        label=JUMP_HOST_FOR(address=address, host=spec.label),
        address=address,
        port=int(port) if port else None,
        user=user if at else None,
    )
