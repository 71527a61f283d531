"""A comparison under a condition that hosts of the user's own make themselves while a tunnel is up."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from campaign_stage import Stage, by_solution
from fake_hosts import Answer
from fake_pair import FakePair, FakeTunnels, lines

from app.domain.adapters import PlanStep
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.condition_files import presets
from app.domain.conditions import MeasuredCondition
from app.measurement.link_conditions import LinkMeasurement
from app.measurement.messages.studies import HOST_NOT_SHAPED, SHAPING_REMAINS
from support.message_checks import has_message

GEO = presets()["geo"]
SHAPE = PlanStep(
    "Shape",
    Command(("shape", "set"), timeout_s=1.0),
    Command(("shape", "unset"), timeout_s=1.0),
    health_check=Command(("shape", "check"), timeout_s=1.0),
)


@dataclass
class ShapedPair(FakePair):
    """Both hosts, of which one may have lost its condition, or keep it.

    Attributes:
        lost: Hosts that do not make the condition any more.
        kept: Hosts that do not remove it.
        asked: Commands of the step, by host, and the tunnels that were up then.
    """

    lost: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    tunnels: FakeTunnels = field(default_factory=lambda: FakeTunnels(steps=(SHAPE,)))

    def _answer(self, side: str, command: Command, token: CancelToken) -> Answer:
        if command.argv[0] != "shape":
            return super()._answer(side, command, token)
        self.asked.append((side, command.argv[1], *self.tunnels.tunnels_up))
        failing = self.lost if command.argv[1] == "check" else self.kept
        return lines(status=int(side in failing))


@pytest.fixture
def pair() -> ShapedPair:
    return ShapedPair()


@pytest.fixture
def stage(pair: ShapedPair, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(LinkMeasurement, "direct_ms", lambda _self: 1.0)
    monkeypatch.setattr(
        LinkMeasurement, "measure", lambda *_: MeasuredCondition("geo", datetime(2026, 11, 29, tzinfo=UTC), ())
    )
    return Stage(is_lab=False, allow_load=True, condition=GEO, pair=pair, tunnels=pair.tunnels, rounds=2)


def test_each_host_is_asked_after_each_tunnel_and_does_not_shape_packet_tests(stage: Stage, pair: ShapedPair) -> None:
    record = stage.run()
    assert {status for found in by_solution(record).values() for status in found} == {"completed"}
    for solution in ("wireguard", "openvpn-udp"):
        asked = [(side, what) for side, what, *up in pair.asked if solution in up]
        assert sorted(asked[:2]) == [("a", "check"), ("b", "check")]
        assert sorted(asked[2:4]) == [("a", "unset"), ("b", "unset")], "packet tests come last in the first round"
        assert sorted(asked[4:]) == [("a", "check"), ("b", "check")]


def test_an_attempt_on_hosts_that_lost_their_condition_has_failed(stage: Stage, pair: ShapedPair) -> None:
    pair.lost = {"b"}
    record = stage.run()
    failed = next(one for one in record.attempts if one.key.solution == "wireguard")
    assert failed.reason == "condition-not-met"
    assert has_message(HOST_NOT_SHAPED, host="gateway-b", condition="geo")(failed.message)


def test_packet_tests_are_not_made_on_a_host_that_still_shapes(stage: Stage, pair: ShapedPair) -> None:
    pair.kept = {"a"}
    failed = next(one for one in stage.run().attempts if one.key.solution == "wireguard")
    assert failed.capture is None
    assert has_message(SHAPING_REMAINS, host="gateway-a")(failed.message)
