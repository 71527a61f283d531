"""Names of candidates in plots: their titles, as short as tells them apart."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from app.domain.results import Candidate
from app.wording.titles import local_title

_LINE = 18
"""Characters: most names take two lines beside a plot."""


def short_titles(candidates: Sequence[Candidate]) -> dict[tuple[str, str], str]:
    """Return candidates' titles by solution and suite; the suite is left out where the solution is there once."""
    solutions = Counter(one.solution for one in candidates)
    return {
        (one.solution, one.suite): local_title(
            one.title if solutions[one.solution] > 1 or one.is_unprotected else one.title.partition(", ")[0]
        )
        for one in candidates
    }


def in_lines(title: str) -> str:
    """Return a title in lines that have room beside a plot."""
    return "\n".join(textwrap.wrap(title, _LINE, break_on_hyphens=False))
