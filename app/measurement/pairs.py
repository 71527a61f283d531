"""Pairs: found by name, saved, renamed, copied, removed, and made of hosts of a configuration of ssh."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import HostSpec, PairSpec
from app.domain.messages import sentences
from app.domain.pair_names import LAB_PREFIX, check_pair_name
from app.domain.pairs import PairChoice, Saving, check_pair
from app.domain.progress import ProgressSink
from app.domain.ssh_hosts import SshHosts
from app.lab.practice_labs import Labs
from app.measurement.firewalls import FirewallConsents
from app.measurement.messages import LAST_MEASURED, RUNNING_LABS, SAME_HOST_TWICE
from app.storage import Store


class PairOperations:
    """Implements what `app.services.interfaces` says of pairs.

    Attributes:
        store: Where pairs are kept.
        lab_service: Practice labs.
        firewall_consents: Which firewalls may be opened.
    """

    store: Store
    lab_service: Labs
    firewall_consents: FirewallConsents

    # --- pairs by name ------------------------------------------------------------------------------------------------

    def pairs(self) -> tuple[PairChoice, ...]:
        """Return stored pairs and running labs."""
        labs = map(self.firewall_consents.apply, self.lab_service.pairs())
        pairs = [*labs, *self.store.list_pairs()]
        return tuple(PairChoice(pair, self._last_measured(pair.name)) for pair in pairs)

    def _last_measured(self, pair_name: str) -> str:
        latest = next(iter(self.store.list_campaigns(pair_name, limit=1)), None)
        if latest is None:
            return ""
        return LAST_MEASURED(at=f"{latest.started_at.astimezone():%Y-%m-%d %H:%M}", status=latest.status.value)

    def resolve_pair(self, name: str, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Return the pair of that name: a stored one, `lab:NAME`, or `lab:PLATFORM`, which is started if none is up."""
        if name.startswith(LAB_PREFIX):
            found = self.lab_service.pair(name.removeprefix(LAB_PREFIX), token=token, on_progress=on_progress)
            return self.firewall_consents.apply(found)
        return self._stored_pair(name)

    def known_pair(self, name: str) -> PairSpec:
        """Return the pair of that name: a stored one, or that of a running lab, `lab:NAME` or `lab:PLATFORM`."""
        if name.startswith(LAB_PREFIX):
            return self.firewall_consents.apply(self.lab_service.running_pair(name.removeprefix(LAB_PREFIX)))
        return self._stored_pair(name)

    def _stored_pair(self, name: str) -> PairSpec:
        """Return a stored pair; where there is none of that name, labs that run would do as well."""
        try:
            return self.store.get_pair(name)
        except NotFound as error:
            labs = [pair.name for pair in self.lab_service.pairs()]
            if not labs:
                raise
            raise NotFound(error.message, hint=sentences((error.hint, RUNNING_LABS(pairs=labs)))) from error

    def allow_opening_firewalls(self, pair: PairSpec, *, may_open: bool) -> PairSpec:
        """Remember whether the firewalls of a pair may be opened for tunnels; return the pair with the answer."""
        return self.firewall_consents.change(pair, may_open=may_open)

    # --- stored pairs -------------------------------------------------------------------------------------------------

    def save_pair(self, pair: PairSpec, how: Saving) -> None:
        """Store a pair.

        Raises:
            NotFound: It is to be changed, and was renamed or removed meanwhile.
            InvalidOption: The pair cannot be used, or the name of a new one is not allowed or taken.
        """
        self.check_pair(pair, how)
        self.store.save_pair(pair, how)

    def check_pair(self, pair: PairSpec, how: Saving) -> None:
        """Refuse what `save_pair` would refuse, before any login; raises the same errors."""
        if how is not Saving.UPDATE:  # a pair of an earlier version keeps its name
            check_pair_name(pair.name)
        check_pair(pair)
        self.store.check_saving(pair, how)

    def stored_pairs(self) -> tuple[PairSpec, ...]:
        """Return stored pairs by name; labs are not among them."""
        return self.store.list_pairs()

    def hosts_of_stored(self, name: str) -> tuple[HostSpec, ...]:
        """Return the hosts, and nodes, of a stored pair; none where there is no pair of that name."""
        return next((one.hosts for one in self.stored_pairs() if one.name == name), ())

    def hosts_replaced_by(self, pair: PairSpec) -> tuple[HostSpec, ...]:
        """Return the hosts, and nodes, of the stored pair that has other machines than a pair of the same name."""
        former = next((one for one in self.stored_pairs() if one.name == pair.name), pair)
        return () if former.machines == pair.machines else former.hosts

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
        pair = replace(self.store.get_pair(name), name=copy)
        self.save_pair(pair, Saving.ADD)
        return pair

    def remove_pair(self, name: str) -> None:
        """Remove a pair; its comparisons, censuses and past deployments are kept.

        Raises:
            NotFound: There is no such pair.
            InvalidOption: A deployment of it is active or being made, or it is being measured.
        """
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
            hosts: What `ssh_hosts` returned.
            aliases: Which host is A, which is B.
            underlay: IPv4 addresses of A and B on the path between the two.

        Raises:
            InvalidOption: The name is not allowed or taken, an address is wrong, or a host cannot be imported.
        """
        check_pair_name(name)
        a, b = (hosts.find(alias).importable() for alias in aliases)
        if aliases[0] == aliases[1]:
            raise InvalidOption(SAME_HOST_TWICE(alias=aliases[0]))
        pair = PairSpec(name, a, b, *underlay)
        self.save_pair(pair, Saving.ADD)
        return pair
