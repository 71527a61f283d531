"""Interfaces of settings, pairs and practice labs, for the window's dialogs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.practice_labs import LabChoice, LabDetail
from app.domain.preferences import Preferences
from app.domain.progress import ProgressSink
from app.domain.ssh_hosts import SshHosts


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
        """Remove a pair; its comparisons, censuses and past deployments are kept."""
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
