"""The figures of a report as tables, for those who do not see them or want the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.ranking import CandidateResult, Estimate, LatencySummary, Ratio
from app.ranking.frontier import FrontierPoint
from app.reports.text import NOTHING, interval, ms
from app.wording.numbers import figure as number
from app.wording.numbers import grouped

_SHARES_PCT = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class FigureData:
    """The numbers that a figure shows.

    Attributes:
        caption: What they are, for the table.
        columns: Headings; the first one is that of a row.
        rows: Texts, as many in each as there are columns.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def latency_data(results: Sequence[CandidateResult]) -> FigureData:
    """Return mean and band of each candidate by frame size."""
    sizes = sorted({size.frame_bytes for one in results for size in one.latency})
    rows = []
    for one in results:
        known = {size.frame_bytes: _band(size) for size in one.latency if size.mean_ms is not None}
        if known:
            rows.append((one.title, *(known.get(size, NOTHING) for size in sizes)))
    caption = "Mean round-trip time in ms, and in brackets the middle 90 % of all replies, by frame size"
    return FigureData(caption, ("Candidate", *(f"{grouped(size)} bytes" for size in sizes)), tuple(rows))


def _band(size: LatencySummary) -> str:
    return f"{ms(size.mean_ms)} ({ms(size.p5_ms)} to {ms(size.p95_ms)})"


def cdf_data(curves: Iterable[tuple[str, npt.NDArray[np.uint32], int]]) -> FigureData:
    """Return within which time a share of all requests was answered.

    Args:
        curves: Per candidate its title, the round-trip times that arrived in µs, and how many requests were sent.
    """
    rows = []
    for title, samples, sent in curves:
        answered = f"{number(100 * samples.size / sent)} %" if sent else NOTHING
        rows.append((title, answered, *(_within(samples, sent, share) for share in _SHARES_PCT)))
    within = (f"{share} %" for share in _SHARES_PCT)
    caption = "Requests that were answered, and the time in ms within which a share of all requests was"
    return FigureData(caption, ("Candidate", "Answered", *within), tuple(rows))


def _within(samples: npt.NDArray[np.uint32], sent: int, share_pct: int) -> str:
    """Return the time within which this share of what was sent was answered; a lost request never is."""
    wanted = int(np.ceil(sent * share_pct / 100))
    if not 0 < wanted <= samples.size:
        return NOTHING
    return ms(float(np.partition(samples, wanted - 1)[wanted - 1]) / 1000)


def ratio_data(rows: Iterable[tuple[str, Ratio]]) -> FigureData:
    """Return each candidate's latency over that of the fastest, with its interval."""
    found = [
        (
            title,
            number(one.value),
            NOTHING if one.low is None or one.high is None else f"{number(one.low)} to {number(one.high)}",
        )
        for title, one in rows
    ]
    caption = "Latency over that of the fastest, by medians, and its 95 % interval"
    return FigureData(caption, ("Candidate", "Times the fastest", "95 %"), tuple(found))


def frontier_data(rows: Iterable[tuple[str, FrontierPoint]]) -> FigureData:
    """Return latency and throughput of each candidate, and whether no other one is better in both."""
    found = []
    for title, one in rows:
        is_best = NOTHING if one.result.is_unprotected else "yes" if one.is_on_frontier else "no"
        found.append((title, ms(one.latency.mean), number(one.throughput_mbit_s), is_best))
    caption = (
        "Weighted latency in ms, throughput in Mbit/s (mean of both directions), and whether none is better in both"
    )
    return FigureData(caption, ("Candidate", "Latency", "Throughput", "None better"), tuple(found))


def throughput_data(rows: Iterable[tuple[str, Mapping[str, Estimate]]]) -> FigureData:
    """Return the throughput of each candidate in both directions, in Mbit/s."""
    found = [
        (
            title,
            *(
                text
                for direction in ("a_to_b", "b_to_a")
                for text in (_mean(by_direction.get(direction)), interval(by_direction.get(direction)) or NOTHING)
            ),
        )
        for title, by_direction in rows
    ]
    columns = ("Candidate", "A→B", "A→B, 95 %", "B→A", "B→A, 95 %")
    return FigureData("TCP throughput in Mbit/s: mean over rounds, and its 95 % interval", columns, tuple(found))


def _mean(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else number(estimate.mean)


def cpu_data(rows: Iterable[tuple[str, Mapping[str, Sequence[float]]]]) -> FigureData:
    """Return the CPU of each candidate and host during throughput, in percent of all cores."""
    found = [
        (title, side.upper(), *(number(part, 2) for part in parts), number(sum(parts), 2))
        for title, by_side in rows
        for side, parts in by_side.items()
    ]
    columns = ("Candidate", "Host", "User", "System", "Interrupts", "All")
    return FigureData("CPU during throughput in percent of all cores", columns, tuple(found))
