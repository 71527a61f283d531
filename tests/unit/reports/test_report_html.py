from __future__ import annotations

import functools
import itertools
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import html5lib
import numpy as np
import pytest
from sample_records import HOSTILE, MODELS, Model, hostile_record, sample_record

from app.domain.results import LOST_RTT_US, AttemptStatus, CampaignRecord, CampaignStatus, LatencySeries
from app.ranking import rank
from app.ranking.pictures import distribution
from app.reports import to_html, write_report
from app.reports.figure_data import cdf_data
from app.reports.text import NOTHING, clean, ms
from app.wording.numbers import figure as number


def page(record: CampaignRecord) -> str:
    return to_html(record, rank(record))


@functools.cache
def record_of(name: str) -> CampaignRecord:
    return CASES[name]()


@functools.cache
def case(name: str) -> tuple[str, ET.Element]:
    text = page(record_of(name))
    return text, strictly_parsed(text)


def strictly_parsed(text: str) -> ET.Element:
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert isinstance(tree, ET.Element)
    return tree


def without_cpu(record: CampaignRecord) -> CampaignRecord:
    return replace(record, attempts=tuple(replace(one, cpu_throughput={}, throughput=()) for one in record.attempts))


def nothing_received(record: CampaignRecord) -> CampaignRecord:
    silent = tuple(
        replace(
            one,
            latency=tuple(
                LatencySeries(each.frame_bytes, each.sent, 0, 0, each.rtt_us * 0 + 0xFFFFFFFF) for each in one.latency
            ),
        )
        for one in record.attempts
    )
    return replace(record, attempts=silent)


CASES = {
    "usual": lambda: sample_record(pings=30),
    "one round": lambda: sample_record(pings=30, rounds=1),
    "one ping": lambda: sample_record(pings=1, rounds=1),
    "nothing measured": lambda: sample_record(attempts_kept=0, status=CampaignStatus.CANCELLED),
    "no candidates": lambda: sample_record(models=(), status=CampaignStatus.CANCELLED),
    "running": lambda: sample_record(pings=30, attempts_kept=3, status=CampaignStatus.RUNNING),
    "only failed": lambda: sample_record(models=(MODELS[5],)),
    "no throughput, no CPU": lambda: without_cpu(sample_record(pings=30)),
    "nothing received": lambda: nothing_received(sample_record(pings=5)),
    "no deadline": lambda: sample_record(pings=30, deadline_ms=None),
    "no facts": lambda: replace(sample_record(pings=30), facts={}),
    "hostile": hostile_record,
}
_ALIKE = frozenset({"one round", "running", "no throughput, no CPU", "no deadline", "no facts"})
"""Cases that take what the usual one does, and of which another one shows what becomes of a part that is missing."""
each_case = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in _ALIKE else ()) for name in CASES]
)


@each_case
def test_is_valid_and_is_up_alone(name: str) -> None:
    text, tree = case(name)
    tags = {str(element.tag).rsplit("}", 1)[-1] for element in tree.iter()}
    assert not tags & {"script", "link", "iframe", "object", "embed", "img", "image", "base", "form", "foreignObject"}
    for element in tree.iter():
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on")
            if key.rsplit("}", 1)[-1] in ("href", "src"):
                assert value.startswith("#")
    assert "@import" not in text
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    assert re.findall(r"""["'(]\s*(https?:)?//""", re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)) == []


@each_case
def test_ids_are_unique_and_every_reference_has_its_target(name: str) -> None:
    _, tree = case(name)
    ids = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    wanted = {
        value.removeprefix("#")
        for element in tree.iter()
        for key, value in element.attrib.items()
        if key.rsplit("}", 1)[-1] == "href"
    }
    clips = {
        match
        for element in tree.iter()
        for value in element.attrib.values()
        for match in re.findall(r"url\(#([^)]*)\)", value)
    }
    assert wanted | clips <= set(ids)


def test_hostile_text_is_shown_as_text() -> None:
    text, tree = case("hostile")
    assert "<script" not in text
    assert "<a> " not in text
    shown = "".join(tree.itertext())
    assert shown.count('<script>alert(1)</script>&"\'`${x_{#eval("1")}$') > 20
    assert not set(shown) & {"\x00", "\x1b", "\u202e", "\ud800"}
    assert HOSTILE not in text


def test_a_hostile_suite_in_a_figure_is_drawn_as_text() -> None:
    evil = tuple(
        Model(replace(model.candidate, solution="openvpn-udp", suite=HOSTILE + str(number)), 1, 0.3, 40, 50, 80)
        for number, model in enumerate(MODELS[2:4])
    )
    text = page(sample_record(models=evil, pings=10))
    strictly_parsed(text)
    assert "<script" not in text


def test_says_what_it_has_to() -> None:
    record = record_of("usual")
    shown = " ".join("".join(case("usual")[1].itertext()).split())
    ranking = rank(record)
    for expected in (
        ranking.recommendation.sentence,
        ranking.drift.sentence,
        "practice lab",
        "Recommended",
        "Unprotected",
        "cipher BF-CBC is not in OpenSSL",  # the reason of the one that failed
        "Exiting due to fatal error",  # its log
        "ip link add tmk0 type wireguard",  # the configuration
        "ip link delete tmk0",  # its undo
        "TLS_AES_256_GCM_SHA384",  # what was agreed on
        "Debian GNU/Linux 13 (trixie)",
        "openvpn-udp 2.6.14",
        "CVE-2016-6329",
        "tunnelmark compare lab:practice --solutions baseline,l2tp,wireguard:chacha20-poly1305,openvpn-udp:aes-256-gcm",
        "0.35 for 60",
    ):
        assert " ".join(expected.split()) in shown


@pytest.mark.usefixtures("without_figures")
def test_a_candidate_that_was_cancelled_half_way_is_among_those_that_ended_early() -> None:
    record = sample_record()
    first = record.plan.candidates[0]
    cut = tuple(
        replace(one, status=AttemptStatus.CANCELLED, throughput=(), message="You cancelled.")
        if (one.key.solution, one.key.suite) == (first.solution, first.suite)
        else one
        for one in record.attempts
    )
    text = page(replace(record, attempts=cut, status=CampaignStatus.CANCELLED))
    assert "Ended early" in text


def test_figures_follow_light_and_dark() -> None:
    text, _ = case("usual")
    assert "prefers-color-scheme: dark" in text
    figures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(figures) == 7 + 5, "and the replies of each measured candidate over time"
    for figure in figures:
        colours = set(re.findall(r"#[0-9a-fA-F]{6}\b", figure))
        assert not colours & {"#000000", "#ffffff", "#010203", "#040506", "#070809", "#0a0b0c"}
        assert "var(--ink)" in figure
        assert "aria-label" in figure


def test_the_same_record_gives_the_same_page() -> None:
    assert page(record_of("usual")) == case("usual")[0]


@pytest.mark.usefixtures("without_figures")
def test_written_in_one_step(tmp_path: Path) -> None:
    record = sample_record(pings=30, rounds=1)
    target = tmp_path / "report.html"
    target.write_text("old")
    write_report(record, rank(record), target)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def _tables_of_figures(tree: ET.Element) -> dict[str, list[list[str]]]:
    """Return the rows of the table beside each figure, by the figure's heading, or by its words where it has no own."""
    found = {}
    for figure in tree.iter("figure"):
        title = "".join(next(figure.iter("h3")).itertext())
        rows = [["".join(cell.itertext()) for cell in row] for row in next(figure.iter("tbody"))]
        assert len(list(figure.iter("details"))) == 1
        assert title in "".join(next(figure.iter("summary")).itertext())
        headings = list(next(figure.iter("thead")).iter("th"))
        assert {len(row) for row in rows} == {len(headings)}
        drawing = figure.find("{*}svg")
        assert drawing is not None
        found[title if title not in found else drawing.attrib["aria-label"]] = rows
    return found


@each_case
def test_each_figure_has_its_numbers_in_a_table(name: str) -> None:
    text, tree = case(name)
    assert len(_tables_of_figures(tree)) == text.count("<svg") == text.count('<details class="data"')


def test_figures_name_candidates_by_their_titles() -> None:
    drawings = re.findall(r"<svg.*?</svg>", case("usual")[0], re.DOTALL)
    assert sum("WireGuard" in drawing for drawing in drawings) == 5 + 1, "names on a white edge are drawn as curves"
    for drawing in drawings:
        assert not re.search(r">\s*(baseline|wireguard|openvpn-udp)\b", drawing)


def test_the_numbers_beside_the_figures_are_those_of_the_ranking() -> None:
    record = record_of("usual")
    results = {clean(one.title): one for one in rank(record).results if one.status is AttemptStatus.COMPLETED}
    tables = _tables_of_figures(case("usual")[1])
    tables = dict(itertools.islice(tables.items(), 7))
    assert list(tables) == [
        "Latency over frame size",
        "Latency over that of the fastest",
        "How many replies are in time: 60-byte frames",
        "How many replies are in time: 1514-byte frames",
        "TCP throughput",
        "Throughput against latency",
        "CPU during throughput",
    ]
    ranked = {title for title, one in results.items() if one.ratio_to_best is not None}
    for title, rows in tables.items():
        assert {row[0] for row in rows} == (ranked if title == "Latency over that of the fastest" else set(results))
    for title, value, interval in tables["Latency over that of the fastest"]:
        ratio = results[title].ratio_to_best
        assert ratio is not None
        shown = "–" if ratio.value == 1 else f"{number(ratio.low)} to {number(ratio.high)}"
        assert (value, interval) == (number(ratio.value), shown)
    for title, latency, rate, _ in tables["Throughput against latency"]:
        one = results[title]
        assert one.weighted_latency_ms is not None
        assert latency == ms(one.weighted_latency_ms.mean)
        assert rate == number(np.mean([each.mean for each in one.throughput_mbit_s.values()]))
    for title, *cells in tables["Latency over frame size"]:
        sizes = results[title].latency
        assert [cell.split(" (")[0] for cell in cells] == [ms(size.mean_ms) for size in sizes]
        assert cells[0] == f"{ms(sizes[0].mean_ms)} ({ms(sizes[0].p5_ms)} to {ms(sizes[0].p95_ms)})"
    for title, _answered, *within in tables["How many replies are in time: 60-byte frames"]:
        times = [float(one) for one in within]
        assert times == sorted(times)
        assert times[0] == pytest.approx(results[title].latency[0].p50_ms, rel=0.05)
    for title, to_b, _interval, to_a, _other in tables["TCP throughput"]:
        rates = results[title].throughput_mbit_s
        assert (to_b, to_a) == (number(rates["a_to_b"].mean), number(rates["b_to_a"].mean))
    assert {row[1] for row in tables["CPU during throughput"]} == {"A", "B"}


def test_a_share_that_was_never_answered_has_no_time() -> None:
    rtt_us = np.concatenate([np.arange(1000, 1090, dtype=np.uint32), np.full(10, LOST_RTT_US)])
    found = distribution([LatencySeries(60, 100, 90, 0, rtt_us)])
    rows = cdf_data([("x", found, 100), ("silent", None, 100), ("not sent", None, 0)]).rows
    assert rows == (("x", "90.0 %", "1.05", "1.09", NOTHING), ("silent", "0 %", NOTHING, NOTHING, NOTHING))


def test_parts_of_a_cell_remain_whole_where_it_is_narrow() -> None:
    assert '<span class="whole">2 (fragments)</span>, <span class="whole">' in case("usual")[0]
