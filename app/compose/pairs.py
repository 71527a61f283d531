"""Stored pairs: saved, renamed, copied, removed, and made of hosts of a configuration of ssh."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path

from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec
from app.domain.pair_names import check_pair_name
from app.domain.ssh_hosts import SshHosts
from app.storage import Store

_ALL = 1_000_000


class PairOperations:
    """Implements `app.wizard.desk_ports.PairServices`.

    Attributes:
        store: Where pairs are kept.
    """

    store: Store

    def save_pair(self, pair: PairSpec) -> None:
        """Store a pair, in place of one of the same name.

        Raises:
            InvalidOption: The name is not allowed. One that an earlier version stored is.
        """
        if not any(one.name == pair.name for one in self.store.list_pairs()):
            check_pair_name(pair.name)
        self.store.save_pair(pair)

    def stored_pairs(self) -> tuple[PairSpec, ...]:
        """Return stored pairs by name; labs are not among them."""
        return self.store.list_pairs()

    def rename_pair(self, old: str, new: str) -> None:
        """Rename a pair; its comparisons, censuses and deployments follow.

        Raises:
            NotFound: There is no pair of the old name.
            InvalidOption: The new name is not allowed or taken, or the pair is being measured.
        """
        check_pair_name(new)
        if old == new:
            return
        self.store.rename_pair(old, new)

    def copy_pair(self, name: str, copy: str) -> PairSpec:
        """Store a pair once more under another name, without its comparisons; return the copy.

        Raises:
            NotFound: There is no such pair.
            InvalidOption: The new name is not allowed or taken.
        """
        pair = self.store.get_pair(name)
        self.add_pair(replace(pair, name=copy))
        return self.store.get_pair(copy)

    def add_pair(self, pair: PairSpec) -> None:
        """Store a pair under a name that no pair has.

        Raises:
            InvalidOption: The name is not allowed or taken.
        """
        check_pair_name(pair.name)
        if any(one.name == pair.name for one in self.store.list_pairs()):
            raise InvalidOption(f"{pair.name!r} is the name of a pair.", hint="Choose another name.")
        self.store.save_pair(pair)

    def remove_pair(self, name: str) -> None:
        """Forget a pair; its comparisons, censuses and past deployments stay.

        Raises:
            NotFound: There is no such pair.
            InvalidOption: A deployment of it is active, or it is being measured.
        """
        self.store.get_pair(name)
        active = next((one for one in self.store.list_deployments(name, _ALL) if one.state.is_standing), None)
        if active is not None:
            raise InvalidOption(
                f"{name} cannot be removed: its deployment {active.id[:8]} ({active.title}) is {active.state.value}.",
                hint=f"Remove the deployment first: tunnelmark undeploy {name}",
            )
        self.store.delete_pair(name)

    def ssh_hosts(self, file: Path | None = None) -> SshHosts:
        """Return the hosts of a configuration of ssh; None means ~/.ssh/config.

        Raises:
            InvalidFile: It is missing, or cannot be read or understood.
        """
        from app.ssh.config_hosts import read_ssh_hosts, user_ssh_config

        return read_ssh_hosts(file or user_ssh_config())

    def import_pair(self, name: str, hosts: SshHosts, aliases: tuple[str, str], underlay: tuple[str, str]) -> PairSpec:
        """Store a pair of two hosts of a configuration of ssh, and return it.

        Args:
            name: The pair's name.
            hosts: What `ssh_hosts` returned.
            aliases: Which host is A, which is B.
            underlay: IPv4 addresses of A and B on the path between the two.

        Raises:
            InvalidOption: The name is not allowed or taken, an address is wrong, or a host cannot be imported.
        """
        check_pair_name(name)
        a, b = (hosts.find(alias).importable() for alias in aliases)
        if aliases[0] == aliases[1]:
            raise InvalidOption(f"{aliases[0]} is named for A and for B.", hint="Choose two different hosts.")
        for alias, address in zip(aliases, underlay, strict=True):
            _check_ipv4(alias, address)
        if underlay[0] == underlay[1]:
            raise InvalidOption(
                "Both hosts have the same underlay address.", hint="Enter the address of each host itself."
            )
        pair = PairSpec(name, a, b, *underlay)
        self.add_pair(pair)
        return pair


def _check_ipv4(alias: str, address: str) -> None:
    try:
        IPv4Address(address)
    except ValueError as error:
        raise InvalidOption(
            f"The underlay address of {alias} is no IPv4 address: {address!r}.",
            hint="It is the address under which the other host reaches this one.",
        ) from error
