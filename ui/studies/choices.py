"""Offers of the studies page: running labs, pairs with machines behind their hosts, and pairs with stored results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.topology import NodeKind
from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.repeated_study import StudyRun
from app.ranking.study_parts import SATCOM
from app.storage.lab_results import LabResults
from app.storage.study_results import StudyResults

if TYPE_CHECKING:
    from app.services.wiring import Services

LabKey = tuple[str, str, str, NodeKind]
"""Study, pair, part and kind of nodes of results."""


@dataclass(frozen=True, slots=True)
class StudyChoices:
    """Choice on the studies page.

    Attributes:
        labs: Pairs of running labs, by name.
        results: What is stored of transfers, by the pair's name and the kind of its nodes.
        faults: Why other stored results cannot be read.
        runs: Stored comparisons that repeat a study, newest first, by its name.
        titles: Titles of solutions, by name.
        lab_results: What is stored of studies of their own kind, by study, pair, part and kind of nodes.
        own: Pairs of the user's own with machines behind their hosts, by name.
    """

    labs: Mapping[str, PairSpec]
    results: Mapping[tuple[str, NodeKind], StudyResults]
    faults: tuple[TunnelmarkError, ...]
    runs: Mapping[str, tuple[StudyRun, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    lab_results: Mapping[LabKey, LabResults] = field(default_factory=dict)
    own: Mapping[str, PairSpec] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs: running labs first, then own ones, then those of which only results are left."""
        of_results = (pair for pair, _ in self.results)
        return tuple(dict.fromkeys((*self.labs, *self.own, *of_results, *(key[1] for key in self.lab_results))))

    def pair(self, name: str) -> PairSpec | None:
        """Return a pair that something can be measured on; None where it is not there now."""
        return self.labs.get(name) or self.own.get(name)

    def lab_parts(self, study: str, pair: str, nodes: NodeKind) -> Mapping[str, LabResults]:
        """Return what is stored of a study of its own kind on a pair between a kind of nodes, by part."""
        return {
            part: found
            for (name, where, part, kind), found in self.lab_results.items()
            if (name, where, kind) == (study, pair, nodes)
        }

    def stored_nodes(self, study: str, pair: str) -> frozenset[NodeKind]:
        """Return the kinds of nodes between which results of a study on a pair are stored."""
        if study == SATCOM:
            return frozenset(kind for where, kind in self.results if where == pair)
        return frozenset(kind for name, where, _, kind in self.lab_results if (name, where) == (study, pair))

    def with_results(self, results: StudyResults) -> StudyChoices:
        """Return them with newer results of transfers."""
        return replace(self, results={**self.results, (results.pair, results.nodes): results})

    def with_lab_results(self, results: LabResults) -> StudyChoices:
        """Return them with newer results of a study of its own kind."""
        return replace(self, lab_results={**self.lab_results, _key(results): results})


def choices_of(services: Services) -> StudyChoices:
    """Return running labs, own pairs with machines, and what is stored."""
    pairs = [choice.pair for choice in services.pairs()]
    labs = {pair.name: pair for pair in pairs if pair.is_lab}
    own = {pair.name: pair for pair in pairs if not pair.is_lab and pair.nodes}
    results, faults = services.stored_studies(SATCOM)
    titles = {name: info.title for name, info in services.solutions().items()}
    stored: dict[LabKey, LabResults] = {}
    for study in LAB_STUDIES:
        found, others = services.stored_lab_results(study)
        stored.update({_key(one): one for one in found})
        faults = (*faults, *others)
    transfers = {(one.pair, one.nodes): one for one in results}
    return StudyChoices(labs, transfers, faults, services.study_runs(), titles, stored, own)


def _key(results: LabResults) -> LabKey:
    return results.study, results.pair, results.part, results.nodes
