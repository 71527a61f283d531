"""Stored results of studies in `study list` and `study show`, and in reports: of which lab, between which nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_studies import own_node_result, own_result

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.topology import NodeKind
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY, node_settings
from app.ranking.published_transfers import TRANSFER_BYTES
from app.ranking.study_parts import SATCOM, cells_of
from app.reports.lab_study import lab_study_html
from app.reports.study_report import study_to_html
from app.storage.lab_results import NodeResults
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, nodes_dir, results_file


def transfers(nodes: NodeKind, most: int = 8) -> StudyResults:
    found = StudyResults(SATCOM, "lab:four", "1.0", TRANSFER_BYTES, nodes=nodes)
    for cell in cells_of("quick")[:most]:
        found = found.with_result(own_result(cell))
    return found


def rounds(nodes: NodeKind) -> NodeResults:
    found = NodeResults(NODE_STUDY, "lab:four", "quick", "1", nodes=nodes)
    return found.with_result(own_node_result(node_settings()[0].name, 1))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of both kinds of nodes, and a file that cannot be read."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    studies = tmp_path / "studies"
    for nodes, most in ((NodeKind.NAMESPACES, 3), (NodeKind.MACHINES, 8)):
        write_study(results_file(nodes_dir(studies, nodes), SATCOM, "lab:four"), transfers(nodes, most))
    machines = nodes_dir(studies, NodeKind.MACHINES)
    write_study(results_file(machines, f"{NODE_STUDY}-quick", "lab:four"), rounds(NodeKind.MACHINES))
    return studies


def stored_rows(text: str) -> list[list[str]]:
    """Return the cells of the last table."""
    lines = text.splitlines()
    head = max(nth for nth, line in enumerate(lines) if "measured on" in line)
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[head + 2 :] if line.strip()]


def test_the_list_names_labs_and_nodes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "list"]) == ExitCode.OK
    rows = stored_rows(capsys.readouterr().out)
    assert [SATCOM, "lab:four", "quick", "3 of 8"] in rows
    assert [SATCOM, "lab:four, nodes are machines", "quick", "8 of 8"] in rows
    assert [row[1] for row in rows if row[0] == NODE_STUDY] == ["lab:four, nodes are machines"]
    (folder / f"{HUB_STUDY}-quick-lab-x.json").write_text("{", encoding="utf-8")
    assert main(["study", "list"]) == ExitCode.OK
    assert f"{HUB_STUDY}-quick-lab-x.json" in "".join(capsys.readouterr().err.split())


def test_the_list_names_the_machines_of_a_pair_of_the_users_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of_plant = replace(transfers(NodeKind.MACHINES), pair="plant", machines=("root@gw-a:22 10.0.0.1", "root@gw-b:22"))
    write_study(results_file(nodes_dir(folder, NodeKind.MACHINES), SATCOM, "plant"), of_plant)
    assert main(["study", "list"]) == ExitCode.OK
    printed = " ".join(capsys.readouterr().out.split())
    assert "plant, nodes are machines: root@gw-a:22 10.0.0.1, root@gw-b:22" in printed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("study", "number"), [(SATCOM, 6), (NODE_STUDY, 1)])
def test_a_study_is_shown_with_what_is_stored_of_it_alone(
    study: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "show", study]) == ExitCode.OK
    rows = stored_rows(capsys.readouterr().out)
    assert {row[0] for row in rows} == {study}
    assert len(rows) == number


def test_without_results_nothing_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    for words in (["list"], ["show", SATCOM], ["show", HUB_STUDY]):
        assert main(["study", *words]) == ExitCode.OK
        assert "measured on" not in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [], "no database is made"


@pytest.mark.parametrize(
    ("nodes", "heading"), [(NodeKind.NAMESPACES, "lab:four<"), (NodeKind.MACHINES, "lab:four, nodes are machines<")]
)
def test_reports_name_the_nodes(nodes: NodeKind, heading: str) -> None:
    assert f"Study {SATCOM} on {heading}" in study_to_html(transfers(nodes), cells_of("quick"))
    page = lab_study_html(rounds(nodes))
    assert f"Study {NODE_STUDY} on {heading}" in page
    assert ("Nodes are namespaces on the gateways" in page) is (nodes is NodeKind.NAMESPACES)
    assert ("Nodes are machines of their own" in page) is (nodes is NodeKind.MACHINES)
