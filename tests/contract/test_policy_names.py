"""The policy knows every name that any adapter can meet on any recorded platform, and every default is safe."""

from __future__ import annotations

import itertools
from functools import cache

import pytest

from app.discovery.candidates import find_candidates
from app.domain.adapters import Adapter
from app.domain.solutions import CensusOption, Suite
from app.domain.verdicts import Verdict
from app.policy import GUIDELINES, UNKNOWN_REASON, findings, judge, judge_suite
from support.adapter_cases import facts, platforms
from vpn_adapters.registry import ADAPTERS

ALL_ADAPTERS = pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS.keys())
ALL_PAIRS = pytest.mark.parametrize(
    ("platform_a", "platform_b"), list(itertools.combinations_with_replacement(platforms(), 2))
)
ALL_CPUS = pytest.mark.parametrize(("aes_a", "aes_b"), [(True, True), (True, False), (False, False)])


@cache
def suites_of(adapter: Adapter, platform_a: str, platform_b: str) -> tuple[Suite, ...]:
    return tuple(adapter.suites(facts(platform_a), facts(platform_b)))


@cache
def options_of(adapter: Adapter, platform_a: str, platform_b: str) -> tuple[CensusOption, ...]:
    return tuple(adapter.census(facts(platform_a), facts(platform_b)))


@cache
def is_unknown(name: str) -> bool:
    return judge(name, guidelines=()).reason == UNKNOWN_REASON


def unknown(names: tuple[str, ...]) -> list[str]:
    return list(filter(is_unknown, names))


@ALL_ADAPTERS
@ALL_PAIRS
def test_every_algorithm_of_every_suite_and_option_is_known(adapter: Adapter, platform_a: str, platform_b: str) -> None:
    options = options_of(adapter, platform_a, platform_b)
    suites = (*suites_of(adapter, platform_a, platform_b), *(option.suite for option in options))
    assert {suite.name: unknown(suite.algorithms) for suite in suites if unknown(suite.algorithms)} == {}


@ALL_ADAPTERS
def test_every_part_of_a_design_is_known(adapter: Adapter) -> None:
    assert unknown(adapter.info.design) == []


@ALL_ADAPTERS
@ALL_PAIRS
def test_options_that_name_an_algorithm_are_known_by_the_programs_own_name_too(
    adapter: Adapter, platform_a: str, platform_b: str
) -> None:
    # A proposal (aes128-sha256) or a curve with a suite is known by its parts instead; the test above covers them.
    options = options_of(adapter, platform_a, platform_b)
    assert [
        option.name
        for option in options
        if unknown((option.name,)) and len(option.suite.algorithms) < 2 and not option.is_unprotected
    ] == []


@ALL_ADAPTERS
@ALL_PAIRS
def test_what_an_adapter_marks_as_unprotected_is_never_called_secure(
    adapter: Adapter, platform_a: str, platform_b: str
) -> None:
    for option in options_of(adapter, platform_a, platform_b):
        verdict, _ = judge_suite(option.suite, adapter.info)
        assert not (option.is_unprotected and verdict.is_deployable), option.name


@ALL_ADAPTERS
@ALL_PAIRS
@ALL_CPUS
def test_default_has_no_insecure_finding(
    adapter: Adapter, platform_a: str, platform_b: str, aes_a: bool, aes_b: bool
) -> None:
    suites = adapter.suites(facts(platform_a, has_aes=aes_a), facts(platform_b, has_aes=aes_b))
    for suite in suites:
        if suite.is_default and not adapter.info.is_unprotected:
            found = [finding for name in suite.algorithms for finding in findings(name, guidelines=tuple(GUIDELINES))]
            assert [one for one in found if one.verdict.severity >= Verdict.INSECURE.severity] == []
            assert judge_suite(suite, adapter.info)[0].severity < Verdict.INSECURE.severity
    assert sum(suite.is_default for suite in suites) == bool(suites)


@ALL_ADAPTERS
@ALL_PAIRS
def test_default_is_the_best_by_verdict(adapter: Adapter, platform_a: str, platform_b: str) -> None:
    suites = suites_of(adapter, platform_a, platform_b)
    severities = {suite.name: judge_suite(suite, adapter.info, guidelines=())[0].severity for suite in suites}
    for suite in suites:
        if suite.is_default:
            assert severities[suite.name] == min(severities.values())


@ALL_PAIRS
@ALL_CPUS
def test_only_the_baseline_and_what_may_be_deployed_is_ticked_by_itself(
    platform_a: str, platform_b: str, aes_a: bool, aes_b: bool
) -> None:
    candidates, ticked = find_candidates(ADAPTERS, facts(platform_a, has_aes=aes_a), facts(platform_b, has_aes=aes_b))
    verdicts = {(one.solution, one.suite): one.verdict for one in candidates}
    for key in ticked:
        assert key[0] == "baseline" or verdicts[key].is_deployable
    assert len({solution for solution, _ in ticked}) == len(ticked)
    assert {"wireguard", "openvpn-udp"} <= {solution for solution, _ in ticked}


def test_outside_a_chosen_guideline_is_acceptable_and_remains_ticked() -> None:
    host = facts()
    chosen = ("bsi-tr-02102-1",)
    free, _ = find_candidates(ADAPTERS, host, host, guidelines=())
    bound, ticked = find_candidates(ADAPTERS, host, host, guidelines=chosen)
    verdicts = {(one.solution, one.suite): one.verdict for one in free}
    changed = {
        (one.solution, one.suite): one.verdict for one in bound if one.verdict is not verdicts[one.solution, one.suite]
    }
    assert changed["wireguard", "chacha20-poly1305"] is Verdict.ACCEPTABLE
    assert set(changed.values()) == {Verdict.ACCEPTABLE}
    assert ("wireguard", "chacha20-poly1305-mlkem768") in ticked


def test_solutions_whose_design_is_legacy_are_not_ticked_by_themselves() -> None:
    barred = {
        name
        for name, adapter in ADAPTERS.items()
        if any(not judge(part).verdict.is_deployable for part in adapter.info.design)
    }
    assert barred >= {"tinc"} & set(ADAPTERS)
    for platform in platforms():
        _, ticked = find_candidates(ADAPTERS, facts(platform), facts(platform))
        assert barred.isdisjoint(solution for solution, _ in ticked)
