"""The report for spreadsheets and statistics programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from app.domain.capture import CaptureReport, Property, properties_of
from app.domain.plain_text import formula_safe
from app.domain.ranking import Ranking
from app.domain.results import LOST_RTT_US, Attempt, CampaignRecord
from app.domain.workloads import FigureKind, WorkloadResult
from app.ranking import summarise
from app.ranking.summaries import is_sent
from app.ranking.workloads import measured_figures
from app.reports.files import write_atomically
from app.wording.capture_sentences import worst_breakage

Cell = str | int | float | None

_SUMMARY = ("sent", "received", "duplicates", "mean_ms", "p5_ms", "p50_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms")
_LATENCY = (*_SUMMARY, "stdev_ms", "over_deadline_pct", "note")
_JITTER = "jitter_ms"
_UNIT_WORDS = {"%": "pct", "1/s": "per_s"}
_KEY = ("campaign_id", "position", "solution", "suite", "condition", "round")
_ATTEMPT = ("status", "reason", "message", "started_at", "ended_at", "setup_s", "probe_s", "cleanup_s")
_LOAD = ("throughput_a_to_b_mbit_s", "throughput_b_to_a_mbit_s", "cpu_a_pct", "cpu_b_pct")

_CAPTURE = (
    "leak",
    "breakage",
    "wire_packets",
    "wire_bytes",
    "wire_theory_bytes",
    "wire_is_fragmented",
    "wire_ack_bytes",
)

_PROPERTIES = (Property.AUTHENTIC, Property.REPLAY_PROOF)


def to_csv(record: CampaignRecord, ranking: Ranking) -> bytes:
    """Return one line per attempt and frame size; an attempt without latency has one line without a size.

    Throughput, CPU, figures of workloads and the words for leak, breakages and injection belong to the attempt: each of
    its lines has them.

    Args:
        ranking: Its ranking, for the column `rank`.
    """
    ranks = {(one.solution, one.suite): one.rank for one in ranking.ranking}
    quantum = {(one.solution, one.suite): one.post_quantum for one in record.plan.candidates}
    properties = (one.value.replace("-", "_") for one in _PROPERTIES)
    figures = measured_figures(record)
    header = (*_KEY, "rank", *_ATTEMPT, "frame_bytes", *_LATENCY, *_LOAD, *_CAPTURE, *properties, "post_quantum")
    header = (*header, _JITTER, *(name for workload, kind in figures for name in _columns(workload, kind)))
    lines = (
        (
            *_key(record, one),
            ranks.get((one.key.solution, one.key.suite)),
            *_outcome(one),
            *latency[:-1],
            *_load(one),
            *_capture(one.capture, latency[0]),
            *_properties(one.capture),
            quantum.get((one.key.solution, one.key.suite)),
            latency[-1],
            *_of_workloads(one, figures),
        )
        for one in record.attempts
        for latency in _latency(one, record.plan.deadline_ms)
    )
    return _table(header, lines)


def write_samples_csv(record: CampaignRecord, path: Path) -> None:
    """Write one line per echo request, with its RTT in µs, empty where no reply came.

    Args:
        path: Where to; an existing file is replaced.

    Raises:
        DiskFull: No space is left there.
        InvalidOption: Nothing can be written there.
    """
    write_atomically(path, _table((*_KEY, "frame_bytes", "index", "rtt_us"), _samples(record)))


def _samples(record: CampaignRecord) -> Iterator[Sequence[Cell]]:
    for one in record.attempts:
        key = _key(record, one)
        for series in one.latency:
            samples = zip(series.rtt_us.tolist(), is_sent(one, series).tolist(), strict=True)
            for index, (rtt_us, was_sent) in enumerate(samples):
                if was_sent:
                    yield *key, series.frame_bytes, index, None if rtt_us == int(LOST_RTT_US) else rtt_us


def _table(header: Sequence[str], lines: Iterable[Sequence[Cell]]) -> bytes:
    """Source: RFC 4180."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([formula_safe(cell) for cell in line] for line in lines)
    return text.getvalue().encode(errors="replace")


def _key(record: CampaignRecord, one: Attempt) -> tuple[Cell, ...]:
    key = one.key
    return record.campaign_id, key.position, key.solution, key.suite, key.condition, key.round


def _outcome(one: Attempt) -> tuple[Cell, ...]:
    times = (one.started_at.isoformat(), one.ended_at.isoformat())
    return one.status.value, one.reason, one.message, *times, one.setup_s, one.probe_s, one.cleanup_s


def _latency(one: Attempt, deadline_ms: float | None) -> Iterator[tuple[Cell, ...]]:
    for series in one.latency:
        summary = summarise([series], deadline_ms)
        yield series.frame_bytes, *(getattr(summary, name) for name in (*_LATENCY, _JITTER))
    if not one.latency:
        yield None, *(None for _ in (*_LATENCY, _JITTER))


def _capture(report: CaptureReport | None, frame_bytes: Cell) -> tuple[Cell, ...]:
    if report is None:
        return tuple(None for _ in _CAPTURE)
    leak = report.leak.verdict.value if report.leak is not None else None
    worst = worst_breakage(report.leak.broken) if report.leak is not None else None
    cost = next((each for each in report.overhead if each.frame_bytes == frame_bytes), None)
    words = (leak, worst.value if worst is not None else None)
    if cost is None:
        return (*words, *(None for _ in _CAPTURE[len(words) :]))
    figures = (cost.packets, cost.outer_bytes, cost.theory_bytes)
    return (*words, *figures, int(cost.is_fragmented), cost.ack_bytes)


def _properties(report: CaptureReport | None) -> tuple[Cell, ...]:
    if report is None or report.injection is None:
        return tuple(None for _ in _PROPERTIES)
    shown = properties_of(report)
    return tuple(shown[one].verdict.value for one in _PROPERTIES)


def _load(one: Attempt) -> tuple[Cell, ...]:
    rates = {series.direction: series.mbit_s for series in one.throughput}
    busy = {side: usage.busy_pct for side, usage in one.cpu_throughput.items()}
    return rates.get("a_to_b"), rates.get("b_to_a"), busy.get("a"), busy.get("b")


def _columns(workload: str, kind: FigureKind) -> tuple[str, ...]:
    """Return the name of a figure's column, with its unit: `voice_delay_ms`; and of what says that it is a bound."""
    words = [_word(workload), _word(kind.name)]
    unit = _word(_UNIT_WORDS.get(kind.unit, kind.unit))
    name = "_".join(words if words[-1] == unit or not unit else [*words, unit])
    return (name, "_".join([*words, "is_lower_bound"])) if kind.can_be_lower_bound else (name,)


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _of_workloads(one: Attempt, figures: Sequence[tuple[str, FigureKind]]) -> tuple[Cell, ...]:
    found = {result.workload: result for result in one.workloads}
    return tuple(cell for workload, kind in figures for cell in _of_figure(found.get(workload), kind))


def _of_figure(result: WorkloadResult | None, kind: FigureKind) -> tuple[Cell, ...]:
    value = result.figures.get(kind.name) if result is not None else None
    if not kind.can_be_lower_bound:
        return (value,)
    return value, None if value is None or result is None else int(kind.name in result.lower_bounds)
