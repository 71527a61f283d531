"""Settings, pairs and labs of the window's tests: kept in memory."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from sample_records import pair

from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import PairSpec
from app.domain.pairs import PairChoice, Saving
from app.domain.practice_labs import LabChoice, LabDetail
from app.domain.preferences import Preferences
from app.domain.profiles import ProfileName
from app.domain.progress import ProgressSink
from app.domain.ssh_hosts import SshHosts
from app.lab import check_lab_name
from app.measurement.pairs import PairOperations
from app.storage.messages import PAIR_GONE, UNKNOWN_PAIR

PRACTICE = LabDetail(
    "practice",
    "lab:practice",
    "debian-13, CPU with AES instructions",
    (True, True),
    False,
    (2201, 2202),
    "2026-03-04 09:00",
    "until it is stopped",
    is_detached=True,
)


@dataclass(kw_only=True)
class FakeDesk:
    """Implements SettingsServices, PairServices and LabServices.

    Attributes:
        stored: Stored pairs by name.
        active: Names of pairs with an active deployment.
        kept: What the user has set: one attempt of each candidate, so that tests know which comes next.
        up_labs: Running labs by name.
        uses: What uses a lab, by its name.
        started: Labs that were started, in order.
        lab_gate: Set when a start may end; tests clear it to inspect that moment.
    """

    stored: dict[str, PairSpec] = field(default_factory=lambda: {pair(is_lab=False).name: pair(is_lab=False)})
    active: set[str] = field(default_factory=set)
    kept: Preferences = field(default_factory=lambda: Preferences(ProfileName.QUICK))
    up_labs: dict[str, LabDetail] = field(default_factory=lambda: {PRACTICE.name: PRACTICE})
    uses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    started: list[LabChoice] = field(default_factory=list)
    lab_gate: threading.Event = field(default_factory=threading.Event)

    def _call(self, name: str) -> None:
        raise NotImplementedError

    def preferences(self) -> Preferences:
        self._call("preferences")
        return self.kept

    def save_preferences(self, preferences: Preferences) -> None:
        self._call("save_preferences")
        self.kept = preferences

    # --- pairs --------------------------------------------------------------------------------------------------------

    def pairs(self) -> tuple[PairChoice, ...]:
        self._call("pairs")
        return (PairChoice(pair(), "2026-03-04 09:30"), *(PairChoice(one, "") for one in self.stored.values()))

    def save_pair(self, pair: PairSpec, how: Saving) -> None:
        self._call("save_pair")
        _Book(self).save_pair(pair, how)

    def check_pair(self, pair: PairSpec, how: Saving) -> None:
        self._call("check_pair")
        _Book(self).check_pair(pair, how)

    def stored_pairs(self) -> tuple[PairSpec, ...]:
        self._call("stored_pairs")
        return tuple(self.stored[name] for name in sorted(self.stored))

    def rename_pair(self, old: str, new: str) -> None:
        self._call("rename_pair")
        _Book(self).rename_pair(old, new)

    def copy_pair(self, name: str, copy: str) -> PairSpec:
        self._call("copy_pair")
        return _Book(self).copy_pair(name, copy)

    def remove_pair(self, name: str) -> None:
        self._call("remove_pair")
        if name in self.active:
            raise InvalidOption(f"{name} cannot be removed: its deployment is confirmed.", hint="Remove that first.")
        del self.stored[name]

    def ssh_hosts(self, file: Path | None = None) -> SshHosts:
        self._call("ssh_hosts")
        return _Book(self).ssh_hosts(file)

    def import_pair(self, name: str, hosts: SshHosts, aliases: tuple[str, str], underlay: tuple[str, str]) -> PairSpec:
        self._call("import_pair")
        return _Book(self).import_pair(name, hosts, aliases, underlay)

    # --- labs ---------------------------------------------------------------------------------------------------------

    def lab_details(self) -> tuple[LabDetail, ...]:
        self._call("lab_details")
        return tuple(self.up_labs.values())

    def lab_uses(self, name: str) -> tuple[str, ...]:
        self._call("lab_uses")
        if name not in self.up_labs:
            raise NotFound(f"There is no lab named {name}.")
        return self.uses.get(name, ())

    def start_chosen_lab(self, choice: LabChoice, *, token: CancelToken, on_progress: ProgressSink) -> None:
        self._call("start_chosen_lab")
        check_lab_name(choice.name)
        on_progress("Booting both gateways", 0.5)
        while not self.lab_gate.wait(0.01):
            token.raise_if_cancelled()
        token.raise_if_cancelled()
        self.started.append(choice)
        lasts = "until it is stopped" if choice.is_detached else "until Tunnelmark is closed"
        self.up_labs[choice.name] = replace(
            PRACTICE, name=choice.name, pair_name=f"lab:{choice.name}", lasts=lasts, is_detached=choice.is_detached
        )

    def stop_lab(self, name: str, agreed: Collection[str]) -> tuple[str, ...]:
        self._call("stop_lab")
        if new := self._new_uses(name, agreed):
            return new
        del self.up_labs[name]
        return ()

    def _new_uses(self, name: str, agreed: Collection[str]) -> tuple[str, ...]:
        return tuple(use for use in self.uses.get(name, ()) if use not in agreed)

    def restart_lab(
        self, name: str, agreed: Collection[str], *, token: CancelToken, on_progress: ProgressSink
    ) -> tuple[str, ...]:
        self._call("restart_lab")
        if new := self._new_uses(name, agreed):
            return new
        lab = self.up_labs.pop(name)
        on_progress("Booting both gateways", 0.5)
        while not self.lab_gate.wait(0.01):
            token.raise_if_cancelled()
        self.up_labs[name] = lab
        return ()


class _Book(PairOperations):
    """The rules of the program on the pairs in memory."""

    def __init__(self, desk: FakeDesk) -> None:
        self.store = _Memory(desk.stored)  # type: ignore[assignment]


@dataclass
class _Memory:
    """As much of a store as pairs need."""

    stored: dict[str, PairSpec]

    def list_pairs(self) -> tuple[PairSpec, ...]:
        return tuple(self.stored.values())

    def get_pair(self, name: str) -> PairSpec:
        if name not in self.stored:
            raise NotFound(UNKNOWN_PAIR(name=name))
        return self.stored[name]

    def save_pair(self, pair: PairSpec, how: Saving) -> None:
        self.check_saving(pair, how)
        self.stored[pair.name] = pair

    def check_saving(self, pair: PairSpec, how: Saving) -> None:
        name = pair.name
        if how is Saving.ADD and name in self.stored:
            raise InvalidOption(f"{name!r} is the name of a pair.", hint="Choose another name.")
        if how is Saving.UPDATE and name not in self.stored:
            raise NotFound(PAIR_GONE(name=name))

    def rename_pair(self, old: str, new: str) -> None:
        if new in self.stored:
            raise InvalidOption(f"{new!r} is the name of a pair.", hint="Choose another name.")
        self.stored[new] = replace(self.stored.pop(old), name=new)
