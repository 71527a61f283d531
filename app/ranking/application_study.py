"""Applications over a satellite link: cells by part, what the study publishes of them, and own figures against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.domain.application_study import ApplicationResult
from app.domain.structured import bundled, lenient
from app.domain.transfers import TransferCell
from app.ranking.published_transfers import published_transfers

APPLICATION_STUDY = "satcom-applications"
"""Name of the study. It does not begin with that of the transfers, by which their files are found."""

STUDY = (
    "Guilloteau, Pradas, Pelat, Kuhn: Recommendations on using VPN over SATCOM, 2021, sections II.D (applications) and "
    "IV.B (multiple flows)"
)

PARTS: Mapping[str, tuple[str, ...]] = {
    "quick": ("geo",),
    "no-loss": ("geo", "leo"),
    "loss": ("geo-loss", "leo-loss"),
}
"""Conditions by part."""

_CONGESTION = ("cubic-no-hystart", "cubic-hystart", "bbr2")
_QUICK_CONGESTION = ("cubic-hystart",)


@dataclass(frozen=True, slots=True)
class _Way:
    solution: str
    proxy: str


@dataclass(frozen=True, slots=True)
class PublishedFlows:
    """Two connections that share a link, as the study has them.

    Attributes:
        share_pct: Range of the share that a connection has, in percent, without loss, with each VPN and proxy.
        first_s: Length of the first one, in s.
        later_s: Begin of the second one after it, in s.
        second_s: Length of the second one, in s.
    """

    share_pct: tuple[float, float]
    first_s: int
    later_s: int
    second_s: int


@dataclass(frozen=True, slots=True)
class _ApplicationsFile:
    published: PublishedFlows
    quick: tuple[_Way, ...]


@cache
def _study() -> _ApplicationsFile:
    return bundled(files("resources") / "studies" / "links" / f"{APPLICATION_STUDY}.toml", _ApplicationsFile, lenient)


def published_flows() -> PublishedFlows:
    """Return what the study publishes of two connections.

    Source: resources/studies/links/satcom-applications.toml, section IV.B of the study.
    """
    return _study().published


@dataclass(frozen=True, slots=True)
class ShareAgreement:
    """Agreement of own shares with the published range.

    Attributes:
        cells: Undisturbed cells without loss that have a share.
        within: Those of them within the range.
        outside: The others, with their share in percent.
    """

    cells: int
    within: int
    outside: tuple[tuple[TransferCell, float], ...]


def application_cells(part: str) -> tuple[TransferCell, ...]:
    """Return the cells of a part: the study's VPNs, proxies and congestion controls; `quick` has three of them."""
    is_quick = part == "quick"
    some = _study().quick if is_quick else published_transfers()
    ways = tuple(dict.fromkeys((one.solution, one.proxy) for one in some))
    return tuple(
        TransferCell(condition, congestion, solution, proxy)
        for congestion in (_QUICK_CONGESTION if is_quick else _CONGESTION)
        for condition in PARTS[part]
        for solution, proxy in ways
    )


def is_of_study(cell: TransferCell) -> bool:
    """Return whether the study has a cell's VPN, or it has none."""
    return any(one.solution == cell.solution for one in published_transfers())


def has_published_share(cell: TransferCell) -> bool:
    """Return whether the study publishes a range of shares for a cell: it does without loss, of its own VPNs."""
    return is_of_study(cell) and not cell.condition.endswith("-loss")


def share_agreement(results: Sequence[ApplicationResult]) -> ShareAgreement:
    """Return how many own shares are in the published range; those of a disturbed computer do not count."""
    shares = [
        (one.cell, share)
        for one in results
        if has_published_share(one.cell) and not one.is_disturbed
        if (share := one.figure("two-flows", "second-share")) is not None
    ]
    low, high = published_flows().share_pct
    outside = tuple((cell, share) for cell, share in shares if not low <= share <= high)
    return ShareAgreement(len(shares), len(shares) - len(outside), outside)
