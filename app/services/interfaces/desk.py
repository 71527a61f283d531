"""Interfaces of settings, pairs and practice labs, for the window's dialogs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.deployment import CONFIRM_WITHIN_S
from app.domain.hosts import PairSpec, Side
from app.domain.progress import ProgressSink
from app.domain.results import ProfileName
from app.domain.ssh_hosts import SshHosts


@dataclass(frozen=True, slots=True)
class Preferences:
    """Defaults that the user has set; what is chosen on a page or the command line comes first.

    Attributes:
        profile: How thoroughly a comparison measures.
        confirm_within_s: Time to confirm a deployment, in seconds, where the user confirms.
        language: Code of the window's language; empty follows the system.
    """

    profile: ProfileName = ProfileName.ADAPTIVE
    confirm_within_s: float = CONFIRM_WITHIN_S
    language: str = ""


@dataclass(frozen=True, slots=True)
class LabChoice:
    """A practice lab that is to be started.

    Attributes:
        name: Its name.
        platform_a: Platform of gateway A.
        platform_b: Platform of gateway B.
        has_aes: Whether the CPUs show AES instructions.
        is_hardened: Whether the gateways have closed firewalls and a sudo password.
        is_lasting: Whether it goes on when this program ends.
    """

    name: str
    platform_a: str
    platform_b: str
    has_aes: bool = True
    is_hardened: bool = False
    is_lasting: bool = False


@dataclass(frozen=True, slots=True)
class LabDetail:
    """A practice lab that runs.

    Attributes:
        name: Its name.
        pair_name: Name of its pair.
        kind: Platforms, CPU and logins, in words.
        is_up: Whether each of A and B runs.
        is_starting: Whether it has not come up yet.
        ports: SSH ports of A and B on 127.0.0.1.
        since: When it was started, local time.
        lasts: Until when it runs, in words.
        is_lasting: Whether it runs until it is stopped.
    """

    name: str
    pair_name: str
    kind: str
    is_up: tuple[bool, bool]
    is_starting: bool
    ports: tuple[int, int]
    since: str
    lasts: str
    is_lasting: bool = False

    def login(self, side: Side) -> str:
        """Return the command that logs in to a gateway."""
        return f"tunnelmark lab ssh {side.value.upper()} --name {self.name}"


class SettingsServices(Protocol):
    """Settings."""

    def preferences(self) -> Preferences:
        """Return the defaults that the user has set."""
        ...

    def save_preferences(self, preferences: Preferences) -> None:
        """Keep other defaults."""
        ...


class PairServices(Protocol):
    """Stored pairs."""

    def stored_pairs(self) -> tuple[PairSpec, ...]:
        """Return stored pairs by name; labs are not among them."""
        ...

    def rename_pair(self, old: str, new: str) -> None:
        """Rename a pair; its comparisons, censuses and deployments follow."""
        ...

    def copy_pair(self, name: str, copy: str) -> PairSpec:
        """Store a pair once more under another name, and return that."""
        ...

    def remove_pair(self, name: str) -> None:
        """Forget a pair; its comparisons, censuses and past deployments are kept."""
        ...

    def ssh_hosts(self, file: Path | None = None) -> SshHosts:
        """Return the hosts of a configuration of ssh; None means ~/.ssh/config."""
        ...

    def import_pair(self, name: str, hosts: SshHosts, aliases: tuple[str, str], underlay: tuple[str, str]) -> PairSpec:
        """Store a pair of two hosts of a configuration of ssh, and return it."""
        ...


class LabServices(Protocol):
    """Practice labs."""

    def lab_details(self) -> tuple[LabDetail, ...]:
        """Return running labs by name, those that are still starting included."""
        ...

    def lab_uses(self, name: str) -> tuple[str, ...]:
        """Return what uses a lab now, as sentences."""
        ...

    def start_chosen_lab(self, choice: LabChoice, *, token: CancelToken, on_progress: ProgressSink) -> None:
        """Start a lab; nothing is left of it where the start is cancelled."""
        ...

    def stop_lab(self, name: str, agreed: Collection[str]) -> tuple[str, ...]:
        """Stop a lab, unless something uses it besides the uses that were agreed to; return these."""
        ...

    def restart_lab(
        self, name: str, agreed: Collection[str], *, token: CancelToken, on_progress: ProgressSink
    ) -> tuple[str, ...]:
        """Stop a lab as `stop_lab` does, and start one of the same name and kind."""
        ...
