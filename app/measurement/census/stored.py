"""A census as it is chosen and as it is stored, with what follows from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.discovery.candidates import possible_in
from app.domain.adapters import Adapter
from app.domain.census import CensusPlan, CensusRecord, SolutionCensus
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import CensusOption, OptionKind
from app.domain.verdicts import Finding, Verdict
from app.measurement.census.planning import DEFAULT_PINGS
from app.policy import judge_possible
from app.ranking.census import count_census
from app.storage import Store


@dataclass(frozen=True, slots=True)
class CensusOptions:
    """Selection of a census.

    Attributes:
        solutions: The solutions; empty for all that have something to choose.
        names: Only options of these names; empty for all.
        kinds: Only options of these kinds; empty for all.
        pings: Echo requests that have to be answered for each option.
        has_load_consent: Whether the user agreed to load on a live link.
    """

    solutions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kinds: tuple[OptionKind, ...] = ()
    pings: int = DEFAULT_PINGS
    has_load_consent: bool = False


@dataclass(frozen=True, slots=True)
class CensusResults:
    """A stored census with what follows from it.

    Attributes:
        record: As it is stored.
        solutions: The study's triple per solution, with the results in the order of the plan.
        verdicts: Verdict and findings by solution and suite.
    """

    record: CensusRecord
    solutions: tuple[SolutionCensus, ...]
    verdicts: Mapping[tuple[str, str], tuple[Verdict, tuple[Finding, ...]]]

    @property
    def words(self) -> dict[tuple[str, str], Verdict]:
        """The verdicts alone."""
        return {key: verdict for key, (verdict, _) in self.verdicts.items()}


def census_results(store: Store, adapters: Mapping[str, Adapter], census_id: int) -> CensusResults:
    """Return a stored census with its counts and verdicts.

    Raises:
        NotFound: There is none of that number.
    """
    record = store.load_census(census_id)
    verdicts = {}
    for adapter in (adapters[solution] for solution in record.solutions if solution in adapters):
        options = _options(adapter, record)
        facts = (record.facts[Side.A.value], record.facts[Side.B.value])
        possible = possible_in(adapter.suites(*facts), options)
        for option in options:
            verdicts[adapter.info.name, option.suite.name] = judge_possible(option.suite, adapter.info, possible)
    return CensusResults(record, count_census(record), verdicts)


def _options(adapter: Adapter, record: CensusRecord) -> Sequence[CensusOption]:
    return adapter.census(record.facts[Side.A.value], record.facts[Side.B.value])


def find_unfinished(store: Store, plan: CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int | None:
    """Return the newest unfinished census that would try the same with the same programs.

    Args:
        store: Where censuses are kept.
        plan: What is to be tried now.
        facts: What was found on the hosts now, by `a` and `b`.

    Returns:
        Its number; None where there is none.
    """
    for census_id in store.unfinished_censuses(plan.pair.name):
        record = store.load_census(census_id)
        if (
            (record.plan.items, record.plan.pings, record.plan.seconds) == (plan.items, plan.pings, plan.seconds)
            and record.tunnelmark_version == version
            and versions(record.facts, plan.solutions) == versions(facts, plan.solutions)
            and (record.pair.underlay_a, record.pair.underlay_b) == (plan.pair.underlay_a, plan.pair.underlay_b)
        ):
            return census_id
    return None


def versions(facts: Mapping[str, HostFacts], solutions: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return, by host, the versions of everything that decides which option works: the kernel and the programs."""
    return {
        side: (
            one.kernel,
            *(one.solutions[name].version if name in one.solutions else "" for name in solutions),
        )
        for side, one in facts.items()
    }
