"""The figures of a report as tables, for those who do not see them or want the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.domain.hosts import DIRECTIONS
from app.domain.ranking import CandidateResult, Estimate, LatencySummary, Ratio
from app.ranking.frontier import FrontierPoint
from app.ranking.pictures import Distribution
from app.ranking.sample_history import SampleHistory
from app.ranking.sample_words import lasted_text
from app.reports.text import NOTHING, interval, ms
from app.wording.language import tr
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
    caption = tr("Mean round-trip time in ms, and in brackets the middle 90 % of all replies, by frame size")
    return FigureData(
        caption, (tr("Candidate"), *(tr("{size} bytes").format(size=grouped(size)) for size in sizes)), tuple(rows)
    )


def _band(size: LatencySummary) -> str:
    return tr("{mean} ({low} to {high})").format(mean=ms(size.mean_ms), low=ms(size.p5_ms), high=ms(size.p95_ms))


def cdf_data(curves: Iterable[tuple[str, Distribution | None, int]]) -> FigureData:
    """Return within which time a share of all requests was answered.

    Args:
        curves: Per candidate its title, the distribution of its round-trip times (None where nothing was answered), and
            how many requests were sent; those that sent none are left out.
    """
    rows = []
    for title, found, sent in curves:
        if sent:
            answered = f"{number(100 * (found.replies if found is not None else 0) / sent)} %"
            times = (None if found is None else found.within_ms(share / 100) for share in _SHARES_PCT)
            rows.append((title, answered, *(NOTHING if time_ms is None else ms(time_ms) for time_ms in times)))
    within = (f"{share} %" for share in _SHARES_PCT)
    caption = tr("Requests that were answered, and the time in ms within which a share of all requests was")
    return FigureData(caption, (tr("Candidate"), tr("Answered"), *within), tuple(rows))


def ratio_data(rows: Iterable[tuple[str, Ratio]]) -> FigureData:
    """Return each candidate's latency over that of the fastest, with its interval."""
    found = [
        (
            title,
            number(one.value),
            NOTHING
            if one.interval is None
            else tr("{low} to {high}").format(low=number(one.interval[0]), high=number(one.interval[1])),
        )
        for title, one in rows
    ]
    caption = tr("Latency over that of the fastest, by medians, and its 95 % interval")
    return FigureData(caption, (tr("Candidate"), tr("Times the fastest"), "95 %"), tuple(found))


def frontier_data(rows: Iterable[tuple[str, FrontierPoint]]) -> FigureData:
    """Return latency and throughput of each candidate, and whether it has a ring."""
    words = {None: NOTHING, True: tr("no"), False: tr("yes")}
    found = [
        (title, ms(one.latency.mean), number(one.throughput_mbit_s), words[one.result.is_dominated])
        for title, one in rows
    ]
    caption = tr(
        "Weighted latency in ms, throughput in Mbit/s (mean of both directions), and whether no other candidate that "
        "may be recommended is better in something and worse in nothing"
    )
    return FigureData(caption, (tr("Candidate"), tr("Latency"), tr("Throughput"), tr("Pareto-optimal")), tuple(found))


def throughput_data(rows: Iterable[tuple[str, Mapping[str, Estimate]]]) -> FigureData:
    """Return the throughput of each candidate in both directions, in Mbit/s."""
    found = [
        (
            title,
            *(
                text
                for direction in DIRECTIONS
                for text in (_mean(by_direction.get(direction)), interval(by_direction.get(direction)) or NOTHING)
            ),
        )
        for title, by_direction in rows
    ]
    columns = (tr("Candidate"), "A→B", "A→B, 95 %", "B→A", "B→A, 95 %")
    return FigureData(tr("TCP throughput in Mbit/s: mean over rounds, and its 95 % interval"), columns, tuple(found))


def _mean(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else number(estimate.mean)


def cpu_data(rows: Iterable[tuple[str, Mapping[str, Sequence[float]]]]) -> FigureData:
    """Return the CPU of each candidate and host during throughput, in percent of all cores."""
    found = [
        (title, side.upper(), *(number(part, 2) for part in parts), number(sum(parts), 2))
        for title, by_side in rows
        for side, parts in by_side.items()
    ]
    columns = (tr("Candidate"), tr("Host"), tr("User space"), tr("Kernel"), tr("Interrupts"), tr("All"))
    return FigureData(tr("CPU during throughput in percent of all cores"), columns, tuple(found))


def history_data(history: SampleHistory) -> FigureData:
    """Return the samples of each round: how many, how many had no reply, the longest outage, and the times of others.

    Where times are stored, a round has the time at which its first block began.
    """
    rows = []
    for nth, places in history.by_round():
        rtt_ms = history.rtt_ms[places]
        seen = rtt_ms[~np.isnan(rtt_ms)]
        sent = int(history.is_sent[places].sum())
        found = [one for one in history.outages if places.start <= one.first < places.stop]
        longest = max(found, key=lambda one: one.requests, default=None)
        lasted = lasted_text(longest) if longest is not None else ""
        rows.append(
            (
                str(nth) if history.at_s is None else f"{nth}, {grouped(round(history.at_s[places][0]))} s",
                grouped(sent),
                grouped(sent - seen.size),
                grouped(len(found)),
                NOTHING if longest is None else f"{grouped(longest.requests)}{f' ({lasted})' if lasted else ''}",
                *(ms(float(one)) if seen.size else NOTHING for one in _low_middle_high(seen)),
            )
        )
    caption = tr("Requests and round-trip times in ms by round")
    if history.at_s is not None:
        caption = tr("Requests and round-trip times in ms by round, with its beginning since that of the comparison")
    heads = tr("Requests"), tr("Without a reply"), tr("Outages"), tr("Longest outage, requests")
    return FigureData(caption, (tr("Round"), *heads, tr("Lowest"), tr("Median"), tr("Highest")), tuple(rows))


def _low_middle_high(seen: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    return (seen.min(), np.median(seen), seen.max()) if seen.size else (np.nan, np.nan, np.nan)
