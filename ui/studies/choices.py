"""Offers of the studies page: running labs, and pairs with stored results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
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
    """

    labs: Mapping[str, PairSpec]
    results: Mapping[str, StudyResults]
    faults: tuple[TunnelmarkError, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs: running labs first, then those of which only results are left."""
        return (*self.labs, *(name for name in self.results if name not in self.labs))


def choices_of(services: Services) -> StudyChoices:
    """Return running labs and what is stored."""
    labs = {choice.pair.name: choice.pair for choice in services.pairs() if choice.pair.is_lab}
    results, faults = services.stored_studies(SATCOM)
    return StudyChoices(labs, {one.pair: one for one in results}, faults)
