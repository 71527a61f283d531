"""Log of a monitored pair."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from fake_deployment_values import INSPECTED_AT, with_end
from watched_pair import after, confirmed_deployment, healthy_status

from app.deployment.messages import (
    CANNOT_BE_ASKED,
    HAD_NO_ANSWER,
    LOST_BETWEEN,
    NO_ANSWER_ON,
    SILENT_HOST,
    TUNNEL_LOST,
    UP_AGAIN,
)
from app.deployment.monitor_log import MOST_SAMPLES, Health, MonitorLimits, MonitorLog
from app.domain.deployment_status import Outage, PairStatus
from app.domain.hosts import Side
from app.domain.messages.lists import AND


@pytest.fixture
def healthy() -> PairStatus:
    return healthy_status(confirmed_deployment())


def test_a_loss_is_reported_when_it_begins_and_when_it_ends_with_its_length(healthy: PairStatus) -> None:
    log = MonitorLog()
    lost = with_end(healthy, Side.B, is_up=False, rtt_ms=None)
    assert [line.text for line in log.take(healthy, MonitorLimits())] == ["Watching begins; the tunnel is up."]
    (line,) = log.take(after(lost, 5), MonitorLimits())
    assert line.is_bad
    assert line.text == TUNNEL_LOST(why=NO_ANSWER_ON(hosts="gateway-b"))
    assert log.take(after(lost, 10), MonitorLimits()) == ()
    (line,) = log.take(after(healthy, 70), MonitorLimits())
    assert (line.text, line.is_bad) == ("The tunnel is up again after 1 min 5 s.", False)


def test_a_host_out_of_reach_is_no_lost_tunnel(healthy: PairStatus) -> None:
    log = MonitorLog()
    away = with_end(healthy, Side.A, is_reachable=False, is_up=False)
    assert log.take(away, MonitorLimits())[0].text == CANNOT_BE_ASKED(why=SILENT_HOST(hosts="gateway-a"))
    assert log.fail(INSPECTED_AT, "gateway-a does not answer.") == (), "it is told once"
    lost = with_end(with_end(healthy, Side.A, is_up=False), Side.B, is_up=False)
    assert log.take(lost, MonitorLimits())[0].text == TUNNEL_LOST(
        why=NO_ANSWER_ON(hosts=AND(first="gateway-a", last="gateway-b"))
    )


def test_limits_are_compared_with_the_worse_host_and_only_while_the_tunnel_is_up(healthy: PairStatus) -> None:
    log, limits = MonitorLog(), MonitorLimits(rtt_ms=10.0, loss_pct=1.0)
    log.take(healthy, limits)
    slow = with_end(with_end(healthy, Side.B, rtt_ms=10.1), Side.A, loss_pct=5.0)
    assert [line.text for line in log.take(slow, limits)] == [
        "Round-trip time is 10.10 ms, above 10.00 ms.",
        "Loss is 5 %, above 1 %.",
    ]
    assert log.take(slow, limits) == ()
    lost = with_end(with_end(slow, Side.A, is_up=False), Side.B, is_up=False)
    assert [line.text.partition(":")[0] for line in log.take(lost, limits)] == ["Tunnel lost"]
    texts = [line.text for line in log.take(healthy, limits)]
    assert texts[1:] == ["Round-trip time is 1.47 ms again.", "Loss is 0 % again."]


def test_exactly_the_limit_is_within_it_and_no_limit_tells_nothing(healthy: PairStatus) -> None:
    log = MonitorLog()
    log.take(healthy, MonitorLimits())
    exact = with_end(healthy, Side.B, rtt_ms=10.0)
    assert log.take(exact, MonitorLimits(rtt_ms=10.0)) == ()
    assert log.take(with_end(healthy, Side.B, rtt_ms=9_000.0), MonitorLimits()) == ()


def test_what_is_remembered_is_bounded(healthy: PairStatus) -> None:
    log = MonitorLog()
    for nth in range(MOST_SAMPLES + 10):
        log.take(after(healthy, nth), MonitorLimits())
    assert len(log.samples) == MOST_SAMPLES
    assert log.samples[-1].at == healthy.at + timedelta(seconds=MOST_SAMPLES + 9)
    assert log.samples[-1].loss_pct == 0.0
    assert log.samples[-1].rtt_ms == (1.42, 1.47)


def test_losses_are_kept_with_begin_and_length(healthy: PairStatus) -> None:
    log = MonitorLog()
    log.take(healthy, MonitorLimits())
    log.take(after(with_end(healthy, Side.B, is_up=False), 5), MonitorLimits())
    assert [one.lasted_s for one in log.losses] == [None]
    log.take(after(with_end(healthy, Side.B, is_reachable=False), 10), MonitorLimits())
    log.take(after(healthy, 17), MonitorLimits())
    assert [(one.health, one.lasted_s) for one in log.losses] == [(Health.LOST, 5.0), (Health.UNREACHABLE, 7.0)]
    assert log.losses[1].ended_at == healthy.at + timedelta(seconds=17)


def test_what_only_the_hosts_saw_between_two_inspects_is_reported_once(healthy: PairStatus) -> None:
    log = MonitorLog()
    old, new = Outage(INSPECTED_AT - timedelta(days=1), 60.0), Outage(INSPECTED_AT + timedelta(seconds=6), 8.0)
    log.take(with_end(healthy, Side.A, outages=(old,)), MonitorLimits())
    assert len(log.losses) == 0, "it was before the watching began"
    log.take(with_end(healthy, Side.A, outages=(old, replace(new, lasted_s=None))), MonitorLimits())
    seen = with_end(healthy, Side.A, outages=(old, new))
    (line,) = log.take(after(seen, 20), MonitorLimits())
    assert line.is_bad
    assert line.text == LOST_BETWEEN(lasted="8 s", why=HAD_NO_ANSWER(host="gateway-a"))
    both = with_end(seen, Side.B, outages=(replace(new, lasted_s=7.0),))
    assert log.take(after(both, 25), MonitorLimits()) == (), "the other host notes the same one a little later"
    assert [one.lasted_s for one in log.losses] == [8.0]


def test_what_was_seen_as_a_loss_is_not_reported_twice(healthy: PairStatus) -> None:
    log = MonitorLog()
    log.take(healthy, MonitorLimits())
    log.take(after(with_end(healthy, Side.A, is_up=False), 5), MonitorLimits())
    back = with_end(healthy, Side.A, outages=(Outage(INSPECTED_AT + timedelta(seconds=3), 8.0),))
    (line,) = log.take(after(back, 12), MonitorLimits())
    assert line.text == UP_AGAIN(lasted="7 s")
    assert len(log.losses) == 1
