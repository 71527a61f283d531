from __future__ import annotations

from dataclasses import replace

from sample_records import MODELS, sample_record

from app.domain.messages import Message
from app.domain.results import AttemptStatus
from app.ranking import rank
from app.ranking.messages import LAST_ATTEMPT_FAILED
from app.ranking.outcome import Remedy, outcome_of

SUBNET = "gateway-a uses 192.0.2.0/24 already, and the tunnel's addresses lie in it. Choose other addresses."


def _failing(reason: str, message: str) -> tuple:
    return tuple(model if not nth else replace(model, failure=(reason, message)) for nth, model in enumerate(MODELS))


def test_one_cause_of_all_failures_is_reported_once_with_the_step_that_removes_it() -> None:
    found = outcome_of(sample_record(rounds=1, models=_failing("preflight", SUBNET)))
    assert (found.vpns, found.measured, found.failed) == (5, 0, 5)
    assert found.headline == "5 of 5 VPNs failed"
    assert found.measured_words == "0 of 5 VPNs measured"
    assert [cause.sentence for cause in found.causes] == [f"5x: {SUBNET}"]
    assert found.causes[0].remedy is Remedy.LINK


def test_causes_are_grouped_over_rounds_and_the_most_frequent_comes_first() -> None:
    models = [*_failing("preflight", SUBNET)]
    models[1] = replace(models[1], failure=("tunnel-down", "The daemon ended at once."))
    found = outcome_of(sample_record(rounds=3, models=models))
    assert [cause.sentence for cause in found.causes] == [
        f"4x: {SUBNET}",
        f"{MODELS[1].candidate.title}: The daemon ended at once.",
    ]
    assert found.attempts_failed == 15
    assert found.causes[1].remedy is Remedy.NONE


def test_a_cause_that_is_a_message_remains_one() -> None:
    record = sample_record(rounds=1)
    why = LAST_ATTEMPT_FAILED()
    broken = replace(record.attempts[1], status=AttemptStatus.FAILED, reason="timeout", message=why)
    found = outcome_of(replace(record, attempts=(broken,)))
    assert [cause.message for cause in found.causes if isinstance(cause.message, Message)] == [why]


def test_a_vpn_that_failed_in_one_round_only_was_measured() -> None:
    record = sample_record(rounds=2)
    broken = replace(record.attempts[2], status=AttemptStatus.FAILED, reason="timeout", message="Too slow.")
    found = outcome_of(replace(record, attempts=(*record.attempts[:2], broken, *record.attempts[3:])))
    assert found.measured == 4
    assert found.failed == 1  # the cipher that OpenSSL has no more
    assert {cause.reason for cause in found.causes} == {"timeout", "tunnel-down"}


def test_nothing_is_reported_of_a_comparison_without_failures() -> None:
    found = outcome_of(sample_record(models=MODELS[:5]))
    assert (found.headline, found.causes) == ("", ())


def test_a_baseline_that_failed_is_no_vpn() -> None:
    models = [replace(MODELS[0], failure=("probe-failed", "ping ended.")), *MODELS[1:5]]
    found = outcome_of(sample_record(models=models))
    assert (found.failed, found.measured) == (0, 4)
    assert found.headline == "4 of 16 attempts failed"


def test_causes_are_among_the_doubts_and_nothing_is_reported_of_ranks_that_no_one_has() -> None:
    doubts = rank(sample_record(rounds=1, models=_failing("preflight", SUBNET))).doubts
    assert f"5 of 5 VPNs failed. 5x: {SUBNET}" in doubts
    assert not any("share rank" in doubt for doubt in doubts)
