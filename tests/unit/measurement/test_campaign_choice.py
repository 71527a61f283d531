"""Comparisons as users choose them: which are refused, and what becomes of the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
import sample_records as sample
from fake_pair import FakeAdapter

from app.discovery.pair_discovery import Discovery
from app.domain.condition_files import presets
from app.domain.conditions import Condition, name_of
from app.domain.errors import InvalidPlan
from app.domain.hosts import PairSpec, Tool, ToolFlavour
from app.domain.hubs import Hub
from app.domain.profiles import PROFILES, Profile, ProfileName
from app.domain.results import CampaignPlan
from app.measurement.comparison import plan_choice
from app.measurement.messages import CANDIDATES_NOT_OFFERED, SHAPING_NOT_ALLOWED
from app.measurement.options import RunOptions
from app.storage.summaries import MeanDurations
from app.tunnel.messages import CHANGES_NOT_MADE
from support.message_checks import has_message

GEO, WIFI = presets()["geo"], presets()["wifi"]
QUICK = RunOptions(PROFILES[ProfileName.QUICK])
OFFERED = (sample.BASELINE, sample.WIREGUARD)
CHOSEN = tuple((one.solution, one.suite) for one in OFFERED)
OWN, LAB = (replace(sample.pair(), is_lab=is_lab) for is_lab in (False, True))
FACTS = {"a": sample.facts("gw-a"), "b": sample.facts("gw-b")}
CHANGING = next(one for one in presets().values() if one.a_to_b.trace_ms or one.b_to_a.trace_ms)


def planned(
    pair: PairSpec,
    options: RunOptions,
    *,
    usual: Condition | None = None,
    chosen: tuple[tuple[str, str], ...] = CHOSEN,
    seconds: float | None = None,
    hubs: Mapping[str, Hub] | None = None,
) -> CampaignPlan:
    """Return the plan; on the pair, a WireGuard attempt took so many seconds until now."""

    def durations(name: str, profile: Profile) -> dict[str, MeanDurations]:
        assert (name, profile) == (pair.name, options.profile)
        return {} if seconds is None else {"wireguard": MeanDurations(3, seconds, seconds, seconds)}

    discovery = cast("Discovery", SimpleNamespace(pair=pair, candidates=OFFERED, facts=FACTS))
    return plan_choice(discovery, chosen, options, usual_condition=lambda _pair: usual, durations=durations, hubs=hubs)


@pytest.mark.parametrize("has_suite", [True, False])
def test_a_workload_on_a_hub_takes_time_where_the_hub_has_the_suite(
    monkeypatch: pytest.MonkeyPatch, *, has_suite: bool
) -> None:
    monkeypatch.setitem(FACTS["b"].tools, "perl", Tool("perl", ToolFlavour.UNKNOWN, "5.40", "/usr/bin/perl"))
    adapter = FakeAdapter(sample.WIREGUARD.suite if has_suite else "another")
    hub = cast("Hub", SimpleNamespace(adapter=lambda _clients: adapter))
    plan = planned(LAB, replace(QUICK, workloads=("key-exchanges",)), hubs={"wireguard": hub})
    predicted_s = {key.solution: seconds for key, seconds in zip(plan.attempts, plan.predicted_s, strict=True)}
    assert (predicted_s["wireguard"] > predicted_s["baseline"] + 100) == has_suite


def test_link_of_own_hosts_is_shaped_with_consent_only() -> None:
    with pytest.raises(InvalidPlan, check=has_message(SHAPING_NOT_ALLOWED)):
        planned(OWN, replace(QUICK, condition=GEO))
    assert planned(OWN, replace(QUICK, condition=GEO, may_shape=True)).condition == GEO
    assert planned(LAB, replace(QUICK, condition=GEO)).condition == GEO
    assert planned(OWN, QUICK).condition is None


def test_delays_that_change_too_fast_are_for_labs_only() -> None:
    assert planned(OWN, replace(QUICK, condition=CHANGING, may_shape=True)).condition == CHANGING
    fast = replace(CHANGING, a_to_b=replace(CHANGING.a_to_b, trace_step_s=0.01))
    options = replace(QUICK, condition=fast, may_shape=True)
    with pytest.raises(InvalidPlan, check=has_message(CHANGES_NOT_MADE)):
        planned(OWN, options)
    assert planned(LAB, options).condition == fast


def test_condition_that_lasts_on_a_link_applies_where_none_is_chosen() -> None:
    assert planned(LAB, QUICK, usual=WIFI).condition == WIFI
    other = planned(LAB, replace(QUICK, condition=GEO), usual=WIFI)
    assert {key.condition for key in other.attempts} == {name_of(GEO)}


def test_only_what_is_offered_is_compared() -> None:
    with pytest.raises(InvalidPlan, check=has_message(CANDIDATES_NOT_OFFERED, candidates=("rot13 x", "ipsec y"))):
        planned(LAB, QUICK, chosen=(*CHOSEN, ("rot13", "x"), ("ipsec", "y")))
    assert planned(LAB, QUICK, chosen=CHOSEN[1:]).candidates == OFFERED[1:]


@pytest.mark.parametrize("differs", [{}, {"condition": GEO}, {"workloads": ("voice",)}])
def test_times_of_earlier_attempts_count_for_the_same_work_only(differs: dict[str, object]) -> None:
    options = replace(QUICK, **differs)  # type: ignore[arg-type]
    longer, unknown = (planned(LAB, options, seconds=seconds) for seconds in (500.0, None))
    assert (sum(longer.predicted_s) > sum(unknown.predicted_s)) is (not differs)


def test_options_are_in_the_plan() -> None:
    options = replace(QUICK, deadline_ms=20.0, min_rate_mbit_s=3.0, load_cap_mbit_s=7.0, has_load_consent=True, seed=5)
    made = planned(OWN, options)
    assert (made.deadline_ms, made.min_rate_mbit_s, made.allow_load, made.seed) == (20.0, 3.0, True, 5)
    assert made.pair == replace(OWN, load_cap_mbit_s=7.0)
    assert len({planned(OWN, QUICK).seed for _ in range(4)}) > 1, "without a seed, one is drawn"
