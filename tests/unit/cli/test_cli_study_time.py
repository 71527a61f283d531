"""`study run --within`: the time in which clients of a hub have to be back; what refuses it and what it measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_services import FakeServices
from fake_studies import own_hub_result

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import NO_STUDY, OUT_OF_RANGE, PART_WITHOUT_RESTART
from app.domain.errors import Cancelled
from app.domain.hub_study import LEAST_WITHIN_S, MOST_WITHIN_S, HubKind
from app.domain.messages import MessageForm
from app.measurement.messages.studies import STUDY_WITHOUT_RESTART
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM
from app.storage.lab_results import HubResults
from app.storage.study_files import write_study
from app.storage.study_results import results_file
from support.message_checks import shows

RUN = ["study", "run", HUB_STUDY, "lab:practice"]
RESTARTS = sum(cell.kind is HubKind.RECOVERY for cell in hub_cells(is_quick=True))


@pytest.mark.parametrize(
    ("words", "form", "data"),
    [
        (f"{SATCOM} lab:x", STUDY_WITHOUT_RESTART, {"study": SATCOM}),
        ("industrial-2019 lab:x", STUDY_WITHOUT_RESTART, {"study": "industrial-2019"}),
        (f"{NODE_STUDY} lab:x", STUDY_WITHOUT_RESTART, {"study": NODE_STUDY}),
        (f"{APPLICATION_STUDY} lab:x", STUDY_WITHOUT_RESTART, {"study": APPLICATION_STUDY}),
        ("no-such lab:x", NO_STUDY, {"study": "no-such"}),
        (
            f"{HUB_STUDY} lab:x --part all --solutions ssh",
            PART_WITHOUT_RESTART,
            {"part": "all", "study": HUB_STUDY, "solutions": "ssh"},
        ),
    ],
)
def test_a_time_is_refused_where_no_hub_is_restarted(
    words: str, form: MessageForm, data: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", *words.split(), "--within", "60"]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, form.text, **data)


@pytest.mark.parametrize("seconds", [LEAST_WITHIN_S - 1, MOST_WITHIN_S + 1, -30])
def test_a_time_out_of_range_is_refused(seconds: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, "--within", f"{seconds}"]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, OUT_OF_RANGE.text, option="--within", value=seconds)


def test_the_help_names_the_limits_and_the_usual_time(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["study", "run", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    usual_s = next(cell.within_s for cell in hub_cells() if cell.within_s)
    assert f"{LEAST_WITHIN_S} to {MOST_WITHIN_S} s; each time has results of its own (default: {usual_s})" in shown


@pytest.mark.usefixtures("services")
def test_another_time_measures_the_restarts_alone_and_each_row_has_its_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    total, page = len(hub_cells(is_quick=True)), tmp_path / "x.html"
    assert main(RUN) == ExitCode.OK
    assert f"{total} of {total} measurements" in capsys.readouterr().err
    assert main([*RUN, "--within", "90", "--report", str(page)]) == ExitCode.OK
    out, err = capsys.readouterr()
    assert f"{RESTARTS} of {total} measurements" in err
    assert err.count(" within 90 s, ") == RESTARTS, "each result as it came"
    rows = [line for line in out.splitlines() if "after a restart of the hub" in line]
    assert ["within 30 s" in row for row in rows] == [True] * RESTARTS + [False] * RESTARTS
    assert ["within 90 s" in row for row in rows] == [False] * RESTARTS + [True] * RESTARTS
    assert "24 of 24 clients were back within 90 s, after 3.0 to 8.8 s." in out
    assert "clients back within 90 s after a restart of the hub" in page.read_text(encoding="utf-8")
    for seconds in (90, 30):
        assert main([*RUN, "--within", f"{seconds}", "--json", "-"]) == ExitCode.OK
        out, err = capsys.readouterr()
        assert f"0 of {total} measurements" in err, "it has results of its own"
    cells = [one["cell"] for one in json.loads(out)["results"]]
    assert [cell["within_s"] for cell in cells if cell["kind"] == "recovery"] == [30] * RESTARTS + [90] * RESTARTS
    assert {cell["within_s"] for cell in cells if cell["kind"] != "recovery"} == {None}


def test_the_command_that_goes_on_has_the_time(services: FakeServices, capsys: pytest.CaptureFixture[str]) -> None:
    services.faults["run_lab_study"] = Cancelled()  # type: ignore[assignment]
    assert main([*RUN, "--within", "45"]) == ExitCode.CANCELLED
    assert f"tunnelmark study run {HUB_STUDY} lab:practice --part quick --within 45\n" in capsys.readouterr().err


def test_the_list_counts_each_time_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    found, total = HubResults(HUB_STUDY, "lab:x", "quick", "1"), len(hub_cells(is_quick=True))
    longer = next(cell for cell in hub_cells(within_s=60) if cell.kind is HubKind.RECOVERY)
    for cell in (*hub_cells(is_quick=True), longer):
        found = found.with_result(own_hub_result(cell))
    write_study(results_file(tmp_path / "studies", f"{HUB_STUDY}-quick", "lab:x"), found)
    assert main(["study", "list"]) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    rows = {nth_s: next(one for one in lines if f"quick, back within {nth_s} s" in one) for nth_s in (30, 60)}
    assert f"{total} of {total}" in rows[30]
    assert f"{total - RESTARTS + 1} of {total}" in rows[60]
