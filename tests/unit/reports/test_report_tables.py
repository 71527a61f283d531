"""Tables of the report: rows, figures and their order."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files

import html5lib
import pytest
from sample_records import MODELS, hostile_record, sample_record

from app.domain.ranking import Ratio
from app.domain.results import CampaignRecord
from app.ranking import rank
from app.reports.html_report import to_html
from app.reports.tables import with_roles
from app.reports.text import times_best

pytestmark = pytest.mark.usefixtures("without_figures")

XHTML = "{http://www.w3.org/1999/xhtml}"
SUBNET = "gateway-a uses 192.0.2.0/24 already. Choose other addresses."
ALL_FAILED = tuple(
    model if not nth else replace(model, failure=("preflight", SUBNET)) for nth, model in enumerate(MODELS)
)


def page(record: CampaignRecord) -> str:
    return to_html(record, rank(record))


@pytest.mark.parametrize("record", [sample_record(), hostile_record()], ids=["sample", "hostile"])
def test_each_table_has_a_caption_and_roles_and_each_cell_its_heading(record: CampaignRecord) -> None:
    tables = list(html5lib.parse(page(record)).iter(f"{XHTML}table"))
    assert len(tables) >= 4
    for table in tables:
        assert table.get("role") == "table"
        assert (table.findtext(f"{XHTML}caption") or "").strip()
        for row in table.iter(f"{XHTML}tr"):
            assert row.get("role") == "row"
            for cell in row:
                assert cell.get("role") in ("cell", "columnheader", "rowheader")
                is_plain = cell.tag == f"{XHTML}td" and cell.get("colspan") is None
                assert not is_plain or cell.get("data-label")


def test_labels_are_the_headings_of_their_columns() -> None:
    html = (
        "<table><thead><tr><th scope='col'>VPN</th><th scope='col'><b>A</b> &amp; B</th><th scope='col'>C</th></tr>"
        "</thead>"
        '<tbody><tr><th scope="row">one</th><td>1</td><td>2</td></tr>'
        '<tr><th scope="row">two</th><td colspan="2">nothing</td></tr></tbody></table>'
    )
    made = with_roles(html)
    assert '<th role="rowheader" scope="row">one</th><td role="cell" data-label="A &amp; B">1</td>' in made
    assert '<td role="cell" data-label="C">2</td>' in made
    assert '<td role="cell" colspan="2">nothing</td>' in made
    assert with_roles("<p>&lt;td&gt; is a tag</p>") == "<p>&lt;td&gt; is a tag</p>"


def test_style_leaves_tables_tables() -> None:
    style = (files("resources") / "templates" / "report.css").read_text(encoding="utf-8")
    tables = {"table", ".cards", ".numbers", ".ranking", ".packet-tests", ".hosts", ".published", ".numbers.cards"}
    for selectors, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        names = {selector.strip() for selector in selectors.split(",")}
        assert not (names & tables and "display" in rules), selectors


def test_first_screen_says_what_was_compared_where_when_and_what_failed() -> None:
    record = sample_record(rounds=1, models=ALL_FAILED)
    html = page(record)
    header, _, rest = html.partition("</header>")
    for words in ("WireGuard, ChaCha20-Poly1305;", "A: gateway-a (", "2026-03-04 09:30 to", "0 of 5 VPNs measured"):
        assert words in header
    failed, advice = rest.index("5 of 5 VPNs failed</h2>"), rest.index("Result</h2>")
    assert failed < advice < rest.index('id="ranking"')
    assert f"<li>5x: {SUBNET}</li>" in rest
    assert html.count("5 of 5 VPNs failed") == 1


def test_nothing_is_reported_of_failures_where_none_failed() -> None:
    html = page(sample_record(models=MODELS[:5]))
    assert 'id="failed"' not in html
    assert "4 of 4 VPNs measured" in html


def test_ratio_to_the_best_has_its_interval_where_it_is_known() -> None:
    assert times_best(Ratio(1.123, 1.051, 1.19)) == "medians: 1.12 × best (1.05 to 1.19)"
    assert times_best(Ratio(1.5, None, None)) == "medians: 1.50 × best"
    assert times_best(Ratio(1.0, 1.0, 1.0)) == times_best(None) == ""
