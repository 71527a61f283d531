"""The table of what got into tunnels, made of what tests have counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.hosts import Side
from app.domain.injection import HostInjection, InjectionReport, InjectionTrial, TrialKind
from suite.documents import put_part
from suite.injections import PART, Counted, injections_table, read_counted
from support.injection_results import RESULTS, write_forged, write_report

HOSTS = ("debian-11", "debian-13")


def report(*, replayed: int) -> InjectionReport:
    trials = (
        InjectionTrial(TrialKind.FORGED, "alone", 3, 3, 0),
        InjectionTrial(TrialKind.FORGED, "behind 4 bytes", 3, 3, 0),
        InjectionTrial(TrialKind.REPLAYED, "", 6, 6, replayed),
    )
    return InjectionReport({side.value: HostInjection(trials) for side in Side})


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.jsonl"
    monkeypatch.setenv(RESULTS, str(path))
    return path


def test_what_tests_count_becomes_a_table(results: Path) -> None:
    for cookie in ("wrong", "right"):
        kinds = {"from a third address": 0, f"with the {cookie} cookie": 0}
        write_forged("macsec", HOSTS, "with", (kinds, kinds), 5)
    write_forged("macsec", HOSTS, "without", ({"from a third address": 5}, {"from a third address": 4}), 5)
    write_report("macsec", HOSTS, report(replayed=0))
    write_report("l2tp", HOSTS, report(replayed=6), is_reference=True)
    text = injections_table(read_counted(results))
    assert text.splitlines()[2:] == [
        "| `l2tp` (reference) | debian-11 | 2 | – | 0 of 6 | 6 of 6 |",
        "| `l2tp` (reference) | debian-13 | 2 | – | 0 of 6 | 6 of 6 |",
        "| `macsec` | debian-11 | 2 | 5 of 5 | 0 of 26 | 0 of 6 |",
        "| `macsec` | debian-13 | 2 | 4 of 5 | 0 of 26 | 0 of 6 |",
    ]


def test_document_has_a_place_for_it(tmp_path: Path) -> None:
    page = tmp_path / "security.md"
    page.write_text((Path(__file__).parents[3] / "docs" / "security.md").read_text(encoding="utf-8"))
    text = injections_table([Counted("tinc", "debian-13", "with", 1, 5, 0)])
    put_part(page, PART, text)
    assert text in page.read_text(encoding="utf-8")


def test_without_a_file_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RESULTS, raising=False)
    write_report("tinc", HOSTS, report(replayed=0))


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for line in ('{"solution": "tinc"}', "no JSON", '["x"]'):
        path.write_text(f"{line}\n")
        with pytest.raises(ValueError, match="line 1"):
            read_counted(path)
    path.write_text('{"solution": "x", "host": "y", "case": "z", "kinds": 1, "sent": 1, "let_in": 0}\n')
    with pytest.raises(ValueError, match="no such case"):
        read_counted(path)
    with pytest.raises(ValueError, match="counted"):
        injections_table([])
