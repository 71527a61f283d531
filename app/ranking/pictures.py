"""Data of the pictures of a comparison: those of the window and those of reports are of the same figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.ranking import CandidateResult, Ranking, Ratio
from app.domain.results import AttemptStatus, CampaignRecord, CandidateId, LatencySeries
from app.ranking.candidates import figures_of
from app.ranking.summaries import answered_us

Floats = npt.NDArray[np.float64]

TAIL = 0.995
"""The axis of a distribution ends at this share of the slowest candidate's replies: single late ones would press
everything else together. Source: our choice."""

_POINTS = 401
"""Points of a curve: one per quarter of a percent. Source: our choice."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Round-trip times of one candidate's frames of one size; a lost request never has a reply.

    Attributes:
        sent: Requests.
        rtt_us: Times of those that were answered in µs, sorted, at least one.
        shares: Points of the curve: shares of the requests, from 0 to what was answered.
        rtt_ms: Times in ms within which those were answered.
    """

    sent: int
    rtt_us: npt.NDArray[np.uint32]
    shares: Floats
    rtt_ms: Floats

    @property
    def replies(self) -> int:
        """Requests that were answered."""
        return int(self.rtt_us.size)

    def within_ms(self, share: float) -> float | None:
        """Return the time in ms within which a share of all requests was answered; None where fewer were."""
        wanted = int(np.ceil(round(self.sent * share, 6)))
        return float(self.rtt_us[wanted - 1]) / 1000 if 0 < wanted <= self.replies else None

    def tail_ms(self) -> float:
        """Return where the axis may end."""
        return float(np.quantile(self.rtt_us, TAIL)) / 1000


def distribution(series: Sequence[LatencySeries]) -> Distribution | None:
    """Return the distribution of some series of one frame size; None without a reply."""
    rtt_us, sent = answered_us(series), sum(one.sent for one in series)
    if not rtt_us.size:
        return None
    shares = np.linspace(0, 1, _POINTS)
    answered = rtt_us.size / max(sent, rtt_us.size)
    return Distribution(sent, rtt_us, answered * shares, np.quantile(rtt_us, shares) / 1000.0)


def distributions(record: CampaignRecord) -> dict[tuple[CandidateId, int], Distribution]:
    """Return the distribution of each candidate and frame size in bytes that had a reply."""
    pooled: dict[tuple[CandidateId, int], list[LatencySeries]] = defaultdict(list)
    for attempt in figures_of(record):
        for series in attempt.latency:
            pooled[(attempt.key.solution, attempt.key.suite), series.frame_bytes].append(series)
    made = {place: distribution(series) for place, series in pooled.items()}
    return {place: one for place, one in made.items() if one is not None}


@dataclass(frozen=True, slots=True)
class CpuBar:
    """CPU of one host while one candidate's throughput was probed: means over rounds, in percent of all cores."""

    key: CandidateId
    side: str
    user_pct: float
    system_pct: float
    softirq_pct: float
    rounds: int

    @property
    def parts_pct(self) -> tuple[float, float, float]:
        """User, system and interrupts."""
        return self.user_pct, self.system_pct, self.softirq_pct


def drawn_results(ranking: Ranking) -> tuple[CandidateResult, ...]:
    """Return the candidates that have figures in the order of bars and keys: references first, then as ranked."""
    drawn = [one for one in ranking.results if one.status is AttemptStatus.COMPLETED or one.is_partial]
    return tuple(sorted(drawn, key=lambda one: not one.is_unprotected))


def cpu_bars(record: CampaignRecord, ranking: Ranking) -> tuple[CpuBar, ...]:
    """Return the bars of CPU during throughput, in the order of `drawn_results`, A before B."""
    found: dict[tuple[CandidateId, str], list[tuple[float, float, float]]] = defaultdict(list)
    for attempt in figures_of(record):
        for side, usage in attempt.cpu_throughput.items():
            shares = usage.user_pct, usage.system_pct, usage.softirq_pct
            found[(attempt.key.solution, attempt.key.suite), side].append(shares)
    bars = []
    for result in drawn_results(ranking):
        key = (result.solution, result.suite)
        for side in ("a", "b"):
            rows = found.get((key, side), [])
            if rows:
                user, system, softirq = (float(one) for one in np.mean(rows, axis=0))
                bars.append(CpuBar(key, side, user, system, softirq, len(rows)))
    return tuple(bars)


def ratio_rows(ranking: Ranking) -> tuple[tuple[CandidateResult, Ratio], ...]:
    """Return the candidates that have a ratio to the fastest, lowest first."""
    found = [(one, one.ratio_to_best) for one in ranking.results]
    return tuple(sorted(((one, ratio) for one, ratio in found if ratio is not None), key=lambda row: row[1].value))
