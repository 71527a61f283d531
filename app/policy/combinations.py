"""Findings on algorithms together that none of them has by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.domain.verdicts import Verdict
from app.policy.data import PolicyRow, normalise, rows_of
from app.policy.names import find_rows


@dataclass(frozen=True, slots=True)
class Combination:
    """A fault of a protocol with certain algorithms.

    Attributes:
        design: Part of a solution's design, normalised.
        row: Name of a mode, or kind of a row, that has to be in the suite.
        unless: An algorithm with this in its name is sound.
        means: The policy's name for the fault.
    """

    design: str
    row: str
    means: str
    unless: str = ""

    def is_in(self, name: str) -> bool:
        """Whether an algorithm brings the fault about."""
        if self.unless and self.unless in normalise(name):
            return False
        return any(self.row in (row.kind, *(row.names if row.kind == "mode" else ())) for row in find_rows(name))


COMBINATIONS = rows_of(Combination, "policy.toml", "combination")


def combined(algorithms: Iterable[str], design: Sequence[str]) -> tuple[str, ...]:
    """Return the policy's names for what algorithms mean together with a solution's design."""
    parts = {normalise(part) for part in design}
    names = tuple(algorithms)
    return tuple(one.means for one in COMBINATIONS if one.design in parts and any(one.is_in(name) for name in names))


@dataclass(frozen=True, slots=True)
class Composition:
    """A mode's verdict where a protocol adds a MAC to it, in place of the verdict on the mode by itself.

    Attributes:
        design: Part of a solution's design, normalised.
        modes: Names of modes.
        mac: Every MAC has this in its name; empty means any MAC.
        verdict: The word.
        reason: One sentence.
        sources: RFCs, manuals and papers.
        replacement: What to use instead.
    """

    design: str
    modes: tuple[str, ...]
    verdict: Verdict
    reason: str
    sources: tuple[str, ...]
    replacement: str
    mac: str = ""


COMPOSITIONS = rows_of(Composition, "policy.toml", "composition")


def compositions(algorithms: Iterable[str], design: Sequence[str]) -> tuple[Composition, ...]:
    """Return the compositions that hold for algorithms together with a solution's design.

    Args:
        algorithms: All names of a suite, or of what a file lists for one purpose.
        design: Parts of the solution's design.

    Returns:
        The compositions, the one that decides first. None without a MAC, or where a name means no authentication.
    """
    parts = {normalise(part) for part in design}
    macs = [name for name in algorithms if any(row.kind == "mac" for row in find_rows(name))]
    if not macs or any("null-authentication" in row.names for name in macs for row in find_rows(name)):
        return ()
    return tuple(
        one for one in COMPOSITIONS if one.design in parts and all(one.mac in normalise(name) for name in macs)
    )


def composed(rows: Sequence[PolicyRow], holding: Sequence[Composition]) -> tuple[PolicyRow, ...]:
    """Return an algorithm's rows with the verdict of the first composition on each mode.

    Args:
        rows: Rows of the algorithm's name.
        holding: Compositions that hold.
    """
    return tuple(_composed(row, holding) for row in rows)


def _composed(row: PolicyRow, holding: Sequence[Composition]) -> PolicyRow:
    for one in holding:
        if row.kind == "mode" and not set(one.modes).isdisjoint(row.names):
            return replace(
                row, verdict=one.verdict, reason=one.reason, sources=one.sources, replacement=one.replacement
            )
    return row
