"""Entries of the history: comparisons, censuses and deployments, in the words that lists need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.conditions import AS_FOUND
from app.domain.errors import InvalidOption
from app.domain.messages.inputs import (
    CENSUS_NUMBER,
    COMPARISON_NUMBER,
    ENTRY_NUMBER_WRONG,
    NOTE_TOO_LONG,
    NOTE_WITH_CONTROL_CHARACTER,
)
from app.domain.plain_text import plain_text

LONGEST_NOTE = 1000
"""Characters of a note."""


class EntryKind(StrEnum):
    """Kind of an entry."""

    COMPARISON = "comparison"
    CENSUS = "census"
    DEPLOYMENT = "deployment"


@dataclass(frozen=True, slots=True)
class EntryId:
    """Stored measurement: a comparison or a census.

    Attributes:
        kind: COMPARISON or CENSUS.
        number: Its number in the database; both kinds count from 1.
    """

    kind: EntryKind
    number: int

    def __str__(self) -> str:
        return f"c{self.number}" if self.kind is EntryKind.CENSUS else str(self.number)

    @property
    def title(self) -> str:
        """Kind and number, for sentences."""
        form = CENSUS_NUMBER if self.kind is EntryKind.CENSUS else COMPARISON_NUMBER
        return form(number=str(self.number))

    @classmethod
    def parse(cls, text: str) -> EntryId:
        """Read `7` (a comparison) or `c3` (a census).

        Raises:
            InvalidOption: It is neither.
        """
        found = re.fullmatch(r"(c?)([1-9][0-9]{0,8})", text.strip(), re.ASCII)
        if found is None:
            raise InvalidOption(
                ENTRY_NUMBER_WRONG(text=plain_text(text)[:40]),
            )
        return cls(EntryKind.CENSUS if found[1] else EntryKind.COMPARISON, int(found[2]))


@dataclass(frozen=True, slots=True)
class Winner:
    """Recommended VPN of a comparison.

    Attributes:
        text: Its title; `none, because …` or `no clear winner, first: …` where none is recommended.
        solution: Its solution; empty where none is recommended.
        suite: Its suite.
        method: Version of the ranking that it comes from.
    """

    text: str
    solution: str = ""
    suite: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Line of the history.

    Attributes:
        kind: What it is.
        key: `7` for a comparison, `c3` for a census, the id for a deployment; no other entry has it.
        at: When it began, UTC.
        pair: Name of the pair.
        state: Word of its state: of a `CampaignStatus` or a `DeploymentState`; for a census `running`, `completed` or
            `interrupted`.
        profile: How thoroughly; empty for a deployment.
        planned: VPNs of a comparison, or options of a census.
        measured: Of these, measured at least once, or tried.
        failed: Of these, failed in every attempt.
        winner: Recommended VPN, or the one deployed; None for a census, and until a comparison has been ranked. Of a
            deployment that failed, `none, failed: …` without a solution.
        note: Note of the user; may have several lines.
        is_refused: Whether it is a deployment that failed before anything was changed.
        is_rolled_back: Whether it is a deployment that ended without confirmation.
        is_rotation: Whether it is a deployment that replaced the same one, so that only its keys are new.
        candidates: Titles of what a comparison was planned to measure; empty for others.
        condition: Name of the condition of the link that a comparison was made under; empty for others.
    """

    kind: EntryKind
    key: str
    at: datetime
    pair: str
    state: str
    profile: str = ""
    planned: int = 0
    measured: int = 0
    failed: int = 0
    winner: Winner | None = None
    note: str = ""
    is_refused: bool = False
    is_rolled_back: bool = False
    is_rotation: bool = False
    candidates: tuple[str, ...] = ()
    condition: str = ""

    @property
    def id(self) -> EntryId | None:
        """Number of the measurement; None for a deployment."""
        return None if self.kind is EntryKind.DEPLOYMENT else EntryId.parse(self.key)

    @property
    def is_running(self) -> bool:
        """Whether it is being measured now."""
        return self.state == "running"


def checked_note(text: str) -> str:
    """Return a note without space around it.

    Raises:
        InvalidOption: It is too long, or has characters in it that are not for reading.
    """
    note = text.replace("\r\n", "\n").strip()
    if plain_text(note) != note:
        bad = next(one for one in note if plain_text(one) != one)
        raise InvalidOption(
            NOTE_WITH_CONTROL_CHARACTER(character=ord(bad)),
        )
    if len(note) > LONGEST_NOTE:
        raise InvalidOption(NOTE_TOO_LONG(count=len(note), limit=LONGEST_NOTE))
    return note


def conditions_of(entries: Iterable[HistoryEntry]) -> tuple[str, ...]:
    """Return the names of the conditions that comparisons were made under, the link as found first."""
    return tuple(sorted({one.condition for one in entries if one.condition}, key=lambda name: (name != AS_FOUND, name)))


def under_condition(entries: Iterable[HistoryEntry], name: str) -> tuple[HistoryEntry, ...]:
    """Return the comparisons that were made under the condition of this name."""
    return tuple(one for one in entries if one.condition == name)
