from __future__ import annotations

import numpy as np

from app.domain.hosts import Side, ToolFlavour
from app.domain.results import LOST_RTT_US, CpuUsage, LatencySeries
from app.probes.messages import (
    BUSY_BEFORE,
    CPU_NOT_ALWAYS_MEASURED,
    ECHOES_LOST,
    ECHOES_TWICE,
    SHAPED_BY_OTHERS,
    STOLEN_TIME,
)
from app.probes.surroundings import Surroundings
from app.probes.validity import BUSY_LIMIT_PCT, STEAL_LIMIT_PCT, doubts_before, doubts_of_cpu, doubts_of_latency

LABELS = {Side.A: "gateway-a", Side.B: "gateway-b"}
QUIET = Surroundings(1.0, 0.0, "eth1", ())


def usage(steal_pct: float = 0.0) -> CpuUsage:
    return CpuUsage(50, 10, 20, 20, steal_pct, 3.0)


def series(sent: int, received: int, duplicates: int = 0, note: str = "") -> LatencySeries:
    rtt_us = np.full(sent, LOST_RTT_US, dtype=np.uint32)
    rtt_us[:received] = 500
    return LatencySeries(1514, sent, received, duplicates, rtt_us, note)


def test_quiet_hosts_give_no_doubt() -> None:
    assert doubts_before(LABELS, {Side.A: QUIET, Side.B: QUIET}) == ()
    assert doubts_of_cpu(LABELS, [{"a": usage(), "b": usage()}]) == ()
    assert doubts_of_latency([series(10, 10)], ToolFlavour.IPUTILS) == ()


def test_what_is_not_known_gives_no_doubt() -> None:
    assert doubts_before(LABELS, {Side.A: Surroundings(None, None, "", ())}) == ()


def test_a_busy_host_is_named() -> None:
    busy = Surroundings(BUSY_LIMIT_PCT + 1, 0.0, "eth1", ())

    assert doubts_before(LABELS, {Side.A: QUIET, Side.B: busy}) == (
        BUSY_BEFORE(busy_pct=BUSY_LIMIT_PCT + 1, host="gateway-b"),
    )


def test_shaping_that_was_left_behind_is_named() -> None:
    shaped = Surroundings(1.0, 0.0, "eth1", ("qdisc netem 8001: root delay 250ms",))

    (doubt,) = doubts_before(LABELS, {Side.A: shaped})

    assert doubt == SHAPED_BY_OTHERS(host="gateway-a", device="eth1", shaper=shaped.shapers[0])


def test_stolen_time_is_reported_once_per_host() -> None:
    stolen = {"a": usage(STEAL_LIMIT_PCT + 5), "b": usage()}

    assert doubts_of_cpu(LABELS, [stolen, stolen]) == (STOLEN_TIME(stolen_pct=STEAL_LIMIT_PCT + 5, host="gateway-a"),)


def test_a_host_that_was_not_watched_is_named() -> None:
    assert doubts_of_cpu(LABELS, [{"a": usage(), "b": usage()}, {"a": usage()}]) == (
        CPU_NOT_ALWAYS_MEASURED(host="gateway-b"),
    )


def test_losses_and_duplicates_are_counted() -> None:
    assert doubts_of_latency([series(200, 199), series(200, 198, duplicates=2)], ToolFlavour.IPUTILS) == (
        ECHOES_LOST(lost=3, sent=400, lost_pct=0.75),
        ECHOES_TWICE(duplicates=2),
    )


def test_a_size_that_does_not_cross_is_its_own_doubt_and_no_loss() -> None:
    (doubt,) = doubts_of_latency([series(200, 200), series(1, 0, note="It does not cross.")], ToolFlavour.IPUTILS)

    assert doubt == "1514 B: It does not cross."


def test_busybox_is_reported() -> None:
    (doubt,) = doubts_of_latency([series(10, 10)], ToolFlavour.BUSYBOX)

    assert "BusyBox" in doubt
