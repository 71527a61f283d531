"""Workloads of a comparison: run over each tunnel; what cannot be measured is a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest
import sample_records as sample
from campaign_stage import Stage
from fake_pair import FakeTunnel

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan, ProbeFailed
from app.domain.events import LogLine, StageStarted
from app.domain.events import Stage as AttemptStage
from app.domain.hosts import Side
from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.comparison import plan_campaign
from app.measurement.comparison.conditions import workloads_s
from app.measurement.messages import MB_TO_TRANSFER, NUMBER_OUT_OF_RANGE
from app.probes.pacing import ping_interval_s
from app.probes.workloads import WORKLOADS, Workload, WorkloadPath
from app.ranking.workloads import workload_notes
from support.message_checks import has_message


@pytest.fixture
def paths(monkeypatch: pytest.MonkeyPatch) -> list[WorkloadPath]:
    """Paths that the workload voice was run over; the second one fails."""
    seen: list[WorkloadPath] = []

    def run(path: WorkloadPath) -> Mapping[str, float]:
        seen.append(path)
        if len(seen) == 2:
            raise ProbeFailed("No packet of the call arrived.", hint="A firewall may drop UDP.")
        return {"mos": 4.2}

    voice = replace(WORKLOADS["voice"], run=run)
    monkeypatch.setitem(cast("dict[str, Workload]", WORKLOADS), "voice", voice)
    return seen


def test_each_attempt_has_its_result_and_a_failure_ends_nothing(paths: list[WorkloadPath]) -> None:
    stage = Stage(workloads=("voice",))
    record = stage.run()
    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    assert len(paths) == len(record.attempts)
    results = [one.workloads[0] for one in record.attempts]
    assert results[0].figures == {"mos": 4.2}
    assert (results[1].figures, results[1].message) == ({}, "No packet of the call arrived. A firewall may drop UDP.")
    begun = [event.detail for event in stage.of(StageStarted) if event.stage is AttemptStage.WORKLOAD]
    assert begun == ["Telephone call (G.711)"] * len(paths)
    assert {path.sessions for path in paths} == {stage.sessions}


def test_no_workload_is_run_unless_it_was_asked_for(paths: list[WorkloadPath]) -> None:
    assert all(one.workloads == () for one in Stage().run().attempts)
    assert paths == []


def test_a_plan_with_workloads_has_fixed_rounds_and_their_time() -> None:
    plain, more = Stage().plan(), Stage(workloads=("voice", "two-flows")).plan()
    added = [after - before for before, after in zip(plain.predicted_s, more.predicted_s, strict=True)]
    assert added == [pytest.approx(workloads_s(("voice", "two-flows"), None))] * len(added)
    adaptive = plan_campaign(plain.pair, plain.candidates, ADAPTIVE_PROFILE, seed=1, workloads=("voice",))
    assert not adaptive.profile.is_adaptive


def test_only_candidates_with_a_hub_take_the_time_of_a_workload_on_one() -> None:
    plain = Stage().plan()
    hubs = [(sample.WIREGUARD.solution, sample.WIREGUARD.suite)]
    more = plan_campaign(plain.pair, plain.candidates, plain.profile, seed=1, workloads=("key-exchanges",), hubs=hubs)
    before = plan_campaign(plain.pair, plain.candidates, plain.profile, seed=1)
    zipped = zip(more.attempts, before.predicted_s, more.predicted_s, strict=True)
    added = {key.solution: after_s - before_s for key, before_s, after_s in zipped}
    assert added.pop("wireguard") == pytest.approx(workloads_s(("key-exchanges",), None))
    assert added
    assert set(added.values()) == {0.0}


def test_the_predicted_time_follows_the_size_of_the_file() -> None:
    plan = Stage().plan()
    usual, larger = (
        plan_campaign(plan.pair, plan.candidates, plan.profile, seed=1, workloads=("transfer",), transfer_mb=size_mb)
        for size_mb in (4, 104)
    )
    assert larger.transfer_mb == 104
    assert sum(larger.predicted_s) > sum(usual.predicted_s) + 10 * len(usual.predicted_s)
    slow = presets()["lte"]
    rates = [way.rate_mbit_s for way in (slow.a_to_b, slow.b_to_a) if way.rate_mbit_s is not None]
    added = workloads_s(("transfer",), slow, 5) - workloads_s(("transfer",), slow, 4)
    assert added >= sum(8 / rate for rate in rates) > 0
    assert workloads_s(("voice",), slow, 5) == workloads_s(("voice",), slow, 4)


def test_rates_that_change_count_with_their_mean_for_files_and_with_their_lowest_for_echo_requests() -> None:
    way = LinkDirection(delay_ms=20.0, trace_mbit_s=(0.1, 3.9), queue_ms=100.0)
    changing = Condition("sky", "Handovers", a_to_b=way, b_to_a=way)
    fixed = replace(way, trace_mbit_s=(), rate_mbit_s=2.0)
    same_mean = replace(changing, a_to_b=fixed, b_to_a=fixed)
    assert workloads_s(("transfer",), changing) == pytest.approx(workloads_s(("transfer",), same_mean))
    slow = replace(fixed, rate_mbit_s=0.1)
    assert ping_interval_s(changing) == ping_interval_s(replace(changing, a_to_b=slow)) != ping_interval_s(same_mean)


def test_a_workload_restarts_the_vpn_of_the_running_tunnel_and_not_that_of_the_bare_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare: list[bool] = []
    stage = Stage(workloads=("restart", "voice"))
    order: list[str] = []

    def run(path: WorkloadPath) -> Mapping[str, float]:
        order.append("restart")
        bare.append(path.restart is None)
        if path.restart is None:
            raise ProbeFailed("No VPN.")
        path.restart(Side.B)
        path.mark_missing("Frames did not cross again.")
        path.restart_both()
        return {"outage-a": 1.5}

    def call(_path: WorkloadPath) -> Mapping[str, float]:
        order.append("voice")
        return {"mos": 4.2}

    for name, runs in (("restart", run), ("voice", call)):
        one = replace(WORKLOADS[name], run=runs)
        monkeypatch.setitem(cast("dict[str, Workload]", WORKLOADS), name, one)
    made: list[FakeTunnel] = []
    monkeypatch.setattr("fake_pair.FakeTunnel", lambda *words: made.append(FakeTunnel(*words)) or made[-1])
    record = stage.run()

    assert order == ["voice", "restart"] * len(record.attempts)
    assert bare == [attempt.key.solution == "baseline" for attempt in record.attempts]
    assert [one.did for one in made] == [[] if is_bare else ["restart b", "restart both"] for is_bare in bare]
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    notes = workload_notes(record)
    assert any("was not measured in round 1: No VPN." in note for note in notes)
    assert any(note.endswith(", round 1: Frames did not cross again.") for note in notes)
    words = [event.text for event in stage.of(LogLine) if "in part" in event.text]
    assert words[0] == "Restart of the VPN on one host was measured in part: Frames did not cross again."


@pytest.mark.parametrize("size_mb", [0, -1, 1_001])
def test_a_size_out_of_range_is_refused(size_mb: int) -> None:
    plan = Stage().plan()
    with pytest.raises(InvalidPlan, check=has_message(NUMBER_OUT_OF_RANGE, value=size_mb, what=MB_TO_TRANSFER())):
        plan_campaign(plan.pair, plan.candidates, plan.profile, seed=1, transfer_mb=size_mb)


def test_the_attempts_of_a_plan_transfer_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def sized(size_mb: int) -> Workload:
        sizes.append(size_mb)
        return replace(WORKLOADS["transfer"], run=lambda _path: {"b-to-a": 1.0})

    monkeypatch.setattr("app.probes.workloads.transfer.sized", sized)
    record = Stage(workloads=("transfer",), transfer_mb=32).run()
    assert set(sizes) == {32}
    assert record.plan.transfer_mb == 32
