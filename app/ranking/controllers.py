"""Settings with which a controller keeps its connection over a tunnel, from measured round-trip times and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count

import numpy as np
import numpy.typing as npt

from app.domain.controllers import (
    ETHERNET_IP_FACTOR,
    PROFINET_FACTOR,
    Arrivals,
    ControllerAdvice,
    ControllerLimit,
    ControllerSetting,
    RestartOutage,
)
from app.domain.hosts import ToolFlavour
from app.domain.results import LOST_RTT_US, Attempt, LatencySeries
from app.domain.workloads import RESTART, RESTART_OUTAGE
from app.ranking.outages import is_timed_by_blocks, longest_outages_s
from app.ranking.summaries import lost_runs

CONTROLLER_FRAME_BYTES = 128
"""Frames up to this size count: cyclic data of controllers is short. Source: our choice."""

PROFINET_STEPS_MS = tuple(2**step for step in range(10))
"""Update times that devices offer, in ms. Source: IEC 61158-6-10, 1 ms times a reduction ratio of up to 512."""

ETHERNET_IP_STEPS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""RPIs that are tried, in ms. Source: our choice; controllers take any."""

_RETRANSMISSION_MS = 200.0
"""Least time beyond a round trip after which TCP sends again. Source: RFC 6298, 2.3; Linux, TCP_RTO_MIN."""

_TIMEOUT_STEPS_MS = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000)
"""Time-outs that are tried, in ms. Source: our choice."""

_OFFERED: Mapping[ControllerSetting, tuple[int, Sequence[int]]] = {
    ControllerSetting.PROFINET: (PROFINET_FACTOR, PROFINET_STEPS_MS),
    ControllerSetting.ETHERNET_IP: (ETHERNET_IP_FACTOR, ETHERNET_IP_STEPS_MS),
    ControllerSetting.MODBUS: (1, _TIMEOUT_STEPS_MS),
    ControllerSetting.OPC_UA: (1, _TIMEOUT_STEPS_MS),
}
"""Factor from a value to the time after which the connection ends, and the values that are offered."""

_CYCLIC = (ControllerSetting.PROFINET, ControllerSetting.ETHERNET_IP)

_FEWEST_REPLIES = 100
"""Fewer say too little of the slowest replies. Source: our choice."""


def arrivals_of(
    attempts: Iterable[Attempt], flavour: ToolFlavour = ToolFlavour.IPUTILS, interval_s: float | None = None
) -> Arrivals | None:
    """Return the extremes of short frames over several attempts; None where too few were answered.

    Requests of blocks that do not count, because something disturbed them, count here: a controller meets them as well.
    A block that ended early, because its target was silent, is an outage even if no short frame was sent in it.

    Args:
        attempts: Of one candidate.
        flavour: Which ping the sender has.
        interval_s: Time between two requests in s; None where each waits for the reply to the one before.
    """
    short = [(one, _short(one)) for one in attempts]
    answered = [_answered(each) for _, series in short for each in series]
    replies = sum(one.size for one in answered)
    if replies < _FEWEST_REPLIES:
        return None
    whole = np.concatenate(answered) / 1_000.0
    runs = [run for one, series in short for each in series for run in lost_runs(one, each)]
    lost_in_a_row = max((run.requests for run in runs), default=0)
    pace = flavour, interval_s
    outage_s = max(
        (lasted_s for one, series in short for lasted_s in longest_outages_s(one, series, pace)), default=0.0
    )
    is_bounded = all(_is_bounded(*one) for one in short)
    longest_ms = round(1_000.0 * outage_s, 3)
    return Arrivals(replies, float(whole.min()), float(whole.max()), lost_in_a_row, longest_ms, is_bounded)


def controller_advice(found: Arrivals) -> tuple[ControllerAdvice, ...]:
    """Return the smallest safe value of each setting.

    Cyclic data (PROFINET, EtherNet/IP): the longest gap between two frames, one update time, as many more as frames
    are lost in a row, and the variation of the delay, is shorter than the watchdog. Requests (Modbus/TCP, OPC UA): the
    longest round trip, and TCP's retransmissions of as many losses in a row, end before the time-out. TCP waits for a
    round trip and 200 ms, and twice as long each time.

    Requests are spaced otherwise than cyclic data: those that were lost may be frames lost at random, or an outage, in
    which more frames of cyclic data are lost the shorter the update time is. The values hold for both.
    """
    cyclic = {one: _OFFERED[one] for one in _CYCLIC}
    lost_ms = _sent_again_ms(found.lost_in_a_row, found.most_ms)
    request_ms = found.most_ms + max(lost_ms, _sent_after_ms(found.outage_ms, found.most_ms))
    timeout = _first(_TIMEOUT_STEPS_MS, lambda value: value > request_ms)
    return (
        *(
            ControllerAdvice(one, _first(steps, partial(_survives, factor, found)))
            for one, (factor, steps) in cyclic.items()
        ),
        ControllerAdvice(ControllerSetting.MODBUS, timeout),
        ControllerAdvice(ControllerSetting.OPC_UA, timeout),
    )


def outage_advice(outage_s: float, rtt_ms: float = 0.0) -> tuple[ControllerAdvice, ...]:
    """Return the smallest value of each setting with which the connection outlasts an outage.

    Cyclic data: the watchdog is longer than the outage and the one update time before it. Requests: the first
    retransmission of TCP after the outage is answered before the time-out.

    Args:
        outage_s: For how long nothing crossed, in s.
        rtt_ms: Round-trip time of the tunnel, in ms; TCP waits for it as well. 0 where it is not known.
    """
    outage_ms = 1_000.0 * outage_s
    request_ms = rtt_ms + _sent_after_ms(outage_ms, rtt_ms)
    advice = []
    for setting, (factor, steps) in _OFFERED.items():
        if setting in _CYCLIC:
            value = _first(steps, partial(_outlasts, factor, outage_ms))
        else:
            value = _first(steps, lambda step: step > request_ms)
        advice.append(ControllerAdvice(setting, value))
    return tuple(advice)


def restart_outage(attempts: Iterable[Attempt], arrivals: Arrivals | None) -> RestartOutage | None:
    """Return the longest outage after a restart of the VPN on one host; None where the workload was not run.

    It is known only where frames crossed again after each restart.

    Args:
        attempts: Of one candidate.
        arrivals: Extremes of its round trips, of which TCP waits for the longest; None where they are not known.
    """
    found = [one for attempt in attempts for one in attempt.workloads if one.workload == RESTART]
    if not found:
        return None
    message = next((one.message for one in found if one.message), "")
    if message or not all(RESTART_OUTAGE in one.figures for one in found):
        return RestartOutage(None, message=message)
    longest_s = max(one.figures[RESTART_OUTAGE] for one in found)
    return RestartOutage(longest_s, outage_advice(longest_s, arrivals.most_ms if arrivals is not None else 0.0))


def _sent_again_ms(number: int, rtt_ms: float = 0.0) -> float:
    """Return when TCP sends a segment again for the `number`th time, in ms after the first one."""
    return (rtt_ms + _RETRANSMISSION_MS) * ((1 << number) - 1)


def _sent_after_ms(outage_ms: float, rtt_ms: float) -> float:
    """Return when TCP first sends a segment after an outage that began with it, in ms after the first time."""
    return next(at_ms for nth in count() if (at_ms := _sent_again_ms(nth, rtt_ms)) >= outage_ms)


def _outlasts(factor: int, outage_ms: float, update_ms: int) -> bool:
    return update_ms + outage_ms < factor * update_ms


def controller_limits(setting: ControllerSetting, least_ms: float | None) -> tuple[ControllerLimit, ...]:
    """Return the round trip that ends the connection, for each value of a setting that is offered, if none is lost.

    The watchdog of cyclic data sees no round trip, only how much later than the one before a frame comes: the variation
    of the delay, from the shortest round trip on, and one update time.

    Args:
        setting: Which.
        least_ms: Shortest round trip, in ms; None where it is not known, and cyclic data has no limits then.
    """
    factor, steps = _OFFERED[setting]
    if setting not in _CYCLIC:
        return tuple(ControllerLimit(setting, value, value) for value in steps)
    if least_ms is None:
        return ()
    return tuple(ControllerLimit(setting, value, least_ms + (factor - 1) * value) for value in steps)


def _survives(factor: int, found: Arrivals, update_ms: int) -> bool:
    gap_ms = max(found.lost_in_a_row * update_ms, found.outage_ms)
    return _outlasts(factor, gap_ms + found.variation_ms, update_ms)


def _first(steps: Sequence[int], holds: Callable[[int], bool]) -> int | None:
    return next((value for value in steps if holds(value)), None)


def _short(attempt: Attempt) -> list[LatencySeries]:
    return [one for one in attempt.latency if one.frame_bytes <= CONTROLLER_FRAME_BYTES]


def _is_bounded(attempt: Attempt, series: Sequence[LatencySeries]) -> bool:
    return is_timed_by_blocks(attempt) or not any(lost_runs(attempt, one) for one in series)


def _answered(series: LatencySeries) -> npt.NDArray[np.uint32]:
    answered: npt.NDArray[np.uint32] = series.rtt_us[series.rtt_us != LOST_RTT_US]
    return answered
