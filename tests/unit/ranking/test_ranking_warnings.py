"""Warnings are one list: the same at the terminal, in reports, and for programs."""

from __future__ import annotations

import html
import io
import re
from dataclasses import replace
from typing import cast

import pytest
from sample_records import MODELS, sample_record

from app.cli.results import print_ranking
from app.cli.tables import WIDTH_WITHOUT_TERMINAL
from app.cli.terminal import CleanConsole
from app.domain.results import CampaignRecord
from app.probes.capture.messages import KERNEL_DROPPED
from app.ranking import rank
from app.ranking.gates import MOST_REPEATS
from app.ranking.warnings import candidate_warnings, harmless_drift, warnings_of
from app.reports.html_report import to_html
from app.reports.json_report import to_json
from app.reports.view import report_view
from app.wording import language
from app.wording.messages import local_text

pytestmark = pytest.mark.usefixtures("without_figures")

BUSY = "Other work kept 92 % of gateway-a's CPU busy before the start."


def doubted() -> CampaignRecord:
    """A comparison of one round in which a candidate that is not the best was disturbed."""
    record = sample_record(rounds=1)
    last = rank(record).results[1]
    attempts = tuple(
        replace(one, doubts=(BUSY,)) if (one.key.solution, one.key.suite) == (last.solution, last.suite) else one
        for one in record.attempts
    )
    return replace(record, attempts=attempts)


def printed(record: CampaignRecord, width: int = WIDTH_WITHOUT_TERMINAL) -> str:
    out = CleanConsole(width=width, file=io.StringIO(), color_system=None, highlight=False)
    print_ranking(out, record, rank(record))
    return cast("io.StringIO", out.file).getvalue()


def listed_at_terminal(text: str) -> list[str]:
    heading = re.search(r"^Warnings \((\d+)\):\n", text, re.MULTILINE)
    assert heading is not None
    found = re.findall(r"^  - (.+)$", text[heading.end() :], re.MULTILINE)
    assert len(found) == int(heading[1])
    return found


def test_terminal_report_and_json_have_the_same_list() -> None:
    record = doubted()
    ranking = rank(record)
    wanted = list(warnings_of(record, ranking))
    assert any("one round" in one for one in wanted)
    assert f"{ranking.results[1].title}: {BUSY}" in wanted
    assert listed_at_terminal(printed(record)) == wanted
    assert report_view(record, ranking)["warnings"] == wanted
    assert to_json(record, ranking)["warnings"] == wanted
    page = html.unescape(to_html(record, ranking))
    first_page = page[: page.index('<section aria-labelledby="candidates">')]
    assert all(f"<li>{one}</li>" in first_page for one in wanted)


@pytest.mark.parametrize("word", ["Doubts", "Cautions", "Caveats", "Note: ", "How far to trust"])
def test_no_other_word_is_used_for_them(word: str) -> None:
    record = doubted()
    assert word not in to_html(record, rank(record))
    assert word not in printed(record)


def test_doubts_of_the_best_are_listed_once_with_its_title() -> None:
    record = sample_record(rounds=1)
    best = rank(record).results[0]
    attempts = tuple(
        replace(one, doubts=(BUSY,)) if (one.key.solution, one.key.suite) == (best.solution, best.suite) else one
        for one in record.attempts
    )
    record = replace(record, attempts=attempts)
    assert [one for one in warnings_of(record, rank(record)) if BUSY in one] == [f"{best.title}: {BUSY}"]


def test_a_warning_of_several_candidates_is_listed_once_with_their_titles() -> None:
    record = sample_record(rounds=1)
    first, second, third = [one for one in rank(record).results if not one.is_unprotected][:3]
    own = {(first.solution, first.suite): (BUSY,), (third.solution, third.suite): (BUSY, "Its daemon restarted.")}
    attempts = tuple(replace(one, doubts=own.get((one.key.solution, one.key.suite), ())) for one in record.attempts)
    record = replace(record, attempts=attempts)
    listed = [one for one in warnings_of(record, rank(record)) if BUSY in one or "daemon" in one]
    assert listed == [f"{first.title}; {third.title}: {BUSY}", f"{third.title}: Its daemon restarted."]
    assert second.title not in " ".join(listed)


def test_what_the_choice_warns_of_one_candidate_names_it() -> None:
    record = sample_record(rounds=3, models=(MODELS[0], MODELS[2]))
    attempts = tuple(
        replace(one, latency=tuple(replace(each, rtt_us=each.rtt_us * 4) for each in one.latency))
        if one.key.solution == "wireguard" and one.key.round == 2
        else one
        for one in record.attempts
    )
    attempts = tuple(replace(one, doubts=(BUSY,)) if one.key.solution == "wireguard" else one for one in attempts)
    record = replace(record, attempts=attempts, plan=replace(record.plan, deadline_ms=None))
    ranking = rank(record)
    assert ranking.recommendation.solution == "wireguard"
    title = ranking.results[0].title
    for listed in (ranking.recommendation.cautions, warnings_of(record, ranking)):
        for words in ("differed a great deal from round to round", "IP fragments", BUSY):
            (found,) = [one for one in listed if words in one]
            assert found.startswith(f"{title}: ")
        assert not any(one.startswith(("It ", "Its ")) for one in listed)


def test_failures_are_shown_before_all_else_and_not_among_them() -> None:
    failing = tuple(
        model if not nth else replace(model, failure=("preflight", "No.")) for nth, model in enumerate(MODELS)
    )
    record = sample_record(rounds=1, models=failing)
    assert not any("VPNs failed" in one for one in warnings_of(record, rank(record)))
    assert printed(record).startswith("5 of 5 VPNs failed.")


def test_a_link_that_hardly_moved_is_no_warning_but_is_reported() -> None:
    record = sample_record(rounds=1)
    ranking = rank(record)
    assert harmless_drift(ranking.drift) == ranking.drift.sentence
    assert ranking.drift.sentence not in warnings_of(record, ranking)
    assert ranking.drift.sentence in printed(record)
    unknown = replace(ranking.drift, latency_pct=None, throughput_pct=None, sentence="Unknown.")
    assert "Unknown." in warnings_of(record, replace(ranking, drift=unknown))


def test_warnings_of_a_candidate_include_those_of_its_packet_tests() -> None:
    record = sample_record(rounds=1)
    result = rank(record).results[0]
    attempts = tuple(
        replace(one, capture=replace(one.capture, doubts=("A capture dropped 3 packets.",)))
        if one.capture is not None
        else one
        for one in record.attempts
    )
    assert "A capture dropped 3 packets." in candidate_warnings(replace(record, attempts=attempts), result)


def test_warnings_of_packet_tests_are_in_the_language_of_their_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_CHOSEN", ["de"])
    doubt = KERNEL_DROPPED(host="gw-a", dropped=3)
    assert local_text(doubt) != doubt
    record = sample_record(rounds=1)
    attempts = tuple(
        replace(one, capture=replace(one.capture, doubts=(doubt,))) if one.capture is not None else one
        for one in record.attempts
    )
    record = replace(record, attempts=attempts)
    ranking = rank(record)
    assert local_text(doubt) in candidate_warnings(record, ranking.results[0])
    listed = [one for one in warnings_of(record, ranking) if one.endswith(local_text(doubt))]
    assert len(listed) == 1
    assert not any(doubt in one for one in warnings_of(record, ranking))


def test_a_long_warning_is_wrapped_below_its_beginning() -> None:
    lines = printed(doubted(), 80).splitlines()
    begin = next(nth for nth, line in enumerate(lines) if line.startswith("  - "))
    assert all(len(line) <= 80 for line in lines[begin:])
    assert any(line.startswith("    ") for line in lines[begin:])


def test_each_row_of_a_report_with_a_warning_is_marked() -> None:
    record = doubted()
    ranking = rank(record)
    rows = [row for group in report_view(record, ranking)["groups"] for row in group["rows"]]
    marked = {row["title"] for row in rows if "warnings" in row["marks"]}
    assert marked == {one.title for one in ranking.results if candidate_warnings(record, one)}
    assert ranking.results[1].title in marked


def test_what_a_busy_host_bars_has_a_warning_of_its_own() -> None:
    record = sample_record(rounds=1)
    solution = rank(record).recommendation.solution
    attempts = tuple(
        replace(one, own_load_cores=1.6 if one.key.solution == solution else 0.1, repeats=MOST_REPEATS)
        for one in record.attempts
    )
    busy = replace(record, attempts=attempts)
    barred = next(one for one in rank(busy).results if one.solution == solution)
    (first, *_) = candidate_warnings(busy, barred)
    assert first.startswith("It was measured while its hosts were too busy: ")
    assert first not in " ".join(warnings_of(busy, rank(busy))), "said once, with its title"
