"""Hosts that a configuration of ssh names, as far as a pair can use them."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from app.domain.errors import InvalidOption
from app.domain.hosts import AuthKind, HostSpec
from app.domain.messages.inputs import HOST_NOT_IMPORTABLE, SSH_CONFIG_LACKS_HOST, SSH_CONFIG_WITHOUT_HOSTS


@dataclass(frozen=True, slots=True)
class SshHost:
    """A host of a configuration of ssh, with every option applied.

    Attributes:
        alias: Name after `Host`.
        address: Host name or IP address.
        user: User name.
        port: TCP port.
        identity_file: First key file; empty where none is named.
        jumps: Logins of the jump hosts, the nearest first.
        problem: Why it cannot be imported, as a sentence; empty where it can.
        note: Remark that does not prevent the import, as a sentence.
        spec: What a pair stores of it; None where it cannot be imported.
    """

    alias: str
    address: str = ""
    user: str = ""
    port: int = 22
    identity_file: str = ""
    jumps: tuple[str, ...] = ()
    problem: str = ""
    note: str = ""
    spec: HostSpec | None = None

    @property
    def underlay(self) -> str:
        """Return the address as a proposal for the underlay; empty where it is no IPv4 address."""
        try:
            return str(ipaddress.IPv4Address(self.address))
        except ValueError:
            return ""

    def importable(self) -> HostSpec:
        """Return what a pair stores of it.

        Raises:
            InvalidOption: It cannot be imported.
        """
        if self.spec is None:
            raise InvalidOption(HOST_NOT_IMPORTABLE(alias=self.alias, problem=self.problem))
        return self.spec


@dataclass(frozen=True, slots=True)
class SshHosts:
    """The hosts of a configuration of ssh.

    Attributes:
        file: Where they are from.
        hosts: By alias; patterns such as `*.example` are left out.
        notes: Sentences about what was left out.
    """

    file: str
    hosts: tuple[SshHost, ...]
    notes: tuple[str, ...] = ()

    def find(self, alias: str) -> SshHost:
        """Return a host.

        Raises:
            InvalidOption: There is none of that name.
        """
        for host in self.hosts:
            if host.alias == alias:
                return host
        known = ", ".join(host.alias for host in self.hosts)
        if not known:
            raise InvalidOption(SSH_CONFIG_WITHOUT_HOSTS(file=self.file, alias=alias))
        raise InvalidOption(SSH_CONFIG_LACKS_HOST(file=self.file, alias=alias, known=known))


def explicit_spec(alias: str, address: str, user: str, port: int, identity_file: str) -> HostSpec:
    """Return a host with every value written out, because no configuration is asked for it later."""
    return HostSpec(
        label=alias,
        address=address,
        port=port,
        user=user,
        auth=AuthKind.KEY if identity_file else AuthKind.AUTO,
        identity_file=identity_file or None,
    )
