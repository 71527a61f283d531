"""Condition of a link as it is measured on the bare link, against the one that was asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.conditions import Condition, ConditionCheck, LinkDirection, MeasuredCondition, Quantity
from app.domain.errors import ProbeFailed, ProgramMissing
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages.lists import joined
from app.lab.link_emulator import Direction
from app.measurement.messages import BARE_EMULATOR, CONDITION_NOT_MET, RATE_OF_BARE_LINK, RTT_OF_BARE_LINK
from app.probes.bare_link import PING_FRAME_BYTES, DatagramStream, Echo, echoes, receive
from app.probes.iperf_server import IperfServer
from app.wording.conditions import check_message

_Values: TypeAlias = npt.NDArray[np.float64]

PLAIN = Condition("none", BARE_EMULATOR())
"""Reference of round-trip times: the emulator itself takes a moment."""

RTT_SHARE, RATE_SHARE = 0.02, 0.03
"""Largest accepted difference from what was asked for. Source: our choice."""

LEAST_RTT_MS = 0.3
"""Difference of a round-trip time that is always accepted: gateways that are emulated vary by as much."""

MOST_LOSS_PCT = 0.1
"""Loss that is accepted where none was asked for: a loaded computer drops a datagram now and then. Our choice."""

_QUANTILE = 0.1
"""Quantile of round-trip times: what delays all requests counts, not what the load of a host adds to some."""

_PINGS, _PING_INTERVAL_S = 120, 0.03
_PHASES, _FINE, _KEPT = 16, 10, 4
"""Starts of a trace that are tried: over its whole length, then twice around so many that fitted best. Our choice."""
_SECONDS, _MOST_SECONDS = 4, 20
"""Length of a stream; where rate or loss change over time, as long as their trace and its edges, up to the most."""
_EDGES_S = 2
_LEAST_IN_STEP = 8
"""Datagrams in each step of a trace from which on they are taken to be spread evenly over it. Source: our choice."""
_GAP_PCT = 90.0
"""Loss from which on a receiver may miss that a stream went on: datagrams after the last one that it got."""
_SMALL_BYTES, _LARGE_BYTES = 600, 1_400
_MOST_LOSS_MBIT_S = 3.0
_OVER_RATE, _UNDER_RATE = 1.2, 0.5
_SERVER_SLACK_S = 30
_TRIES = 3
"""Tries of two streams: on a link that loses frames iperf3 may hang. Source: our choice."""
_Z = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class LinkMeasurement:
    """Measures the bare link between two hosts.

    Attributes:
        sessions: Connections to both hosts.
        link: The link.
        token: Ends it.
        report: Gets each step as words.
    """

    sessions: SessionPair
    link: Link
    token: CancelToken
    report: Callable[[str], None] = lambda _text: None

    def direct_ms(self) -> float:
        """Return the round-trip time of the link without a condition, in ms.

        Raises:
            ProbeFailed: The other host does not answer.
        """
        return _low([one.rtt_ms for one in self._echoes()])

    def measure(self, condition: Condition, direct_ms: float) -> MeasuredCondition:
        """Measure the link under a condition, and compare.

        A loss that does not fit is measured once more, twice as long: one interval in twenty misses the true value.

        Args:
            condition: As it was asked for.
            direct_ms: Round-trip time without it.

        Raises:
            ProbeFailed: The link carries nothing, or iperf3 cannot be used.
        """
        self.report(RTT_OF_BARE_LINK())
        checks = [check_rtt(condition, self._echoes(), direct_ms)]
        for side, way in ((Side.B, condition.a_to_b), (Side.A, condition.b_to_a)):
            checks += self._direction(side, way)
        return MeasuredCondition(condition.name, datetime.now(UTC), tuple(checks))

    def _echoes(self) -> tuple[Echo, ...]:
        peer = self.link.underlay_b
        return echoes(self.sessions.a, peer, count=_PINGS, interval_s=_PING_INTERVAL_S, token=self.token)

    def _direction(self, receiver: Side, way: LinkDirection) -> list[ConditionCheck]:
        """Measure what arrives at one host."""
        name = "a_to_b" if receiver is Side.B else "b_to_a"
        self.report(RATE_OF_BARE_LINK(start=receiver.other.upper(), end=receiver.upper()))
        rates, seconds = way.rates_mbit_s, _stream_s(way)
        gentle = (min((_MOST_LOSS_MBIT_S, *(rate * _UNDER_RATE for rate in rates))), _SMALL_BYTES)
        full = (max(rates) * _OVER_RATE, _LARGE_BYTES) if rates else gentle
        first, second = self._streams(receiver, gentle, full, seconds)
        loss = check_loss(name, way, first if rates else _joined(first, second), seconds)
        if not loss.is_met:
            again = _joined(*self._streams(receiver, gentle, gentle, 2 * seconds))
            loss = check_loss(name, way, again, 2 * seconds)
        checks = [loss, _check_order(name, (first, second))]
        if rates and second.mbit_s is not None:
            checks.append(check_rate(name, way, second.mbit_s, second.rate_s))
        return checks

    def _streams(
        self, receiver: Side, first: tuple[float, int], second: tuple[float, int], seconds: int
    ) -> tuple[DatagramStream, DatagramStream]:
        """Receive two streams, each of a rate in Mbit/s and a payload in bytes, in as many tries as it takes."""
        for _ in range(_TRIES - 1):
            try:
                return self._received(receiver, first, second, seconds)
            except ProgramMissing:
                raise
            except ProbeFailed:
                continue
        return self._received(receiver, first, second, seconds)

    def _received(
        self, receiver: Side, first: tuple[float, int], second: tuple[float, int], seconds: int
    ) -> tuple[DatagramStream, DatagramStream]:
        """Receive two streams; a server takes two tests."""
        address = self.link.underlay(receiver.other)
        client, host = self.sessions.on(receiver), self.sessions.on(receiver.other)
        limit_s = 2 * seconds + _SERVER_SLACK_S
        with IperfServer(host, address, self.link.names.iperf_port, limit_s=limit_s, token=self.token) as server:
            server.wait_until_listening()
            streams = [
                receive(client, (address, port), mbit_s=rate, payload_bytes=size, seconds=seconds, token=self.token)
                for (rate, size), port in zip((first, second), server.ports, strict=True)
            ]
        return streams[0], streams[1]


def measure_held(
    measurement: LinkMeasurement, hold: Callable[[Condition], None], condition: Condition
) -> MeasuredCondition:
    """Emulate a condition, and measure the bare link under it.

    Args:
        measurement: Of the link.
        hold: Emulates a condition from now on.
        condition: As it is asked for; it remains.

    Raises:
        ProbeFailed: As `LinkMeasurement.measure`.
    """
    hold(PLAIN)
    direct_ms = measurement.direct_ms()
    hold(condition)
    return measurement.measure(condition, direct_ms)


def why_not_met(found: MeasuredCondition) -> str:
    """Return why a link is not as a condition asks for, as a sentence; empty where it is."""
    if found.is_met:
        return ""
    missed = joined(check_message(one) for one in found.checks if not one.is_met)
    return CONDITION_NOT_MET(condition=found.name, missed=missed)


def check_rtt(condition: Condition, found: Sequence[Echo], direct_ms: float) -> ConditionCheck:
    """Compare round-trip times with what the condition adds to those of the link without it.

    Delays that change are followed by the emulator's own model, for the times at which requests were sent; when its
    two traces began is not known, so that the phases count that fit best.
    """
    begin_s = found[0].sent_s
    sent_s = [one.sent_s - begin_s for one in found]
    rtt_ms = np.array([one.rtt_ms for one in found])
    expected = _best_fit(condition, sent_s, rtt_ms)
    mean_ms = float(np.mean(expected))
    asked = mean_ms + direct_ms
    measured = mean_ms + _low(rtt_ms - expected)
    room = max(RTT_SHARE * asked, LEAST_RTT_MS)
    low, high = asked - room, asked + room
    return ConditionCheck(Quantity.RTT, "", asked, measured, low, high, low <= measured <= high)


def check_rate(direction: str, way: LinkDirection, measured: float, window_s: float) -> ConditionCheck:
    """Compare the rate of frames that arrived under more load than the line carries; lost ones do not arrive.

    Of rates that change over time the mean counts, over each part of their trace that is as long as the test.

    Args:
        direction: `a_to_b` or `b_to_a`.
        way: As asked for, with a rate.
        measured: In Mbit/s.
        window_s: Time over which it was measured, in s.
    """
    kept = np.array(way.rates_mbit_s) * (1.0 - np.array(way.losses_pct) / 100)
    least, most = mean_range(kept, way.trace_step_s, window_s)
    low, high = least * (1 - RATE_SHARE), most * (1 + RATE_SHARE)
    asked_range = (least, most) if len(kept) > 1 else None
    is_met = low <= measured <= high
    return ConditionCheck(Quantity.RATE, direction, float(np.mean(kept)), measured, low, high, is_met, asked_range)


def check_loss(direction: str, way: LinkDirection, found: DatagramStream, seconds: float) -> ConditionCheck:
    """Compare the loss of streams that do not fill the line, by its 95 % interval.

    Losses in bursts count as fewer independent ones. Of losses that change over time the mean counts, as for a rate.

    Source: Wilson, J. Am. Stat. Assoc. 22 (1927); the correlation of Gilbert's two states as in the link emulator.

    Args:
        direction: `a_to_b` or `b_to_a`.
        way: As asked for.
        found: One stream, or several joined.
        seconds: Length of each, in s.
    """
    share, asked = found.lost / found.sent, float(np.mean(way.losses_pct))
    low, high = (100 * one for one in _wilson(share, found.sent / _correlation(way)))
    least, most = _loss_range(way, found.sent, seconds)
    is_met = low <= most and least <= high if asked else 100 * share <= MOST_LOSS_PCT
    asked_range = (least, most) if way.trace_loss_pct else None
    return ConditionCheck(Quantity.LOSS, direction, asked, 100 * share, low, high, is_met, asked_range)


def mean_range(values: Sequence[float] | _Values, step_s: float, window_s: float) -> tuple[float, float]:
    """Return the lowest and highest mean of a trace over a time of one length, wherever in the trace that begins.

    Between the begins at which one end of that time meets the end of a step the mean changes linearly.

    Args:
        values: Hold in turn, over and over.
        step_s: For how long each of them holds, in s.
        window_s: The time, in s.
    """
    if len(values) == 1:
        return float(values[0]), float(values[0])
    ends = step_s * np.arange(len(values) + 1)
    sums = np.concatenate(([0.0], np.cumsum(values) * step_s))

    def total(at_s: _Values) -> _Values:
        found: _Values = at_s // ends[-1] * sums[-1] + np.interp(at_s % ends[-1], ends, sums)
        return found

    begins = np.concatenate((ends, (ends - window_s) % ends[-1]))
    means = (total(begins + window_s) - total(begins)) / window_s
    return float(np.min(means)), float(np.max(means))


def _loss_range(way: LinkDirection, sent: int, seconds: float) -> tuple[float, float]:
    """Return the lowest and highest loss, in percent, that datagrams meet which are sent evenly over some seconds.

    Too few of them may all be sent in the same part of the trace. A gap at the end may remain unknown to the receiver.
    """
    losses = way.losses_pct
    if sent * way.trace_step_s < _LEAST_IN_STEP * seconds:
        return min(losses), max(losses)
    least, most = mean_range(losses, way.trace_step_s, seconds)
    gaps = "".join("x" if one >= _GAP_PCT else " " for one in 2 * way.trace_loss_pct).split()
    gap_s = way.trace_step_s * min(len(losses), max(map(len, gaps), default=0))
    return (max(0.0, (least * seconds - 100 * gap_s) / (seconds - gap_s)) if gap_s < seconds else 0.0), most


def _stream_s(way: LinkDirection) -> int:
    if not way.trace_mbit_s and not way.trace_loss_pct:
        return _SECONDS
    return min(_MOST_SECONDS, max(_SECONDS, math.ceil(way.trace_s) + _EDGES_S))


def _joined(first: DatagramStream, second: DatagramStream) -> DatagramStream:
    return DatagramStream(
        None, first.sent + second.sent, first.lost + second.lost, max(first.overtaken, second.overtaken)
    )


def _check_order(direction: str, found: Sequence[DatagramStream]) -> ConditionCheck:
    overtaken = sum(one.overtaken for one in found)
    return ConditionCheck(Quantity.ORDER, direction, 0.0, float(overtaken), 0.0, 0.0, overtaken == 0)


def _wilson(share: float, number: float) -> tuple[float, float]:
    center = (share + _Z**2 / (2 * number)) / (1 + _Z**2 / number)
    half = _Z * math.sqrt(share * (1 - share) / number + _Z**2 / (4 * number**2)) / (1 + _Z**2 / number)
    return max(0.0, center - half), min(1.0, center + half)


def _correlation(way: LinkDirection) -> float:
    """Return how many times the variance of a loss is that of independent losses."""
    loss, burst = way.loss_pct / 100, way.burst_frames
    if burst <= 1 or not loss:
        return 1.0
    kept = max(0.0, 1.0 - 1.0 / burst - loss / (burst * (1.0 - loss)))
    return (1 + kept) / (1 - kept)


def _low(values_ms: Sequence[float] | _Values) -> float:
    return float(np.quantile(np.asarray(values_ms), _QUANTILE))


def _best_fit(condition: Condition, sent_s: Sequence[float], rtt_ms: _Values) -> _Values:
    """Return the round-trip times that are expected where the traces began when it fits best.

    Starts are tried in ever finer steps around those that fitted best: while the steps are coarse, wrong ones may fit
    better than those next to the true ones.
    """
    lengths = [way.trace_s for way in (condition.a_to_b, condition.b_to_a)]

    def misfit(starts: tuple[float, float]) -> float:
        return _misfit(rtt_ms - _expected_ms(condition, sent_s, _scaled(starts, lengths)))

    best, step = [(0.0, 0.0)], 1.0
    for number in (_PHASES, _FINE, _FINE):
        shifts = [step * (each / number - 0.5) for each in range(number + 1)]
        there, back = ([shift if length else 0.0 for shift in (shifts if length else [0.0])] for length in lengths)
        tried = {
            (round((first + a) % 1.0, 6), round((second + b) % 1.0, 6))
            for first, second in best
            for a in there
            for b in back
        }
        best = sorted(tried, key=misfit)[:_KEPT]
        step = 2.0 * step / number
    return _expected_ms(condition, sent_s, _scaled(best[0], lengths))


def _scaled(shares: tuple[float, float], lengths: Sequence[float]) -> tuple[float, float]:
    """Return begins of both traces, in s before the first request."""
    return shares[0] % 1.0 * lengths[0], shares[1] % 1.0 * lengths[1]


def _misfit(rest_ms: _Values) -> float:
    return float(np.mean(np.abs(rest_ms - np.median(rest_ms))))


def _expected_ms(condition: Condition, sent_s: Sequence[float], phases: tuple[float, float]) -> _Values:
    there = _arrivals(condition.a_to_b, sent_s, phases[0])
    back = _arrivals(condition.b_to_a, there, phases[1])
    return np.array([1_000 * (end - begin) for begin, end in zip(sent_s, back, strict=True)])


def _arrivals(way: LinkDirection, sent_s: Sequence[float], phase_s: float) -> list[float]:
    """Return when frames arrive that are sent at these times, by the emulator's own model."""
    model = Direction({**asdict(way), "loss_pct": 0.0, "trace_loss_pct": (), "queue_ms": None}, seed=0)
    frame = bytes(PING_FRAME_BYTES)
    model.offer(frame, sent_s[0] - phase_s - 10.0 * max(way.trace_step_s, way.trace_s))
    model.drop_first()
    arrived = []
    for at_s in sent_s:
        model.offer(frame, at_s)
        due_s = model.next_s()
        arrived.append(at_s if due_s is None else due_s)
        model.drop_first()
    return arrived
