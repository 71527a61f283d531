"""The VPN and the suite that a deployment is to have, and whether they may be deployed."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.deployment.messages import (
    BROADCAST_LIMIT_OUT_OF_RANGE,
    CONFIRM_TIME_OUT_OF_RANGE,
    GIVE_REASON,
    GUARD_WITHOUT_LAN_PORT,
    INNER_ADDRESSES_APART,
    IS_NEVER_DEPLOYED,
    MEASURE_IT,
    NO_INNER_ADDRESS,
    ONE_INNER_ADDRESS,
    REASON_MISSING,
    SUITE_NOT_OFFERED,
    SUITES_OFFERED,
    UNKNOWN_SOLUTION,
    VERDICT_FORBIDS,
)
from app.discovery.candidates import find_candidates
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.declared import declared
from app.domain.deployment import LONGEST_CONFIRM_S, MOST_BROADCASTS_PER_S, SHORTEST_CONFIRM_S, DeploymentOptions
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import Side
from app.domain.messages import sentences
from app.domain.messages.inputs import NO_LAN_PORT
from app.domain.messages.words import VERDICTS
from app.domain.solutions import SolutionInfo, Suite
from app.domain.verdicts import Finding, Verdict, deciding_finding

NEVER_DEPLOYED = {name: reason for one in declared().values() for name, reason in one.never_deployed.items()}
"""Algorithms and designs that can be measured but never deployed, with the reason."""


@dataclass(frozen=True, slots=True)
class DeploymentChoice:
    """A requested deployment.

    Attributes:
        adapter: The VPN.
        suite: Its suite.
        title: Both for people.
        verdict: What the policy says of it.
        findings: Why.
    """

    adapter: Adapter
    suite: Suite
    title: str
    verdict: Verdict
    findings: tuple[Finding, ...]


def choose(
    adapters: Mapping[str, Adapter],
    discovery: Discovery,
    key: tuple[str, str],
    options: DeploymentOptions,
    *,
    guidelines: Collection[str],
) -> DeploymentChoice:
    """Return what was chosen, if it may be deployed on a pair.

    Args:
        adapters: By solution.
        key: Solution and suite; an empty suite means the safe default.
        options: What else was chosen.
        guidelines: Ids of the guidelines that apply.

    Raises:
        InvalidPlan: It is not offered, insecure, unprotected, or legacy without a reason.
        InvalidOption: An option is out of range.
    """
    solution, _ = key
    adapter = adapters.get(solution)
    if adapter is None:
        raise InvalidPlan(UNKNOWN_SOLUTION(solution=solution, known=tuple(adapters)))
    facts = discovery.a.facts, discovery.b.facts
    suite = _suite(adapter, discovery, key)
    candidates, _ = find_candidates({solution: adapter}, *facts, guidelines=guidelines)
    candidate = next(one for one in candidates if one.suite == suite.name)
    refuse_never_deployed(candidate.title, suite, adapter.info)
    _check_verdict(candidate.title, candidate.verdict, candidate.findings, options)
    check_options(options)
    return DeploymentChoice(adapter, suite, candidate.title, candidate.verdict, candidate.findings)


def refuse_never_deployed(title: str, suite: Suite, info: SolutionInfo) -> None:
    """Refuse what can be measured but is never deployed, whatever the reason.

    Raises:
        InvalidPlan: The suite or the solution's design is such.
    """
    for name in (*suite.algorithms, *info.design):
        if name in NEVER_DEPLOYED:
            raise InvalidPlan(IS_NEVER_DEPLOYED(title=title, why=NEVER_DEPLOYED[name]))


def _suite(adapter: Adapter, discovery: Discovery, key: tuple[str, str]) -> Suite:
    """Return the suite that a key names, or the safe default where it names none.

    Raises:
        InvalidPlan: It is not offered.
    """
    facts = discovery.a.facts, discovery.b.facts
    solution, name = key
    if not name:
        name = next((suite.name for suite in adapter.suites(*facts) if suite.is_default), "")
    suite = find_suite(adapter, *facts, name)
    if suite is not None:
        return suite
    offered = tuple(one.suite for one in discovery.candidates if one.solution == solution and not one.is_listed_only)
    raise InvalidPlan(
        SUITE_NOT_OFFERED(suite=" ".join(filter(None, key))),
        hint=discovery.unavailable.get(solution, "") or SUITES_OFFERED(solution=solution, offered=offered),
    )


def _check_verdict(title: str, verdict: Verdict, findings: tuple[Finding, ...], options: DeploymentOptions) -> None:
    deciding = deciding_finding(findings)
    reason = deciding.reason if deciding is not None and deciding.verdict is verdict else ""
    if verdict in (Verdict.INSECURE, Verdict.UNPROTECTED):
        raise InvalidPlan(
            sentences((VERDICT_FORBIDS(title=title, verdict=VERDICTS[verdict]()), reason)),
            hint=MEASURE_IT(),
        )
    if verdict.needs_reason and not options.legacy_reason.strip():
        raise InvalidPlan(
            sentences((REASON_MISSING(title=title, verdict=VERDICTS[verdict]()), reason)),
            hint=GIVE_REASON(),
        )


def check_options(options: DeploymentOptions) -> None:
    """Refuse options that no pair of hosts could have. Needs no host: front ends call it before any login.

    Raises:
        InvalidOption: A number is out of range, addresses do not go together, or a LAN port is missing.
    """
    within_s = options.confirm_within_s
    if within_s is not None and not SHORTEST_CONFIRM_S <= within_s <= LONGEST_CONFIRM_S:
        raise InvalidOption(
            CONFIRM_TIME_OUT_OF_RANGE(within_s=within_s, least_s=SHORTEST_CONFIRM_S, most_s=LONGEST_CONFIRM_S),
        )
    if not 0 <= options.broadcast_limit <= MOST_BROADCASTS_PER_S:
        raise InvalidOption(
            BROADCAST_LIMIT_OUT_OF_RANGE(limit=options.broadcast_limit, most=MOST_BROADCASTS_PER_S),
        )
    if (options.blocks_dhcp or options.blocks_router_advertisements) and not any(map(options.bridge, Side)):
        raise InvalidOption(GUARD_WITHOUT_LAN_PORT())
    if options.moves_lan_rules and not any(map(options.bridge, Side)):
        raise InvalidOption(NO_LAN_PORT())
    inner = options.inner_a, options.inner_b
    if any(inner) and not all(inner):
        raise InvalidOption(ONE_INNER_ADDRESS())
    if all(inner):
        a, b = map(_inner_address, inner)
        if a.network != b.network or a.ip == b.ip:
            raise InvalidOption(INNER_ADDRESSES_APART(a=a, b=b))


def _inner_address(text: str) -> ipaddress.IPv4Interface:
    try:
        return ipaddress.IPv4Interface(text)
    except ValueError as error:
        raise InvalidOption(NO_INNER_ADDRESS(text=text)) from error
