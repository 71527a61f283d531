"""Data of the results page, computed outside the window's thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.capture import CaptureReport
from app.domain.ranking import CandidateResult, Ranking
from app.domain.results import CampaignRecord, Candidate
from app.domain.solutions import SolutionInfo
from app.domain.verdicts import Finding
from app.ranking.pictures import CpuBar, Distribution, cpu_bars, distributions
from app.ranking.repeated_study import RepeatedStudy, repeated_study
from app.ranking.speed import speed_findings
from app.ranking.titles import short_titles
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve


@dataclass(frozen=True, slots=True)
class ResultData:
    """A comparison, ready to be drawn.

    Attributes:
        record: As stored.
        ranking: Its ranking.
        names: Short titles for plots, with the position among the suites of the same solution.
        curves: Means and bands over frame size.
        cdfs: Distribution of the round-trip times by candidate and frame size in bytes.
        cpu: CPU of both hosts during throughput.
        captures: Results of the packet tests, by candidate.
        slow: Slow properties relative to the best of the pair, by candidate; they do not affect the verdict.
        infos: Facts about a solution, by its name.
        repeated: The study that it repeats, with own figures; None where it repeats none.
    """

    record: CampaignRecord
    ranking: Ranking
    names: dict[Key, tuple[str, int]]
    curves: tuple[Curve, ...]
    cdfs: dict[tuple[Key, int], Distribution]
    cpu: tuple[CpuBar, ...]
    captures: dict[Key, CaptureReport]
    slow: dict[Key, Finding]
    infos: Mapping[str, SolutionInfo] = field(default_factory=dict)
    repeated: RepeatedStudy | None = None

    def candidate(self, key: Key) -> Candidate:
        """Return one candidate as it was planned."""
        return self.record.plan.candidate(key)

    def result(self, key: Key) -> CandidateResult:
        """Return one candidate's result."""
        return next(result for result in self.ranking.results if (result.solution, result.suite) == key)

    def least_ms(self, key: Key) -> float | None:
        """Return the shortest round trip of a candidate's frames of up to 128 bytes, in ms; None with too few."""
        found = (one.arrivals for one in self.ranking.results if (one.solution, one.suite) == key)
        arrivals = next(found, None)
        return arrivals.least_ms if arrivals is not None else None


def prepare(record: CampaignRecord, ranking: Ranking, infos: Mapping[str, SolutionInfo] | None = None) -> ResultData:
    """Compute everything that is drawn. For worker threads."""
    return ResultData(
        record=record,
        ranking=ranking,
        names=plot_names(record.plan.candidates),
        curves=tuple(curve for result in ranking.results if (curve := curve_of(result)) is not None),
        cdfs=distributions(record),
        cpu=cpu_bars(record, ranking),
        captures=_captures(record),
        slow=dict(speed_findings(ranking)),
        infos=infos or {},
        repeated=repeated_study(record),
    )


def _captures(record: CampaignRecord) -> dict[Key, CaptureReport]:
    """Return the first report of each candidate: packet tests run in one round only."""
    captures: dict[Key, CaptureReport] = {}
    for attempt in record.attempts:
        if attempt.capture is not None:
            captures.setdefault((attempt.key.solution, attempt.key.suite), attempt.capture)
    return captures


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
