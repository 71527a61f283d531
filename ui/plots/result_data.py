"""Data of the results page, computed outside the window's thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.domain.capture import CaptureReport
from app.domain.ranking import CandidateResult, Ranking
from app.domain.results import LOST_RTT_US, CampaignRecord, Candidate
from app.domain.solutions import SolutionInfo
from app.domain.verdicts import Finding
from app.ranking.candidates import figures_of
from app.ranking.speed import speed_findings
from app.ranking.titles import short_titles
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve

Floats = npt.NDArray[np.float64]
_QUANTILES = np.linspace(0, 1, 401)


@dataclass(frozen=True, slots=True)
class CpuBar:
    """CPU of one host while one candidate's throughput was probed, in percent of all cores."""

    key: Key
    side: str
    user_pct: float
    system_pct: float
    softirq_pct: float
    rounds: int


@dataclass(frozen=True, slots=True)
class ResultData:
    """A comparison, ready to be drawn.

    Attributes:
        record: As stored.
        ranking: Its ranking.
        names: Short titles for plots, with the position among the suites of the same solution.
        curves: Means and bands over frame size.
        cdfs: Quantiles of the round-trip times in ms at the fractions 0, 1/400 … 1, by candidate and frame size.
        replies: How many round-trip times are behind each entry of `cdfs`.
        cpu: Means over rounds.
        wires: Results of the packet tests, by candidate.
        slow: Slow properties relative to the best of the pair, by candidate; they do not affect the verdict.
        infos: Facts about a solution, by its name.
    """

    record: CampaignRecord
    ranking: Ranking
    names: dict[Key, tuple[str, int]]
    curves: tuple[Curve, ...]
    cdfs: dict[tuple[Key, int], Floats]
    replies: dict[tuple[Key, int], int]
    cpu: tuple[CpuBar, ...]
    wires: dict[Key, CaptureReport]
    slow: dict[Key, Finding]
    infos: Mapping[str, SolutionInfo] = field(default_factory=dict)

    @property
    def fractions(self) -> Floats:
        """Fractions that belong to the values in `cdfs`."""
        return _QUANTILES

    def candidate(self, key: Key) -> Candidate:
        """Return one candidate as it was planned."""
        return next(one for one in self.record.plan.candidates if (one.solution, one.suite) == key)

    def result(self, key: Key) -> CandidateResult:
        """Return one candidate's result."""
        return next(result for result in self.ranking.results if (result.solution, result.suite) == key)


def prepare(record: CampaignRecord, ranking: Ranking, infos: Mapping[str, SolutionInfo] | None = None) -> ResultData:
    """Compute everything that is drawn. For worker threads."""
    rtts = _rtts_ms(record)
    return ResultData(
        record=record,
        ranking=ranking,
        names=plot_names(record.plan.candidates),
        curves=tuple(curve for result in ranking.results if (curve := curve_of(result)) is not None),
        cdfs={place: np.quantile(values, _QUANTILES) for place, values in rtts.items()},
        replies={place: values.size for place, values in rtts.items()},
        cpu=_cpu(record),
        wires=_wires(record),
        slow=dict(speed_findings(ranking)),
        infos=infos or {},
    )


def _wires(record: CampaignRecord) -> dict[Key, CaptureReport]:
    """Return the first report of each candidate: packet tests run in one round only."""
    wires: dict[Key, CaptureReport] = {}
    for attempt in record.attempts:
        if attempt.wire is not None:
            wires.setdefault((attempt.key.solution, attempt.key.suite), attempt.wire)
    return wires


def plot_names(candidates: Sequence[Candidate]) -> dict[Key, tuple[str, int]]:
    """Return short titles, and each suite's position among those of its solution."""
    seen: Counter[str] = Counter()
    names: dict[Key, tuple[str, int]] = {}
    for key, title in short_titles(candidates).items():
        names[key] = (title, seen[key[0]])
        seen[key[0]] += 1
    return names


def curve_of(result: CandidateResult) -> Curve | None:
    """Return means and bands over frame size; None without a reply."""
    rows = [
        (summary.frame_bytes, summary.mean_ms, summary.p5_ms, summary.p95_ms, summary.received)
        for summary in sorted(result.latency, key=lambda summary: summary.frame_bytes)
        if summary.mean_ms is not None and summary.p5_ms is not None and summary.p95_ms is not None
    ]
    if not rows:
        return None
    table = np.array(rows, dtype=np.float64)
    return Curve((result.solution, result.suite), *table.T)


def _rtts_ms(record: CampaignRecord) -> dict[tuple[Key, int], Floats]:
    pooled: dict[tuple[Key, int], list[npt.NDArray[np.uint32]]] = {}
    for attempt in figures_of(record):
        key = (attempt.key.solution, attempt.key.suite)
        for series in attempt.latency:
            seen = series.rtt_us[series.rtt_us != LOST_RTT_US]
            if seen.size:
                pooled.setdefault((key, series.frame_bytes), []).append(seen)
    return {place: np.concatenate(parts) / 1000.0 for place, parts in pooled.items()}


def _cpu(record: CampaignRecord) -> tuple[CpuBar, ...]:
    bars: list[CpuBar] = []
    for candidate in record.plan.candidates:
        key = (candidate.solution, candidate.suite)
        for side in ("a", "b"):
            usages = [
                attempt.cpu_throughput[side]
                for attempt in figures_of(record)
                if (attempt.key.solution, attempt.key.suite) == key and side in attempt.cpu_throughput
            ]
            if usages:
                shares = np.array([(usage.user_pct, usage.system_pct, usage.softirq_pct) for usage in usages]).mean(
                    axis=0
                )
                bars.append(CpuBar(key, side, float(shares[0]), float(shares[1]), float(shares[2]), len(usages)))
    return tuple(bars)
