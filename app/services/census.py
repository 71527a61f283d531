"""Censuses for the window and the command line: planned, run, and what is stored of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.discovery.candidates import possible_in
from app.domain.adapters import Adapter
from app.domain.census import CensusPlan, CensusRecord, SolutionCensus
from app.domain.errors import InvalidOption
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import CensusOption
from app.domain.verdicts import Finding, Verdict
from app.domain.version import tunnelmark_version
from app.measurement.census import find_unfinished, plan_census
from app.measurement.census.planning import DEFAULT_PINGS
from app.policy import judge_possible
from app.ranking.census import count_census
from app.storage import Store
from vpn_adapters.registry import ADAPTERS

if TYPE_CHECKING:
    from app.discovery.pair_discovery import Discovery

REPORT_KINDS = (".json", ".html")


@dataclass(frozen=True, slots=True)
class CensusOptions:
    """Selection of a census.

    Attributes:
        solutions: The solutions; empty for all that have something to choose.
        names: Only options of these names; empty for all.
        pings: Echo requests that have to be answered for each option.
        has_load_consent: Whether the user agreed to load on a live link.
    """

    solutions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
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


def make_plan(discovery: Discovery, options: CensusOptions) -> CensusPlan:
    """Plan a census of the hosts that were found.

    Raises:
        InvalidOption: A solution or an option is not there.
    """
    return plan_census(
        discovery.pair,
        ADAPTERS,
        _facts(discovery),
        solutions=options.solutions,
        names=options.names,
        pings=options.pings,
        allow_load=options.has_load_consent,
    )


def unfinished(store: Store, discovery: Discovery, plan: CensusPlan) -> int | None:
    """Return the number of an unfinished census of the same options with the same programs; None without one."""
    return find_unfinished(store, plan, _facts(discovery), tunnelmark_version())


def results(store: Store, census_id: int) -> CensusResults:
    """Return a stored census with its counts and verdicts.

    Raises:
        NotFound: There is none of that number.
    """
    record = store.load_census(census_id)
    verdicts = {}
    for adapter in (ADAPTERS[solution] for solution in record.solutions if solution in ADAPTERS):
        options = _options(adapter, record)
        facts = (record.facts[Side.A.value], record.facts[Side.B.value])
        possible = possible_in(adapter.suites(*facts), options)
        for option in options:
            verdicts[adapter.info.name, option.suite.name] = judge_possible(option.suite, adapter.info, possible)
    return CensusResults(record, count_census(record), verdicts)


def write_report(found: CensusResults, path: Path) -> Path:
    """Write a census to a file; the kind follows from the ending: .json or .html.

    Returns:
        The absolute path.

    Raises:
        InvalidOption: There is no report of that kind, or nothing can be written there.
        DiskFull: No space is left there.
    """
    from app.reports.census_html import write_census_html
    from app.reports.census_json import write_census_json

    writers = {".json": write_census_json, ".html": write_census_html}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise InvalidOption(
            f"There is no report of a census of the kind {path.suffix or path.name}.",
            hint=f"Use one of {', '.join(REPORT_KINDS)}.",
        )
    path = path.expanduser().absolute()
    writer(found.record, found.words, path)
    return path


def _options(adapter: Adapter, record: CensusRecord) -> Sequence[CensusOption]:
    return adapter.census(record.facts[Side.A.value], record.facts[Side.B.value])


def _facts(discovery: Discovery) -> dict[str, HostFacts]:
    return {Side.A.value: discovery.a.facts, Side.B.value: discovery.b.facts}
