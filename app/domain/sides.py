"""The two ends of a pair."""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    """One of the two ends of a pair."""

    A = "a"
    B = "b"

    @property
    def other(self) -> Side:
        """The opposite end."""
        return Side.B if self is Side.A else Side.A
