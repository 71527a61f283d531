"""Settings that differ between two comparisons: none that changes what a latency means is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.conditions import Condition, LinkDirection
from app.domain.gates import HostReadings
from app.domain.profiles import ADAPTIVE_PROFILE, PROFILES, Profile, ProfileName
from app.domain.results import CampaignPlan, CampaignRecord
from app.ranking.compared_settings import changed_settings
from app.ranking.comparing import compare_records
from app.ranking.rank import rank
from support.sample_records import MODELS, pair, sample_record

RECORD = sample_record(models=MODELS[:3], rounds=1, pings=10, pair_spec=pair(is_lab=False))
LAB = sample_record(models=MODELS[:3], rounds=1, pings=10)


def changes(old: CampaignRecord, new: CampaignRecord) -> set[tuple[str, str, str]]:
    return {(str(one.what), one.before, one.after) for one in changed_settings(old, new)}


def of_plans(old: CampaignPlan, new: CampaignPlan) -> set[tuple[str, str, str]]:
    return changes(replace(RECORD, plan=old), replace(RECORD, plan=new))


def with_profile(profile: Profile) -> CampaignPlan:
    return replace(RECORD.plan, profile=profile)


def test_equal_comparisons_have_no_changed_settings() -> None:
    assert changes(RECORD, replace(RECORD, campaign_id=8)) == set()


def test_amounts_of_two_profiles_of_one_name_are_named() -> None:
    few = Profile(ProfileName.CUSTOM, 10, 1, 1)
    many = Profile(ProfileName.CUSTOM, 100_000, 60, 5, frame_bytes=(60, 1514))
    assert of_plans(with_profile(few), with_profile(many)) == {
        ("pings per frame size", "10", "100000"),
        ("seconds of TCP per direction", "1", "60"),
        ("planned rounds", "1", "5"),
        ("frame sizes in bytes", "60, 128, 256, 512, 1024, 1400, 1514", "60, 1514"),
    }


def test_the_budget_of_adaptive_comparisons_is_named() -> None:
    longer = replace(ADAPTIVE_PROFILE, budget_s=3600.0)
    assert of_plans(with_profile(ADAPTIVE_PROFILE), with_profile(longer)) == {("budget in min", "5", "60")}


def test_limits_of_an_adaptive_profile_are_not_compared_with_amounts_of_another_one() -> None:
    found = of_plans(with_profile(PROFILES[ProfileName.QUICK]), with_profile(ADAPTIVE_PROFILE))
    assert ("profile", "quick", "adaptive") in found
    assert ("pings per block", "none", "70, 60, 20, 20, 10, 10, 10") in found
    assert not any(what.startswith(("pings per frame", "seconds")) for what, _, _ in found)


def test_limits_and_workloads_are_named() -> None:
    old = replace(RECORD.plan, deadline_ms=None, workloads=("voice", "transfer"), transfer_mb=4)
    new = replace(old, deadline_ms=20.0, min_rate_mbit_s=2.5, workloads=("transfer",), transfer_mb=10)
    assert of_plans(old, new) == {
        ("deadline in ms", "none", "20"),
        ("required throughput in Mbit/s", "none", "2.5"),
        ("workloads", "transfer, voice", "transfer"),
        ("transferred file in MB", "4", "10"),
    }
    assert of_plans(replace(old, workloads=()), replace(old, workloads=(), transfer_mb=9)) == set()


def test_another_machine_is_named_and_the_port_of_a_lab_is_not() -> None:
    def moved(record: CampaignRecord) -> CampaignRecord:
        spec = record.plan.pair
        plan = replace(record.plan, pair=replace(spec, a=replace(spec.a, address="192.0.2.99", port=2222)))
        return replace(record, plan=plan)

    assert changes(RECORD, moved(RECORD)) == {("A: address", "192.0.2.10:22", "192.0.2.99:2222")}
    assert changes(LAB, moved(LAB)) == set()


def test_facts_of_a_machine_that_was_replaced_are_named() -> None:
    facts = {**RECORD.facts, "b": replace(RECORD.facts["b"], hostname="gw-new", cpu_flags=())}
    assert changes(RECORD, replace(RECORD, facts=facts)) == {
        ("B: host name", "gw-b", "gw-new"),
        ("B: CPU features", "aes, avx2", "none"),
    }


def read(record: CampaignRecord, clock: str, governor: str = "") -> CampaignRecord:
    readings = {"a": HostReadings(clock_source=clock, governor=governor)}
    return replace(record, attempts=tuple(replace(one, readings=readings) for one in record.attempts))


def test_clock_source_and_governor_are_compared_where_both_comparisons_read_them() -> None:
    before, after = read(RECORD, "tsc"), read(RECORD, "hpet", "powersave")
    assert changes(before, after) == {
        ("A: clock source", "tsc", "hpet"),
        ("A: frequency governor", "none", "powersave"),
    }
    assert changes(RECORD, after) == set(), "what was not read is not known to differ"


@pytest.mark.parametrize(
    ("direction", "key", "values"),
    [
        (LinkDirection(300.0, queue_ms=900.0), "queue_ms", ("500", "900")),
        (LinkDirection(300.0, queue_ms=500.0, trace_step_s=0.2), "trace_step_s", ("0.1", "0.2")),
    ],
)
def test_values_of_a_condition_that_its_words_leave_out_are_named(
    direction: LinkDirection, key: str, values: tuple[str, str]
) -> None:
    plans = [
        replace(RECORD.plan, condition=Condition("geo", "Geostationary", a_to_b=one, b_to_a=one))
        for one in (LinkDirection(300.0, queue_ms=500.0), direction)
    ]
    assert of_plans(*plans) == {(f"condition, {way}.{key}", *values) for way in ("a_to_b", "b_to_a")}


def test_two_comparisons_know_whether_their_condition_is_the_same() -> None:
    geo = Condition("geo", "Geostationary", a_to_b=LinkDirection(300.0), b_to_a=LinkDirection(300.0))
    longer = replace(geo, b_to_a=LinkDirection(600.0))
    records = [replace(RECORD, plan=replace(RECORD.plan, condition=one)) for one in (None, geo, longer)]
    same = [[compare_records((a, rank(a)), (b, rank(b))).is_same_condition for a in records] for b in records]
    assert same == [[True, False, False], [False, True, False], [False, False, True]]
    retold = replace(RECORD, plan=replace(RECORD.plan, condition=replace(geo, title="Satellite", source="a study")))
    assert compare_records((records[1], rank(records[1])), (retold, rank(retold))).is_same_condition
