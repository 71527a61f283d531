"""Offers of the studies page: running labs, and pairs with stored results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.repeated_study import StudyRun
from app.ranking.study_parts import SATCOM
from app.storage.lab_results import LabResults
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
        lab_results: What is stored of studies of their own kind, by study, pair and part.
    """

    labs: Mapping[str, PairSpec]
    results: Mapping[str, StudyResults]
    faults: tuple[TunnelmarkError, ...]
    runs: Mapping[str, tuple[StudyRun, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    lab_results: Mapping[tuple[str, str, str], LabResults] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs: running labs first, then those of which only results are left."""
        return tuple(dict.fromkeys((*self.labs, *self.results, *(pair for _, pair, _ in self.lab_results))))

    def lab_parts(self, study: str, pair: str) -> Mapping[str, LabResults]:
        """Return what is stored of a study of its own kind on a pair, by part."""
        keys = self.lab_results.items()
        return {part: found for (name, where, part), found in keys if (name, where) == (study, pair)}

    def with_lab_results(self, results: LabResults) -> StudyChoices:
        """Return them with newer results."""
        key = results.study, results.pair, results.part
        return replace(self, lab_results={**self.lab_results, key: results})


def choices_of(services: Services) -> StudyChoices:
    """Return running labs and what is stored."""
    labs = {choice.pair.name: choice.pair for choice in services.pairs() if choice.pair.is_lab}
    results, faults = services.stored_studies(SATCOM)
    titles = {name: info.title for name, info in services.solutions().items()}
    stored: dict[tuple[str, str, str], LabResults] = {}
    for study in LAB_STUDIES:
        found, others = services.stored_lab_results(study)
        stored.update({(one.study, one.pair, one.part): one for one in found})
        faults = (*faults, *others)
    return StudyChoices(labs, {one.pair: one for one in results}, faults, services.study_runs(), titles, stored)
