"""The window as a screen reader sees it: over AT-SPI, from another process, in a session of its own."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_spi_session import Session, missing, session


@pytest.fixture(scope="module")
def desk() -> Iterator[Session]:
    if lacking := missing():
        pytest.skip(f"needs {lacking}")
    folder = Path(tempfile.mkdtemp(prefix="tmk-a11y-"))  # the path of a socket must be short
    try:
        with session(folder) as running:
            yield running
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def compared(desk: Session) -> tuple[dict[str, Any], Path]:
    """Observations of a comparison that AT-SPI actions alone have led, and its report."""
    report = desk.folder / "report.html"
    return desk.client("at_spi_comparison.py", str(report)), report


def test_actions_alone_lead_from_the_first_page_to_the_report(compared: tuple[dict[str, Any], Path]) -> None:
    seen, report = compared
    assert [step.split(", ")[1] for step in seen["steps"]] == ["Hosts", "Link", "Choice", "Plan", "Run", "Results"]
    assert seen["sentence"].startswith("No clear winner: one round does not decide between WireGuard")
    assert seen["notice"] == str(report)
    assert report.read_text("utf-8") == "report"  # of the services that touch nothing


def test_plots_can_be_read_as_tables(compared: tuple[dict[str, Any], Path]) -> None:
    tables = {tab: table["rows"] for tab, table in compared[0]["tables"].items()}
    titles = {"Bare underlay", "WireGuard", "OpenVPN over UDP", "OpenVPN over TCP"}
    ratios = {row[0] for row in tables.pop("Ratios")}
    assert ratios == titles - {"Bare underlay"}
    assert {tab: {row[0] for row in rows} for tab, rows in tables.items()} == dict.fromkeys(tables, titles)
    assert sorted(row[1] for row in tables["Latency"] if row[0] == "WireGuard")[-1] == "60 B"
    assert ["WireGuard", "yes", "1.09 ms", "42.1 Mbit/s"] in tables["Frontier"]
    assert ["WireGuard", "A", "7 %", "44 %", "22 %", "73 %"] in tables["CPU"]
    for rows in tables.values():
        assert all(cell for row in rows for cell in row)


def test_what_happens_is_read_out(compared: tuple[dict[str, Any], Path]) -> None:
    seen, report = compared
    heard = seen["heard"]
    for sentence in (
        "Inspection complete. Nothing was changed.",
        "Measuring WireGuard, ChaCha20-Poly1305",
        "All candidates were measured. Next shows the results.",
        f"Report saved. {report}",
    ):
        assert sentence in heard
    assert not any(one == other for one, other in itertools.pairwise(heard)), "nothing is read twice"


@pytest.mark.full
def test_all_that_takes_the_focus_has_a_name_and_a_role(desk: Session, compared: object) -> None:
    seen = desk.client("at_spi_pages.py")
    assert len(seen["nameless"]) == 27
    assert {page: found for page, found in seen["nameless"].items() if found} == {}
    roles = [tuple(one) for one in seen["roles"]]
    assert ("page tab", "Comparison", True) in roles
    assert ("page tab", "History", False) in roles
    assert ("list item", "Step 6, Results, open", True) in roles
    assert ("list item", "Step 5, Run, done", False) in roles
    assert ("heading", "Results", False) in roles
