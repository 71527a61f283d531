"""Replies in the order of sending in reports: what is drawn of known samples, and how large it is."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from sample_records import MODELS, sample_record

from app.domain.profiles import ADAPTIVE_PROFILE, FRAME_BYTES
from app.domain.results import LOST_RTT_US, Block, CampaignRecord, CampaignStatus, LatencySeries
from app.ranking import rank
from app.ranking.choice import MOST_PLANNED_ROUNDS
from app.ranking.sample_history import SampleHistory, SampleOutage
from app.reports import pdf_report, to_html, to_pdf
from app.reports.drawing import settings
from app.reports.figures import Drawn
from app.reports.history_figures import MOST_SHADES, MOST_STROKES, draw_histories, history_figure
from app.reports.svg import PAGE
from app.wording.colours import series_style

MOST_BYTES = 40_000
STYLE = series_style("wireguard")


def history(
    rtt_ms: list[float] | np.ndarray, rounds: list[int] | np.ndarray, at_s: np.ndarray | None = None
) -> SampleHistory:
    """Return samples with their outages, which end with a round."""
    times, numbers = np.array(rtt_ms, float), np.array(rounds)
    outages: list[SampleOutage] = []
    for nth in np.flatnonzero(np.isnan(times)).tolist():
        goes_on = bool(outages) and outages[-1].last == nth - 1 and outages[-1].round == numbers[nth]
        first = outages.pop().first if goes_on else nth
        outages.append(SampleOutage(first, nth, int(numbers[nth])))
    return SampleHistory(60, times, at_s, numbers, tuple(outages))


def drawn(one: SampleHistory) -> Figure:
    with settings():
        return history_figure(one, STYLE, PAGE)


def lines(figure: Figure, gid: str) -> list[list[tuple[float, float]]]:
    """Return the lines with an id, each with its points."""
    found: list[list[tuple[float, float]]] = []
    for patch in figure.axes[0].patches:
        if isinstance(patch, PathPatch) and patch.get_gid() == gid:
            path = patch.get_path()
            assert path.codes is not None
            for (x, y), code in zip(path.vertices, path.codes, strict=True):
                if code == path.MOVETO:
                    found.append([])
                found[-1].append((round(float(x), 3), round(float(y), 3)))
    return found


def labels(figure: Figure) -> list[str]:
    return [one.get_text() for one in figure.axes[0].texts]


def test_each_reply_is_a_dot_outages_are_shaded_and_rounds_marked() -> None:
    figure = drawn(history([1.0, np.nan, np.nan, 2.0, 4.0, np.nan, 0.0], [1, 1, 1, 1, 2, 2, 2]))
    assert lines(figure, "replies") == [[(x, y), (x, y)] for x, y in ((1, 1.0), (4, 2.0), (5, 4.0), (7, 0.001))]
    assert lines(figure, "medians") == []
    assert lines(figure, "outages") == [
        [(1.5, 0), (1.5, 1), (3.5, 1), (3.5, 0)],
        [(5.5, 0), (5.5, 1), (6.5, 1), (6.5, 0)],
    ]
    assert lines(figure, "rounds") == [[(4.5, 0), (4.5, 1)]]
    assert labels(figure) == ["Round 1", "Round 2"]
    (marks,) = figure.axes[0].lines
    assert marks.get_xydata().tolist() == [[2.5, 1.5], [6.0, 2.0]], "the median of each round"
    assert figure.axes[0].get_xlabel() == "request, in order"


def test_of_many_replies_the_line_is_their_median_and_the_band_has_all() -> None:
    rtt_ms = np.tile([1.0, 2.0, 9.0, np.nan], MOST_STROKES)
    rtt_ms[400:408] = np.nan
    figure = drawn(history(rtt_ms, np.repeat([1, 2], 2 * MOST_STROKES)))
    bands = lines(figure, "replies")
    assert len(bands) == MOST_STROKES - 2
    assert bands[0] == [(2.5, 1.0), (2.5, 9.0)]
    first, second = lines(figure, "medians")
    assert [len(first), len(second)] == [100, 98], "nothing is drawn over an outage, or from one round to the next"
    assert {y for _, y in first + second} == {2.0}


def test_no_stroke_has_replies_of_two_rounds() -> None:
    figure = drawn(history(np.repeat([1.0, 9.0], [303, 497]), np.repeat([1, 2], [303, 497])))
    bands = lines(figure, "replies")
    assert len(bands) == 76 + 125
    assert {low[1] for low, _ in bands} == {1.0, 9.0}
    assert all(low[1] == high[1] for low, high in bands)
    assert bands[75][0][0] == 302.0, "the last three of the first round"
    assert bands[76][0][0] == 305.5


def test_a_short_outage_can_be_seen() -> None:
    rtt_ms = np.ones(10_000)
    rtt_ms[5_000] = np.nan
    (((left, _), _, (right, _), _),) = lines(drawn(history(rtt_ms, np.ones(10_000, int))), "outages")
    assert (left + right) / 2 == pytest.approx(5_001)
    assert right - left > 50


def test_of_too_many_outages_the_longest_are_shaded_and_the_others_marked() -> None:
    rtt_ms = np.ones(2_000)
    rtt_ms[::20] = np.nan
    rtt_ms[1_000:1_003] = np.nan
    figure = drawn(history(rtt_ms, np.ones(2_000, int)))
    assert len(lines(figure, "outages")) == 1
    assert len(lines(figure, "losses")) == 99
    few = drawn(history(rtt_ms[:1_000], np.ones(1_000, int)))
    assert len(lines(few, "outages")) == 50 <= MOST_SHADES
    assert lines(few, "losses") == []


def test_where_blocks_are_stored_the_axis_has_the_beginning_of_each_round() -> None:
    at_s = np.array([1.0, 5.0, 80.0, 84.0])
    figure = drawn(history([1.0, 1.0, 2.0, 2.0], [1, 1, 2, 2], at_s))
    axes = figure.axes[0]
    assert [one.get_text() for one in axes.get_xticklabels()] == ["1", "80"]
    assert axes.get_xticks().tolist() == [0.5, 2.5]
    assert axes.get_xlabel() == "requests in order, with the seconds since the comparison began"
    many = drawn(history(np.ones(200), np.repeat(np.arange(1, 101), 2), np.arange(200) * 100.0))
    assert labels(many)[0] == "1"
    assert 5 < len(labels(many)) < 60, "numbers are left out where they would cover each other"
    assert len(lines(many, "rounds")) + 1 == len(many.axes[0].lines[0].get_xydata()) == len(labels(many))
    assert 5 < len(many.axes[0].get_xticks()) < 30


def test_where_nothing_was_answered_all_is_shaded() -> None:
    figure = drawn(history([np.nan] * 5, [1] * 5))
    assert lines(figure, "outages") == [[(0.5, 0), (0.5, 1), (5.5, 1), (5.5, 0)]]
    assert len(figure.axes[0].get_yticks()) == 0


def altered(record: CampaignRecord, seed: int, lost: float) -> CampaignRecord:
    """Return a record in which a part of the requests of all sizes had no reply."""
    rng = np.random.default_rng(seed)

    def less(one: LatencySeries) -> LatencySeries:
        rtt_us = np.where(rng.random(one.rtt_us.size) < lost, LOST_RTT_US, one.rtt_us).astype(np.uint32)
        return replace(one, rtt_us=rtt_us, received=int((rtt_us != LOST_RTT_US).sum()))

    attempts = tuple(replace(one, latency=tuple(map(less, one.latency))) for one in record.attempts)
    return replace(record, attempts=attempts)


def histories(record: CampaignRecord) -> list[Drawn]:
    return list(draw_histories(record, rank(record), PAGE).values())


@pytest.mark.parametrize(("lost", "rounds"), [(0.0, 3), (0.01, 3), (0.3, MOST_PLANNED_ROUNDS)])
def test_a_figure_of_thousands_of_samples_is_small(lost: float, rounds: int) -> None:
    record = altered(sample_record(models=MODELS[2:3], pings=30_000 // rounds, rounds=rounds), 1, lost)
    (one,) = histories(record)
    assert 5_000 < len(one.svg.encode()) < MOST_BYTES
    ET.fromstring(one.svg)  # noqa: S314 - our own


def test_each_measured_candidate_and_the_bare_underlay_have_one_in_the_page() -> None:
    record = altered(sample_record(pings=30), 1, 0.02)
    ranking = rank(record)
    found = draw_histories(record, ranking, PAGE)
    measured = [model.candidate for model in MODELS if not model.failure[0]]
    assert set(found) == {(one.solution, one.suite) for one in measured}
    page = to_html(record, ranking)
    by_title = dict(part.split("</summary>", 1) for part in page.split("<summary>") if "</summary>" in part)
    for one in measured:
        part, figure = by_title[one.title], found[one.solution, one.suite]
        assert figure.caption.startswith("Requests: 90;" if one.solution != "baseline" else "Requests: 120;")
        assert f"<h3>{figure.title}</h3>" in part
        assert figure.caption in part
        assert f'aria-label="Round-trip times of {one.title} in the order of sending, 60-byte frames' in part
        assert 'clip-path="url(#time' in part
    assert {figure.title for figure in found.values()} == {f"Over time: {FRAME_BYTES[0]}-byte frames"}
    assert page.count("<h3>Over time") == len(measured)
    assert "<script" not in page


def test_an_adaptive_comparison_has_times_and_bounds_of_durations() -> None:
    record = sample_record(models=MODELS[:3], pings=60, rounds=2)
    blocks = tuple(Block(nth, 2.0 * nth) for nth in range(1, 4))
    attempts = []
    for one in record.attempts:
        (first, *rest) = one.latency
        rtt_us = first.rtt_us.copy()
        rtt_us[10:50] = LOST_RTT_US
        attempts.append(replace(one, blocks=blocks, latency=(replace(first, rtt_us=rtt_us, received=20), *rest)))
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE)
    one = histories(replace(record, plan=plan, attempts=tuple(attempts)))[0]
    assert "The longest: 40 requests in a row, in round 1 (duration: 2.0 s to 33.0 s)." in one.caption
    assert "The time between rounds is left out." in one.caption
    assert "requests in order, with the seconds since the comparison began" in one.svg
    first_row, second_row = one.data.rows
    assert first_row[1:5] == ("60", "40", "1", "40 (2.0 s to 33.0 s)")
    assert second_row[0].startswith("2, ")
    assert second_row[0].endswith(" s")


@pytest.mark.parametrize("models", [(), (MODELS[5],), (MODELS[2],)])
def test_without_samples_nothing_is_drawn_and_there_are_no_words(models: tuple[object, ...]) -> None:
    record = sample_record(models=models, pings=5, rounds=1, status=CampaignStatus.CANCELLED)  # type: ignore[arg-type]
    attempts = tuple(replace(one, latency=()) for one in record.attempts)
    record = replace(record, attempts=attempts)
    ranking = rank(record)
    assert draw_histories(record, ranking, PAGE) == {}
    assert "Over time" not in to_html(record, ranking)


def test_the_paper_report_is_given_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def compiled(source: Path, **_: object) -> bytes:
        seen.update(json.loads((source.parent / "data.json").read_text()))
        seen["files"] = sorted(path.name for path in source.parent.glob("time*.svg"))
        return b""

    record = sample_record(models=MODELS[4:], pings=30, rounds=1)
    monkeypatch.setattr(pdf_report, "draw_figures", lambda *_: ())
    monkeypatch.setattr("typst.compile", compiled)
    to_pdf(record, rank(record))
    candidates = seen["candidates"]
    assert isinstance(candidates, list)
    by_solution = {one["suite"]: one["history"] for one in candidates}
    assert by_solution["bf-cbc"] is None
    assert by_solution["aes-256-gcm"]["caption"].startswith("Requests: 30; without a reply: 0; outages: 0.")
    assert [by_solution["aes-256-gcm"]["file"]] == seen["files"]
