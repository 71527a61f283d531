"""Studies of their own kind: how much of a part is left, and what is stored of them on any pair."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from fake_services import FakeServices

from app.cli import lab_study
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.hub_study import HubResult
from app.domain.paths import Paths
from app.measurement.lab_studies import LAB_STUDIES, LabStudyOperations
from app.ranking.application_study import APPLICATION_STUDY, application_cells
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY, node_settings
from app.storage.hub_results import HubResults
from app.storage.node_results import NodeResults
from app.storage.study_files import write_study

CELL = hub_cells(is_quick=True)[0]


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_a_part_without_results_is_left_as_a_whole(study: str) -> None:
    for part in LAB_STUDIES[study].parts:
        state = LAB_STUDIES[study].state(part, None)
        assert (state.measured, state.left_s, state.is_whole) == (0, state.all_s, False)


def test_what_has_ended_counts_as_measured_although_it_failed() -> None:
    hub, nodes = LAB_STUDIES[HUB_STUDY], LAB_STUDIES[NODE_STUDY]
    failed = HubResults(HUB_STUDY, "lab:x", "quick", "1", (HubResult(CELL, 8, message="no"),))
    assert hub.state("quick", failed).measured == 0
    ended = hub.state("quick", failed, {CELL})
    assert ended.measured == 1
    assert ended.left_s < ended.all_s
    none = NodeResults(NODE_STUDY, "lab:x", "quick", "1")
    first = node_settings()[0].name
    assert nodes.state("quick", none, {(first, 1), (first, 99)}).measured == 1, "a round that the part does not have"


def test_stored_results_of_each_part_are_found_and_files_that_cannot_be_read_named(tmp_path: Path) -> None:
    services = LabStudyOperations()
    services.paths = Paths(tmp_path, tmp_path, tmp_path)
    for part in ("quick", "all"):
        found = HubResults(HUB_STUDY, "lab:x", part, "1", (HubResult(CELL, 8, value=3.0),))
        write_study(services.lab_results_file(HUB_STUDY, "lab:x", part), found)
    services.lab_results_file(HUB_STUDY, "lab:y", "quick").write_text("{", encoding="utf-8")
    found_all, faults = services.stored_lab_results(HUB_STUDY)
    assert [(one.pair, one.part) for one in found_all] == [("lab:x", "quick"), ("lab:x", "all")]
    assert len(faults) == 1


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_the_command_line_measures_what_is_left_and_writes_files(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FakeServices, "_call", lambda *_: None)  # it refuses the main thread, that of a window
    services = FakeServices(None)  # type: ignore[arg-type]
    services.study_gate.set()
    pair = next(one.pair for one in services.pairs() if one.pair.is_lab)
    monkeypatch.setattr(CommandContext, "services", lambda _self: nullcontext(services))
    monkeypatch.setattr(lab_study, "find_pair", lambda *_: pair)
    total = LAB_STUDIES[study].state("quick", None).total
    words = ["study", "run", study, pair.name, "--json", str(tmp_path / "x.json")]
    assert main(words) == ExitCode.OK
    seen = capsys.readouterr()
    assert f"{total} of {total} measurements, about " in seen.err
    assert json.loads((tmp_path / "x.json").read_text())["study"] == study
    services.lab_failures = {CELL: "no", (node_settings()[0].name, 1): "no", application_cells("quick")[0]: "no"}
    assert main([*words, "--fresh"]) == ExitCode.INVALID  # the file is there already
    words.append("--force")
    capsys.readouterr()
    assert main([*words, "--fresh"]) == ExitCode.INCOMPLETE
    assert "failed: no" in capsys.readouterr().err
    assert main(words) == ExitCode.INCOMPLETE
    assert f"1 of {total} measurements, about " in capsys.readouterr().err
