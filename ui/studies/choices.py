"""Offers of the studies page: running labs, and pairs with stored results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.ranking.repeated_study import StudyRun
from app.ranking.study_parts import SATCOM
from app.storage.study_results import StudyResults

if TYPE_CHECKING:
    from app.services.wiring import Services


@dataclass(frozen=True, slots=True)
class StudyChoices:
    """Choice on the studies page.

    Attributes:
        labs: Pairs of running labs, by name.
        results: What is stored, by the pair's name.
        faults: Why other stored results cannot be read.
        runs: Stored comparisons that repeat a study, newest first, by its name.
        titles: Titles of solutions, by name.
    """

    labs: Mapping[str, PairSpec]
    results: Mapping[str, StudyResults]
    faults: tuple[TunnelmarkError, ...]
    runs: Mapping[str, tuple[StudyRun, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs: running labs first, then those of which only results are left."""
        return (*self.labs, *(name for name in self.results if name not in self.labs))


def choices_of(services: Services) -> StudyChoices:
    """Return running labs and what is stored."""
    labs = {choice.pair.name: choice.pair for choice in services.pairs() if choice.pair.is_lab}
    results, faults = services.stored_studies(SATCOM)
    titles = {name: info.title for name, info in services.solutions().items()}
    return StudyChoices(labs, {one.pair: one for one in results}, faults, services.study_runs(), titles)
