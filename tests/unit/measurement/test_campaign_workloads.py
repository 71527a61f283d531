"""Workloads of a comparison: run over each tunnel; what cannot be measured is a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from campaign_stage import Stage

from app.domain.errors import ProbeFailed
from app.domain.events import Stage as AttemptStage
from app.domain.events import StageStarted
from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.comparison import plan_campaign
from app.measurement.comparison.conditions import workloads_s
from app.measurement.comparison.workload_run import WORKLOADS
from app.probes.workloads import WorkloadPath


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
    monkeypatch.setattr("app.measurement.comparison.workload_run.WORKLOADS", {**WORKLOADS, "voice": voice})
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
