"""Ends of `tunnelmark study run` that are none of the whole part: what is left, and the command that measures it."""

from __future__ import annotations

import json

import pytest
from fake_services import FakeServices

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.errors import Cancelled, CleanupFailed, HostUnreachable
from app.domain.transfers import TransferCell
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.study_parts import SATCOM, cells_of

METHODS = {SATCOM: "run_study", HUB_STUDY: "run_lab_study"}


@pytest.mark.parametrize("study", METHODS)
def test_what_has_no_result_is_counted_with_the_command_that_measures_it(
    services: FakeServices, capsys: pytest.CaptureFixture[str], study: str
) -> None:
    services.study_failures = {cells_of("quick")[2]: "The server closed the connection."}
    services.lab_failures = {hub_cells(is_quick=True)[1]: "The hub did not come up."}
    total = {SATCOM: len(cells_of("quick")), HUB_STUDY: len(hub_cells(is_quick=True))}[study]
    assert main(["study", "run", study, "lab:practice"]) == ExitCode.INCOMPLETE
    assert capsys.readouterr().err.endswith(
        f"1 of {total} measurements have no result that counts; the lines above say why. "
        f"Measure them again with: tunnelmark study run {study} lab:practice --part quick\n"
    )
    services.study_failures, services.lab_failures = {}, {}
    assert main(["study", "run", study, "lab:practice"]) == ExitCode.OK
    assert "Measure them again" not in capsys.readouterr().err


def test_transfers_of_another_suite_than_todays_are_counted_as_left(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "run", SATCOM, "lab:practice"]
    assert main(words) == ExitCode.OK
    services.other_suites = set(cells_of("quick")[2:4])
    capsys.readouterr()
    assert main(words) == ExitCode.OK
    assert "2 of 8 transfers, about" in capsys.readouterr().err


@pytest.mark.parametrize("study", METHODS)
def test_a_run_that_is_cancelled_says_how_it_goes_on(
    services: FakeServices, capsys: pytest.CaptureFixture[str], study: str
) -> None:
    services.faults[METHODS[study]] = Cancelled()  # type: ignore[assignment]
    words = ["study", "run", study, "lab:practice", "--solutions", "wireguard"]
    assert main(words) == ExitCode.CANCELLED
    command = f"tunnelmark study run {study} lab:practice --part quick --solutions wireguard"
    assert f"What was measured is stored. Go on with: {command}\n" in capsys.readouterr().err


def test_an_added_vpn_is_measured_resumed_and_shown_behind_the_study(
    services: FakeServices, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    words = ["study", "run", SATCOM, "lab:practice", "--solutions", "all,fastd"]
    added = TransferCell("geo", "cubic-hystart", "fastd", "B")
    services.study_failures = {added: "The server closed the connection."}
    assert main(words) == ExitCode.INCOMPLETE
    out, err = capsys.readouterr()
    assert "10 of 10 transfers, about" in err
    assert "--part quick --solutions all,fastd" in err
    rows = [line.split() for line in out.splitlines() if line.startswith("geo ")]
    assert [row[-4:] for row in rows[8:10]] == [["fastd", "none", "40.0", "–"], ["fastd", "B", "–", "–"]]
    assert all(row[-1] != "–" for row in rows[:8])
    assert not [line for line in out.split("Figure 4")[1].split("Advice")[0].splitlines() if "fastd" in line]
    services.study_failures = {}
    assert main([*words, "--json", "-"]) == ExitCode.OK
    out, err = capsys.readouterr()
    assert "1 of 10 transfers, about" in err
    cells = json.loads(out)["cells"]
    assert [(one["solution"], one["proxy"], one["seconds"], one["published_s"]) for one in cells[8:]] == [
        ("fastd", "none", 40.0, None),
        ("fastd", "B", 40.0, None),
    ]
    assert main([*words[:-2], "--json", "-"]) == ExitCode.OK
    assert len(json.loads(capsys.readouterr().out)["cells"]) == 8, "what was asked for"


def test_an_added_vpn_of_the_applications_is_shown_behind_the_study(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "run", APPLICATION_STUDY, "lab:practice", "--json", "-"]
    assert main([*words, "--solutions", "fastd"]) == ExitCode.OK
    assert "3 of 3 measurements, about" in capsys.readouterr().err
    assert main([*words, "--solutions", "all,fastd"]) == ExitCode.OK
    out, err = capsys.readouterr()
    assert "2 of 5 measurements, about" in err
    rows = json.loads(out)["results"]
    assert [one["solution"] for one in rows] == ["none", "wireguard", "wireguard", "fastd", "fastd"]
    assert [one["published_share_pct"] is None for one in rows] == [False] * 3 + [True] * 2
    assert services.lab_stored[APPLICATION_STUDY, "lab:practice", "quick"].done() == {
        TransferCell(one["condition"], one["congestion"], one["solution"], one["proxy"]) for one in rows
    }


def test_hosts_that_a_run_may_have_left_changed_are_restored_by_a_command_that_is_named(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    error = CleanupFailed("node-b could not be rolled back completely.", hint="Run this on its console.")
    error.left = error.sentence()
    services.faults["run_study"] = error
    assert main(["study", "run", SATCOM, "lab:practice", "--nodes", "machines"]) == ExitCode.FAILED
    printed = " ".join(capsys.readouterr().err.split())
    command = f"tunnelmark study run {SATCOM} lab:practice --part quick --nodes machines"
    assert "Error: node-b could not be rolled back completely. Run this on its console." in printed
    assert "Restore all hosts with `tunnelmark recover lab:practice`." in printed
    assert f"What was measured is stored; go on with: {command}" in printed


def test_an_error_before_anything_is_changed_is_shown_as_it_is(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    services.faults["run_study"] = HostUnreachable("node-b cannot be reached.", hint="Is it on?")
    assert main(["study", "run", SATCOM, "lab:practice"]) == ExitCode.FAILED
    assert "recover" not in capsys.readouterr().err
