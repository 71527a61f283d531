"""Whether something is slow here: measured figures against the best that was measured on the same pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from app.domain.verdicts import Finding, FindingQuestion, Verdict
from app.policy.data import POLICY_NAME, POLICY_VERSION, SLOW_LATENCY_FACTOR, SLOW_THROUGHPUT_FACTOR

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """Figures of one candidate or option on one pair.

    Attributes:
        weighted_latency_ms: Weighted mean RTT in ms; None where it was not measured.
        throughput_mbit_s: TCP goodput in Mbit/s; None where it was not measured.
    """

    weighted_latency_ms: float | None = None
    throughput_mbit_s: float | None = None


def best_of(measured: Iterable[SpeedFigures]) -> SpeedFigures:
    """Return the least latency and the most throughput that anything reached."""
    everything = tuple(measured)
    latencies = [one.weighted_latency_ms for one in everything if one.weighted_latency_ms]
    throughputs = [one.throughput_mbit_s for one in everything if one.throughput_mbit_s is not None]
    return SpeedFigures(min(latencies, default=None), max(throughputs, default=None))


def judge_speed(subject: str, measured: SpeedFigures, best: SpeedFigures) -> Finding | None:
    """Return a finding where something is slow on this pair.

    Args:
        subject: What was measured.
        best: The best figures of everything comparable on the same pair, unprotected candidates left out.

    Returns:
        A finding that says how far it is from the best; None where it is not slow or nothing can be compared. It makes
        nothing less secure.

    Source: the factors are this program's own, in resources/policy/policy.toml.
    """
    words = []
    latency, best_latency = measured.weighted_latency_ms, best.weighted_latency_ms
    if latency is not None and best_latency and latency >= SLOW_LATENCY_FACTOR * best_latency:
        times = latency / best_latency
        words.append(f"its latency of {latency:.2f} ms is {times:.1f} times that of the best, {best_latency:.2f} ms")
    throughput, best_throughput = measured.throughput_mbit_s, best.throughput_mbit_s
    if throughput is not None and best_throughput and throughput <= SLOW_THROUGHPUT_FACTOR * best_throughput:
        share_pct = 100 * throughput / best_throughput
        share = f"{share_pct:.0f} % of that of the best, {best_throughput:.1f} Mbit/s"
        words.append(f"its throughput of {throughput:.1f} Mbit/s is {share}")
    if not words:
        return None
    reason = f"Slow on this pair: {', and '.join(words)}."
    source = f"measured here; policy {POLICY_NAME} {POLICY_VERSION}"
    return Finding(subject, Verdict.ACCEPTABLE, reason, source, question=FindingQuestion.SLOW)


def judge_speeds(measured: Mapping[K, SpeedFigures], titles: Mapping[K, str]) -> dict[K, Finding]:
    """Return a finding for everything that is slow among what was measured on one pair.

    Args:
        measured: Figures of everything comparable, unprotected candidates left out.
        titles: What each is called.

    Returns:
        Findings by the same keys; what is not slow is not in it.
    """
    best = best_of(measured.values())
    found = {key: judge_speed(titles[key], one, best) for key, one in measured.items()}
    return {key: finding for key, finding in found.items() if finding is not None}
