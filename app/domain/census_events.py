"""What a census tells while it runs. Frozen, so that it can cross threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.domain.census import CensusItem, CensusPlan, OptionResult
from app.domain.events import LogLine, Progress, UnderlayChanged


@dataclass(frozen=True, slots=True)
class CensusStarted:
    """A census begins (or goes on, where `done` is not empty)."""

    census_id: int
    plan: CensusPlan
    done: tuple[OptionResult, ...]


@dataclass(frozen=True, slots=True)
class OptionStarted:
    """An option begins to be tried."""

    item: CensusItem


@dataclass(frozen=True, slots=True)
class OptionEnded:
    """An option was tried; its result is stored already. A later one for the same item takes its place."""

    item: CensusItem
    result: OptionResult


@dataclass(frozen=True, slots=True)
class CensusEnded:
    """A census ended. `message` says what happened where it is not complete."""

    census_id: int
    is_complete: bool
    message: str = ""


CensusEvent = CensusStarted | OptionStarted | OptionEnded | UnderlayChanged | Progress | LogLine | CensusEnded

CensusSink = Callable[[CensusEvent], None]
"""Gets every event, in the thread where it happened; must be quick and must not raise."""
