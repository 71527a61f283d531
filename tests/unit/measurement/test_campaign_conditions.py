"""A comparison under a condition: set before, proven, held, released whatever happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
import sample_records as sample
from adaptive_stage import AdaptiveStage
from campaign_stage import Stage, by_solution

from app.domain.condition_files import presets
from app.domain.conditions import Condition, ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import LabFault, NotFound, ProbeFailed, ProgramMissing
from app.domain.events import AttemptStarted, RoundEnded
from app.domain.profiles import ADAPTIVE_PROFILE, PROFILES, ProfileName
from app.domain.results import CampaignStatus
from app.measurement.comparison.conditions import profile_under
from app.measurement.control import CampaignControl
from app.measurement.link_conditions import LinkMeasurement
from app.probes.pacing import ping_interval_s
from app.ranking import rank

GEO = presets()["geo"]


@dataclass
class FakeLink:
    """Implements `ConditionedLink`."""

    calls: list[str] = field(default_factory=list)
    why: str = ""

    def hold(self, condition: Condition | None) -> None:
        self.calls.append(condition.name if condition is not None else "joined directly")

    def release(self) -> None:
        self.calls.append("release")

    def deviation(self, condition: Condition) -> str:
        return self.why


class FailingLink(FakeLink):
    """A link that cannot be held."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def hold(self, condition: Condition | None) -> None:
        raise self.error


def measured(*, is_met: bool) -> MeasuredCondition:
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.0 if is_met else 20.0, 490.0, 510.0, is_met)
    return MeasuredCondition("geo", datetime(2026, 11, 25, tzinfo=UTC), (check,))


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(LinkMeasurement, "direct_ms", lambda _self: 1.0)
    monkeypatch.setattr(LinkMeasurement, "measure", lambda *_: measured(is_met=True))
    return Stage(condition=GEO, conditioned=FakeLink())


def calls(stage: Stage) -> list[str]:
    assert isinstance(stage.conditioned, FakeLink)
    return stage.conditioned.calls


def test_the_condition_is_proven_before_the_first_attempt_and_released_after_the_last(stage: Stage) -> None:
    stage.on_event = lambda event: calls(stage).append("attempt") if isinstance(event, AttemptStarted) else None
    record = stage.run()
    assert record.status is CampaignStatus.COMPLETED
    lifted = ["none", "geo"]  # for packet tests, which each candidate's first attempt has
    assert calls(stage) == ["none", "geo", *["attempt", *lifted] * len(record.plan.candidates), "attempt", "release"]
    assert {attempt.key.condition for attempt in record.attempts} == {"geo"}
    assert record.measured_conditions == (measured(is_met=True),)
    assert rank(record).recommendation.sentence.startswith("On a link like geo: ")


def test_nothing_is_judged_on_a_link_that_is_not_as_asked_for(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LinkMeasurement, "measure", lambda *_: measured(is_met=False))
    record = stage.run()
    assert record.status is CampaignStatus.INTERRUPTED
    assert {(one.status.value, one.reason) for one in record.attempts} == {("not-run", "condition-not-met")}
    assert calls(stage)[-1] == "release"
    assert [one.is_met for one in record.measured_conditions] == [False]


def test_a_candidate_under_another_condition_has_failed(stage: Stage) -> None:
    link = stage.conditioned
    assert isinstance(link, FakeLink)

    def change(event: object) -> None:
        if isinstance(event, AttemptStarted):
            link.why = "The link emulator has ended." if event.key.solution == "wireguard" else ""

    stage.on_event = change
    record = stage.run()
    assert by_solution(record)["wireguard"] == ["failed"]
    assert by_solution(record)["openvpn-udp"] == ["completed"]
    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert (failed.reason, failed.message) == ("condition-not-met", "The link emulator has ended.")


def test_without_a_condition_the_gateways_of_a_lab_are_joined_directly_until_the_end() -> None:
    stage = Stage(conditioned=FakeLink())
    stage.on_event = lambda event: calls(stage).append("attempt") if isinstance(event, AttemptStarted) else None
    record = stage.run()
    assert record.status is CampaignStatus.COMPLETED
    assert calls(stage)[0] == "joined directly"
    assert calls(stage)[-1] == "release"
    assert calls(stage)[1:-1] == ["attempt"] * len(record.attempts)


def test_an_adaptive_comparison_holds_the_link_as_found_from_its_first_round_to_its_end() -> None:
    stage = AdaptiveStage(conditioned=FakeLink())
    stage.on_event = lambda event: calls(stage).append("attempt") if isinstance(event, AttemptStarted) else None
    record = stage.compare()
    assert record.status is CampaignStatus.COMPLETED
    assert [one for one in calls(stage) if one != "attempt"] == ["joined directly", "release"]
    assert calls(stage)[-1] == "release"


def test_an_adaptive_comparison_that_goes_on_holds_the_link_as_well() -> None:
    def cancel(event: object) -> None:
        if isinstance(event, RoundEnded):
            stage.control.token.cancel()

    stage = AdaptiveStage(conditioned=FakeLink(), on_event=cancel)
    record = stage.compare()
    assert record.status is CampaignStatus.CANCELLED
    assert calls(stage) == ["joined directly", "release"]
    stage.on_event, stage.control = lambda _event: None, CampaignControl()
    assert stage.compare(record.campaign_id).status is CampaignStatus.COMPLETED
    assert calls(stage) == 2 * ["joined directly", "release"]


@pytest.mark.parametrize("is_adaptive", [False, True])
def test_a_lab_that_does_not_answer_gets_no_attempt(*, is_adaptive: bool) -> None:
    link = FailingLink(LabFault("The lab does not answer."))
    record = AdaptiveStage(conditioned=link).compare() if is_adaptive else Stage(conditioned=link).run()
    assert record.status is CampaignStatus.INTERRUPTED
    assert {one.status.value for one in record.attempts} == {"not-run"}


def test_hosts_of_no_lab_that_runs_have_no_link_to_hold() -> None:
    record = Stage(conditioned=FailingLink(NotFound("The practice lab is down."))).run()
    assert record.status is CampaignStatus.COMPLETED


@pytest.mark.parametrize("how", ["cancel", "error"])
def test_it_is_released_after_an_error_and_a_cancel(how: str, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: object) -> float:
        if how == "cancel":
            stage.control.token.cancel()
            stage.control.token.raise_if_cancelled()
        raise ProbeFailed("Nothing answers.")

    monkeypatch.setattr(LinkMeasurement, "direct_ms", fail)
    record = stage.run()
    assert record.status is (CampaignStatus.CANCELLED if how == "cancel" else CampaignStatus.INTERRUPTED)
    assert calls(stage)[-1] == "release"
    assert not any(one.latency for one in record.attempts)


@pytest.mark.parametrize(("error", "tries"), [(ProbeFailed, 2), (ProgramMissing, 1)])
def test_a_condition_is_not_measured_again_where_a_program_is_missing(
    error: type[ProbeFailed], tries: int, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def fail(*_: object) -> MeasuredCondition:
        made.append("measure")
        raise error("iperf3 is missing on gateway-b.")

    monkeypatch.setattr(LinkMeasurement, "measure", fail)
    record = stage.run()
    assert len(made) == tries
    assert {one.reason for one in record.attempts} == {error.reason}


def test_a_pair_without_conditions_is_refused_as_a_result() -> None:
    record = Stage(condition=GEO).run()
    assert {one.reason for one in record.attempts} == {"condition-not-met"}


def test_a_profile_leaves_tcp_time_to_fill_a_slow_line() -> None:
    quick = PROFILES[ProfileName.QUICK]
    assert profile_under(presets()["wifi"], quick) == quick
    assert profile_under(GEO, quick).seconds == 10
    fixed = profile_under(presets()["lte"], ADAPTIVE_PROFILE)
    assert not fixed.is_adaptive
    assert (fixed.name, fixed.budget_s, fixed.rounds) == (ProfileName.CUSTOM, None, 2)


def test_echo_requests_overlap_on_a_slow_link_only_and_leave_room_on_the_line() -> None:
    found = {name: ping_interval_s(one) for name, one in presets().items()}
    assert found["wifi"] is None
    assert found["lossy"] is None
    assert found["geo"] == 0.02
    assert found["dsl"] == pytest.approx(0.036, abs=0.001)
    assert ping_interval_s(None) is None


def test_the_plan_names_the_condition_in_each_attempt() -> None:
    plan = Stage(condition=GEO).plan()
    assert plan.condition == GEO
    assert {key.condition for key in plan.attempts} == {"geo"}
    assert {key.condition for key in Stage().plan().attempts} == {"as-found"}
    assert sample.BASELINE in plan.candidates
