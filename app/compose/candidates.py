"""From what was found on two hosts to what can be compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.domain.adapters import Adapter, CensusOption, SolutionInfo
from app.domain.hosts import HostFacts, MissingPart
from app.domain.results import Candidate
from app.domain.verdicts import Finding, Verdict
from app.policy import DEFAULT_GUIDELINES, judge_suite

BASELINE = "baseline"


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
        facts_a: What was found on A.
        facts_b: What was found on B.
        guidelines: Ids of the guidelines that apply.

    Returns:
        Candidates in the order of the adapters, and keys (solution, suite) of the ticked ones.
    """
    candidates: list[Candidate] = []
    defaults: list[tuple[str, str]] = []
    for name, adapter in adapters.items():
        info = adapter.info
        suites = adapter.suites(facts_a, facts_b)
        for suite in suites:
            verdict, findings = judge_suite(suite, info, guidelines=guidelines)
            title = _title(info.title, suite.title if len(suites) > 1 else "")
            candidates.append(Candidate(name, suite.name, title, verdict, findings, info.is_unprotected))
            if suite.is_default and (verdict.is_deployable or name == BASELINE):
                defaults.append((name, suite.name))
        proposed = {suite.name for suite in suites}
        candidates += [
            _listed(info, option, guidelines)
            for option in adapter.census(facts_a, facts_b)
            if option.suite.name not in proposed
        ]
    return tuple(candidates), tuple(defaults)


def _listed(info: SolutionInfo, option: CensusOption, guidelines: Collection[str]) -> Candidate:
    verdict, findings = judge_suite(option.suite, info, guidelines=guidelines)
    if option.is_unprotected and verdict is not Verdict.UNPROTECTED:
        reason = "It leaves frames readable or changeable on the way."
        verdict, findings = (
            Verdict.UNPROTECTED,
            (Finding(option.name, Verdict.UNPROTECTED, reason, "; ".join(info.sources)), *findings),
        )
    title = _title(info.title, option.suite.title)
    return Candidate(info.name, option.suite.name, title, verdict, findings, option.is_unprotected, is_listed_only=True)


def unavailable_solutions(
    adapters: Mapping[str, Adapter], candidates: Sequence[Candidate], facts_a: HostFacts, facts_b: HostFacts
) -> dict[str, str]:
    """Return why a solution offers nothing on these hosts, by solution."""
    offered = {candidate.solution for candidate in candidates}
    return {
        name: "; ".join(filter(None, (_why(name, "A", facts_a), _why(name, "B", facts_b)))) or "no suite in common"
        for name in adapters
        if name not in offered
    }


def missing_parts(facts: HostFacts) -> tuple[MissingPart, ...]:
    """Return everything a host lacks, for measuring and for each solution, each part once."""
    parts = [*facts.missing, *(part for support in facts.solutions.values() for part in support.missing)]
    return tuple({(part.what, part.needed_for): part for part in parts}.values())


def _title(solution: str, suite: str) -> str:
    """Return what tells candidates apart: the solution, and the suite's first part where there are several."""
    return f"{solution}, {suite.partition(',')[0]}" if suite else solution


def _why(solution: str, host: str, facts: HostFacts) -> str:
    support = facts.solutions.get(solution)
    if support is None:
        return f"nothing is known about it on {host}"
    if support.is_available:
        return ""
    lacks = ", ".join(part.what for part in support.missing)
    reason = f"lacks {lacks}" if lacks else support.note or "cannot do it"
    return f"{host} {reason}"
