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
from app.domain.errors import ProbeFailed
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
_PHASES, _FINE = 16, 10
"""Begins of a trace that are tried: over its whole length, then around the one that fits best."""
_SECONDS = 4
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
        rate = way.rate_mbit_s
        gentle = (_MOST_LOSS_MBIT_S if rate is None else min(_MOST_LOSS_MBIT_S, rate * _UNDER_RATE), _SMALL_BYTES)
        full = gentle if rate is None else (rate * _OVER_RATE, _LARGE_BYTES)
        first, second = self._streams(receiver, gentle, full, _SECONDS)
        loss = check_loss(name, way, first if rate is not None else _joined(first, second))
        if not loss.is_met:
            loss = check_loss(name, way, _joined(*self._streams(receiver, gentle, gentle, 2 * _SECONDS)))
        checks = [loss, _check_order(name, (first, second))]
        if rate is not None and second.mbit_s is not None:
            checks.append(check_rate(name, way, second.mbit_s))
        return checks

    def _streams(
        self, receiver: Side, first: tuple[float, int], second: tuple[float, int], seconds: int
    ) -> tuple[DatagramStream, DatagramStream]:
        """Receive two streams, each of a rate in Mbit/s and a payload in bytes, in as many tries as it takes."""
        for _ in range(_TRIES - 1):
            try:
                return self._received(receiver, first, second, seconds)
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


def check_rate(direction: str, way: LinkDirection, measured: float) -> ConditionCheck:
    """Compare the rate of frames that arrived under more load than the line carries; lost ones do not arrive."""
    asked = (way.rate_mbit_s or 0.0) * (1.0 - way.loss_pct / 100)
    low, high = asked * (1 - RATE_SHARE), asked * (1 + RATE_SHARE)
    return ConditionCheck(Quantity.RATE, direction, asked, measured, low, high, low <= measured <= high)


def check_loss(direction: str, way: LinkDirection, found: DatagramStream) -> ConditionCheck:
    """Compare the loss of a stream that does not fill the line, by its 95 % interval.

    Losses in bursts count as fewer independent ones.

    Source: Wilson, J. Am. Stat. Assoc. 22 (1927); the correlation of Gilbert's two states as in the link emulator.
    """
    share = found.lost / found.sent
    low, high = _wilson(share, found.sent / _correlation(way))
    is_met = 100 * low <= way.loss_pct <= 100 * high if way.loss_pct else 100 * share <= MOST_LOSS_PCT
    return ConditionCheck(Quantity.LOSS, direction, way.loss_pct, 100 * share, 100 * low, 100 * high, is_met)


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
    """Return the round-trip times that are expected where the traces began when it fits best."""
    lengths = [len(way.trace_ms) * way.trace_step_s for way in (condition.a_to_b, condition.b_to_a)]
    best, step = (0.0, 0.0), 1.0
    for number in (_PHASES, _FINE):
        shifts = [step * (each / number - 0.5) for each in range(number + 1)]
        options = [[shift if length else 0.0 for shift in (shifts if length else [0.0])] for length in lengths]
        tried = [(best[0] + there, best[1] + back) for there in options[0] for back in options[1]]
        best = min(tried, key=lambda each: _misfit(rtt_ms - _expected_ms(condition, sent_s, _scaled(each, lengths))))
        step = 2.0 * step / number
    return _expected_ms(condition, sent_s, _scaled(best, lengths))


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
    model = Direction({**asdict(way), "loss_pct": 0.0, "queue_ms": None}, seed=0)
    frame = bytes(PING_FRAME_BYTES)
    model.offer(frame, sent_s[0] - phase_s - 10.0 * max(1, len(way.trace_ms)) * way.trace_step_s)
    model.drop_first()
    arrived = []
    for at_s in sent_s:
        model.offer(frame, at_s)
        due_s = model.next_s()
        arrived.append(at_s if due_s is None else due_s)
        model.drop_first()
    return arrived
