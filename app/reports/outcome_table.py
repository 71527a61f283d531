"""Table of a study's outcome: one form for window, terminal and pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """A table of an outcome.

    Attributes:
        title: Heading, in the user's language.
        headings: Of the columns, in the user's language.
        rows: Texts.
        figures: Numbers of the columns that hold figures.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: frozenset[int] = frozenset()
