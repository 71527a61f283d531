"""What algorithms mean together that none of them means by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.policy.data import load, normalise
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


COMBINATIONS: tuple[Combination, ...] = tuple(Combination(**raw) for raw in load("policy.toml")["combination"])


def combined(algorithms: Iterable[str], design: Sequence[str]) -> tuple[str, ...]:
    """Return the policy's names for what algorithms mean together with a solution's design."""
    parts = {normalise(part) for part in design}
    names = tuple(algorithms)
    return tuple(one.means for one in COMBINATIONS if one.design in parts and any(one.is_in(name) for name in names))
