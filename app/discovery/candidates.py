"""From what was found on two hosts to what can be compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from app.discovery.messages import (
    CANNOT_DO_IT,
    CLOCK_DIFFERS,
    HOST_BUSY,
    HYPERVISOR_TAKES_CPU,
    LACKS,
    LEAVES_READABLE,
    NO_SUITE_IN_COMMON,
    NOTHING_KNOWN_ON,
    REASON_ON,
    UNAVAILABLE_ON_BOTH,
)
from app.discovery.pair_discovery import Discovery, HostCheck
from app.domain.adapters import Adapter
from app.domain.declared import comparison_only
from app.domain.hosts import HostFacts, MissingPart, PairSpec, Side
from app.domain.link import Link
from app.domain.results import Candidate
from app.domain.solutions import BASELINE, CensusOption, OptionKind, SolutionInfo, Suite
from app.domain.verdicts import Finding, Verdict
from app.policy import DEFAULT_GUIDELINES, Possible, judge_possible, post_quantum


def assess_pair(
    pair: PairSpec,
    facts_a: HostFacts,
    facts_b: HostFacts,
    link: Link,
    adapters: Mapping[str, Adapter],
    *,
    guidelines: Collection[str],
) -> Discovery:
    """Return what a pair can do, from what was found on its hosts; nothing is known of firewalls yet.

    Args:
        link: Addresses, names and MTU for tunnels.
        adapters: By solution.
        guidelines: Ids of the guidelines that apply.
    """
    candidates, defaults = find_candidates(adapters, facts_a, facts_b, guidelines=guidelines)
    return Discovery(
        pair=pair,
        a=check_host(Side.A, facts_a),
        b=check_host(Side.B, facts_b),
        link=link,
        clock_difference_ms=facts_b.clock_offset_ms - facts_a.clock_offset_ms,
        candidates=candidates,
        defaults=defaults,
        solutions={name: adapter.info for name, adapter in adapters.items()},
        unavailable=unavailable_solutions(adapters, candidates, facts_a, facts_b),
    )


def judge_again(found: Discovery, adapters: Mapping[str, Adapter], *, guidelines: Collection[str]) -> Discovery:
    """Judge what was found on a pair by other guidelines; touches no host."""
    candidates, defaults = find_candidates(adapters, found.a.facts, found.b.facts, guidelines=guidelines)
    return replace(found, candidates=candidates, defaults=defaults)


def find_candidates(
    adapters: Mapping[str, Adapter],
    facts_a: HostFacts,
    facts_b: HostFacts,
    *,
    guidelines: Collection[str] = DEFAULT_GUIDELINES,
) -> tuple[tuple[Candidate, ...], tuple[tuple[str, str], ...]]:
    """Return what both hosts can do, each with its verdict, and which of it is ticked at first.

    First come the few suites that an adapter proposes, then everything else that the programs of both hosts list.
    Ticked are the baseline, and each solution's safe default where its verdict allows it to be deployed.

    Args:
        adapters: By solution.
        guidelines: Ids of the guidelines that apply.

    Returns:
        Candidates in the order of the adapters, and keys (solution, suite) of the ticked ones.
    """
    candidates: list[Candidate] = []
    defaults: list[tuple[str, str]] = []
    for name, adapter in adapters.items():
        info = adapter.info
        suites = adapter.suites(facts_a, facts_b)
        options = adapter.census(facts_a, facts_b)
        possible = possible_in(suites, options)
        titles = _titles(info.title, [suite.title for suite in suites])
        for suite, title in zip(suites, titles, strict=True):
            judged = judge_possible(suite, info, possible, guidelines=guidelines)
            quantum = post_quantum(suite, info)
            made = Candidate(name, suite.name, title, *judged, info.is_unprotected, post_quantum=quantum)
            candidates.append(made)
            if suite.is_default and (made.is_deployable or name == BASELINE):
                defaults.append((name, suite.name))
        proposed = {suite.name for suite in suites}
        candidates += [
            _listed(info, option, possible, guidelines) for option in options if option.suite.name not in proposed
        ]
    return tuple(candidates), tuple(defaults)


def possible_in(suites: Sequence[Suite], options: Sequence[CensusOption]) -> Possible:
    """Return what both hosts can do in a solution, from what its adapter proposes and what the programs list.

    An AEAD counts where it is proposed: programs list what their library has, also where they cannot use it.
    """
    proposed = (name for suite in suites for name in suite.algorithms)
    listed = (name for one in options if one.kind is not OptionKind.AEAD for name in one.suite.algorithms)
    return Possible(tuple(dict.fromkeys(proposed)), tuple(dict.fromkeys(listed)))


def _listed(info: SolutionInfo, option: CensusOption, possible: Possible, guidelines: Collection[str]) -> Candidate:
    verdict, findings = judge_possible(option.suite, info, possible, guidelines=guidelines)
    if option.is_unprotected and verdict is not Verdict.UNPROTECTED:
        reason = LEAVES_READABLE()
        verdict, findings = (
            Verdict.UNPROTECTED,
            (Finding(option.name, Verdict.UNPROTECTED, reason, "; ".join(info.sources)), *findings),
        )
    title = f"{info.title}, {option.suite.title.partition(',')[0]}"
    return Candidate(
        info.name,
        option.suite.name,
        title,
        verdict,
        findings,
        option.is_unprotected,
        is_listed_only=True,
        post_quantum=post_quantum(option.suite, info),
    )


def unavailable_solutions(
    adapters: Mapping[str, Adapter], candidates: Sequence[Candidate], facts_a: HostFacts, facts_b: HostFacts
) -> dict[str, str]:
    """Return why a solution offers nothing on these hosts, by solution."""
    offered = {candidate.solution for candidate in candidates}
    return {
        name: _reasons(_why(name, "A", facts_a), _why(name, "B", facts_b)) for name in adapters if name not in offered
    }


def _reasons(on_a: str, on_b: str) -> str:
    if on_a and on_b:
        return UNAVAILABLE_ON_BOTH(a=on_a, b=on_b)
    return on_a or on_b or NO_SUITE_IN_COMMON()


def missing_parts(facts: HostFacts) -> tuple[MissingPart, ...]:
    """Return everything a host lacks, for measuring and for each solution, each part once.

    What is there to be compared alone is missed nowhere: nothing is installed for it.
    """
    supports = (one for one in facts.solutions.values() if one.solution not in comparison_only())
    parts = [*facts.missing, *(part for support in supports for part in support.missing)]
    return tuple({(part.what, part.needed_for): part for part in parts}.values())


def check_host(side: Side, facts: HostFacts) -> HostCheck:
    """Return one host as it was found, with what it lacks and what may disturb a measurement."""
    return HostCheck(side, facts, missing_parts(facts), _warnings(facts))


def _warnings(facts: HostFacts) -> tuple[str, ...]:
    warnings = []
    if facts.steal_pct > 2:
        warnings.append(HYPERVISOR_TAKES_CPU(share=facts.steal_pct))
    if facts.load_1min > 0.5 * facts.cpu_count:
        warnings.append(HOST_BUSY(load=facts.load_1min, cores=facts.cpu_count))
    if abs(facts.clock_offset_ms) - facts.clock_error_ms > 5_000:
        warnings.append(CLOCK_DIFFERS(seconds=facts.clock_offset_ms / 1000))
    return tuple(warnings)


def _titles(solution: str, suites: Sequence[str]) -> list[str]:
    """Return what tells candidates apart: the solution, with as many parts of the suite's title as that takes."""
    if len(suites) < 2:
        return [solution] * len(suites)
    parts = [suite.split(", ") for suite in suites]
    longest = max(map(len, parts))
    shortened = [[", ".join(part[:count]) for part in parts] for count in range(1, longest + 1)]
    distinct = next((titles for titles in shortened if len(set(titles)) == len(titles)), shortened[-1])
    return [f"{solution}, {suite}" for suite in distinct]


def _why(solution: str, host: str, facts: HostFacts) -> str:
    support = facts.solutions.get(solution)
    if support is None:
        return NOTHING_KNOWN_ON(host=host)
    if support.is_available:
        return ""
    lacks = tuple(part.what for part in support.missing)
    if lacks:
        return LACKS(host=host, parts=lacks)
    return REASON_ON(host=host, reason=support.note) if support.note else CANNOT_DO_IT(host=host)
