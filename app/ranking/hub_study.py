"""Study of a hub between sites: its cells, what it published, and own figures beside that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.domain.hub_study import HubCell, HubKind, HubResult
from app.domain.structured import bundled, lenient

HUB_STUDY = "iiot-hub"
"""Name of the study."""


@dataclass(frozen=True, slots=True)
class PublishedRate:
    """Published rate of key exchanges.

    Attributes:
        solution: Of which solution.
        title: Its name for people.
        interval_s: Time between two of them.
        clients: Clients that made them.
        seconds: For how long.
        is_maximum: Whether the study searched for it, or took that of another solution.
    """

    solution: str
    title: str
    interval_s: float
    clients: int
    seconds: int
    is_maximum: bool = True

    @property
    def rate_s(self) -> float:
        """Key exchanges per second."""
        return 1.0 / self.interval_s


@dataclass(frozen=True, slots=True)
class _Cell:
    kind: HubKind
    solution: str
    title: str
    is_quick: bool = True


@dataclass(frozen=True, slots=True)
class _HubStudyFile:
    source: str
    clients: int
    recovery_s: int
    cell: tuple[_Cell, ...]


@dataclass(frozen=True, slots=True)
class _HubFigures:
    key_exchange: tuple[PublishedRate, ...]


@cache
def _study() -> _HubStudyFile:
    return bundled(files("resources") / "studies" / "hubs" / f"{HUB_STUDY}.toml", _HubStudyFile, lenient)


@cache
def _published() -> _HubFigures:
    return bundled(files("resources") / "reference" / "iiot_hub.toml", _HubFigures, lenient)


def hub_study_source() -> str:
    """Return the study's name and sections. Source: resources/studies/hubs/iiot-hub.toml."""
    return _study().source


def hub_cells(*, is_quick: bool = False, within_s: int | None = None) -> tuple[HubCell, ...]:
    """Return the cells in the order of measuring. Source: resources/studies/hubs/iiot-hub.toml.

    Args:
        is_quick: Those alone that are in a run of a few minutes.
        within_s: Time in which clients have to be back after a restart, in s; None for that of the file.
    """
    limit_s = recovery_s() if within_s is None else within_s
    return tuple(
        HubCell(one.kind, one.solution, one.title, limit_s if one.kind is HubKind.RECOVERY else None)
        for one in _study().cell
        if one.is_quick or not is_quick
    )


def hub_clients() -> int:
    """Return the number of clients. Source: the same file."""
    return _study().clients


def recovery_s() -> int:
    """Return the time in which clients have to be back after a restart where none is chosen, in s.

    Source: the same file.
    """
    return _study().recovery_s


def published_rates() -> tuple[PublishedRate, ...]:
    """Return the published rates of key exchanges. Source: resources/reference/iiot_hub.toml."""
    return _published().key_exchange


def published_rate(cell: HubCell) -> PublishedRate | None:
    """Return what is published of a cell; None for nothing."""
    if cell.kind is not HubKind.FLOOD:
        return None
    return next((one for one in published_rates() if one.solution == cell.solution), None)


def in_order(results: Sequence[HubResult]) -> tuple[HubResult, ...]:
    """Return results in the order of the study's cells; what it does not have any more is left out.

    Restarts after which clients had different times are apart: those with the shortest time are first.
    """
    cells = hub_cells()
    kinds = [cell.kind for cell in cells]
    places = {(cell.kind, cell.solution): nth for nth, cell in enumerate(cells)}

    def place(cell: HubCell) -> tuple[int, int, int]:
        return kinds.index(cell.kind), cell.within_s or 0, places[cell.kind, cell.solution]

    known = (one for one in results if (one.cell.kind, one.cell.solution) in places)
    return tuple(sorted(known, key=lambda one: place(one.cell)))
