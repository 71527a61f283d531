"""Whether something is slow here: measured figures against the best that was measured on the same pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from app.domain.verdicts import Finding, FindingQuestion, Verdict
from app.policy.data import POLICY_NAME, POLICY_VERSION, SLOW_LATENCY_FACTOR, SLOW_THROUGHPUT_FACTOR
from app.policy.messages import MEASURED_HERE, SLOW_LATENCY, SLOW_ONCE, SLOW_THROUGHPUT, SLOW_TWICE

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
        words.append(SLOW_LATENCY(latency=latency, times=times, best=best_latency))
    throughput, best_throughput = measured.throughput_mbit_s, best.throughput_mbit_s
    if throughput is not None and best_throughput and throughput <= SLOW_THROUGHPUT_FACTOR * best_throughput:
        share_pct = 100 * throughput / best_throughput
        words.append(SLOW_THROUGHPUT(throughput=throughput, share=share_pct, best=best_throughput))
    if not words:
        return None
    reason = SLOW_TWICE(first=words[0], second=words[1]) if len(words) > 1 else SLOW_ONCE(what=words[0])
    source = MEASURED_HERE(name=POLICY_NAME, version=POLICY_VERSION)
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
