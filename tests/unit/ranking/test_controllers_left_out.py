"""Rounds and attempts that the settings of controllers leave out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import sample_record

from app.domain.controllers import ControllerSetting
from app.domain.events import Stage
from app.domain.results import AttemptStatus
from app.probes.messages import REPLIES_STOPPED
from app.ranking import rank
from app.wording.controllers import controller_note

SILENT = REPLIES_STOPPED(peer="10.0.0.2", host="gateway-a")


@pytest.mark.parametrize(
    ("reason", "stage", "message", "is_silent"),
    [
        ("probe-failed", Stage.LATENCY, SILENT, True),
        ("tunnel-down", Stage.THROUGHPUT, "Both hosts rolled back.", True),
        ("tunnel-down", Stage.VERIFY, "It did not come up.", False),
        ("probe-failed", Stage.LATENCY, "gateway-a cannot start ping.", False),
    ],
)
def test_no_setting_is_called_safe_where_the_tunnel_fell_silent_in_some_round(
    reason: str, stage: Stage, message: str, *, is_silent: bool
) -> None:
    record = sample_record(rounds=3, pings=200)
    fails = {"reason": reason, "stage": stage.value, "message": message, "status": AttemptStatus.FAILED, "latency": ()}
    attempts = [
        replace(one, **fails) if one.key.solution == "wireguard" and one.key.round == 2 else one  # type: ignore[arg-type]
        for one in record.attempts
    ]
    results = {one.solution: one for one in rank(replace(record, attempts=tuple(attempts))).results}
    found, other = results["wireguard"], results["baseline"]
    assert found.arrivals is not None
    assert other.arrivals is not None
    assert found.arrivals.silent_rounds == ((2,) if is_silent else ())
    assert bool(found.controllers) is not is_silent
    assert controller_note(found.arrivals).startswith("No setting is called safe: in round 2 ") is is_silent
    assert len(other.controllers) == len(ControllerSetting)


def test_the_note_reports_repeated_attempts_that_are_left_out() -> None:
    record = sample_record(rounds=2, pings=200)
    attempts = tuple(replace(one, repeats=1) for one in record.attempts)
    found = rank(replace(record, attempts=attempts)).results[0].arrivals
    assert found is not None
    assert "2 disturbed attempts were made again and are left out" in controller_note(found)
