"""Overview of 2004 at the command line: shown whole and one by one, and not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.policy.overview import overview_systems
from app.services.solutions import solution_names

SHOW = ["study", "show", "oslv-2004"]


def row_of(name: str, printed: str) -> list[str]:
    return next(line.split() for line in printed.splitlines() if line.startswith(f"{name} "))


def test_every_system_has_a_row_with_tasks_for_the_sites_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SHOW) == ExitCode.OK
    printed = capsys.readouterr().out
    assert row_of("cipe", printed)[:4] == ["cipe", "insecure", "–", "wireguard"]
    assert row_of("cipe", printed)[-4:-1] == ["180", "190*", "2"]
    assert all(row_of(one.leaving.id, printed) for one in overview_systems())
    assert "45 each with each" in printed
    assert main([*SHOW, "--sites", "3"]) == ExitCode.OK
    printed = capsys.readouterr().out
    assert row_of("pptp", printed)[-4:-2] == [str(3 * (3 + 4 + 4)), "480*"]
    assert "3 sites are 2 deployments as a tree, 3 each with each" in printed


def test_mean_ranks_are_those_of_setup_and_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    """CIPE shares the first two places in setup (1.5), and three share places 2 to 4 in tasks (3)."""
    assert main(SHOW) == ExitCode.OK
    printed = capsys.readouterr().out
    assert row_of("tinc", printed)[-1] == "3.00", "one of five in places 3 to 7 in setup, first in tasks: (5 + 1) / 2"
    assert row_of("cipe", printed)[-1] == "2.25"


def test_one_system_has_its_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHOW, "--system", "PPTP"]) == ExitCode.OK
    printed = capsys.readouterr().out
    leaving = next(one.leaving for one in overview_systems() if one.leaving.id == "pptp")
    for text in (leaving.now, leaving.gain, leaving.first, leaving.watch, leaving.carrier):
        assert text in printed
    assert "which does not follow from these" in printed
    assert f"tunnelmark compare PAIR --solutions {','.join(leaving.successors)}" in printed
    assert "freeswan" not in printed


def test_json_has_verdicts_tasks_and_successors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHOW, "--sites", "4", "--json", str(tmp_path / "all.json")]) == ExitCode.OK
    assert "cipe" in capsys.readouterr().out
    found = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert (found["format"], found["study"], found["sites"]) == (1, "oslv-2004", 4)
    systems = {one["id"]: one for one in found["systems"]}
    assert len(systems) == 15
    assert {name for one in systems.values() for name in one["successors"]} <= set(solution_names())
    vpnd = systems["vpnd"]
    assert vpnd["tasks"]["files"] == {"formula": "2(N-1)", "number": 6}
    assert (vpnd["tasks"]["total"], vpnd["tasks"]["printed_number_follows"]) == (4 * (6 + 3), False)
    assert (vpnd["verdict_then"]["verdict"], vpnd["verdict_today"]) == ("insecure", None)
    assert systems["stunnel"]["verdict_today"]["algorithm"] == "ppp-over-tcp"
    assert main([*SHOW, "--system", "tinc", "--json"]) == ExitCode.OK
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["systems"]] == ["Tinc"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("run oslv-2004 lab:x --part paper", "oslv-2004 has no part named paper."),
        ("show oslv-2004 --system ipx", "oslv-2004 has no system named ipx. Systems: ppp-over-ssh, stunnel"),
        ("show oslv-2004 --sites 1", "--sites 1 is out of range. Choose 2 to 1000."),
        ("show oslv-2004 --sites 1001", "--sites 1001 is out of range."),
        ("show satcom-2021 --sites 4", "--sites is for tunnelmark study show oslv-2004 only."),
        ("show nothing", "iiot-hub, satcom-applications."),
    ],
)
def test_what_makes_no_sense_is_refused(words: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words.split()]) == ExitCode.INVALID
    captured = capsys.readouterr()
    assert text in " ".join(captured.err.split())
    assert captured.out == ""


def test_list_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "list"]) == ExitCode.OK
    assert "15 systems" in " ".join(row_of("oslv-2004", capsys.readouterr().out))


@pytest.mark.parametrize(
    ("system", "solution"),
    [
        ("pptp", "pptp: measured for comparison, never deployed"),
        ("freeswan", "libreswan: measured for comparison, never deployed"),
        ("tinc", "tinc: its current version, set up anew"),
        ("htun", "none: Tunnelmark does not deploy it"),
    ],
)
def test_what_can_be_measured_today_is_named(system: str, solution: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "show", "oslv-2004", "--system", system]) == ExitCode.OK
    assert solution in " ".join(capsys.readouterr().out.split())
