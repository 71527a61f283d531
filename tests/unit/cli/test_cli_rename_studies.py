"""Results of studies on a pair that is renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.measurement.lab_studies import stored_lab_results
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM
from app.storage.lab_results import NodeResults
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, load_results, stored_results


def test_results_of_studies_follow_a_pair_that_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    hosts = ["--a", "root@10.0.0.1", "--b", "root@10.0.0.2", "--underlay", "10.0.0.1,10.0.0.2"]
    assert main(["pair", "add", "north", *hosts]) == ExitCode.OK
    folder, other = tmp_path / "studies" / "machines", "far-north"
    for pair in ("north", other):
        write_study(folder / f"{NODE_STUDY}-quick-{pair}.json", NodeResults(NODE_STUDY, pair, "quick", "1"))
        write_study(folder / f"{SATCOM}-{pair}.json", StudyResults(SATCOM, pair, "1", 30_000_000))
    assert main(["pair", "rename", "north", "south"]) == ExitCode.OK
    found, faults = stored_lab_results(tmp_path / "studies", NODE_STUDY)
    assert [one.pair for one in found] == [other, "south"]
    assert [one.pair for one in stored_results(tmp_path / "studies", SATCOM)[0]] == [other, "south"]
    assert faults == ()
    assert load_results(folder / f"{SATCOM}-south.json") is not None
    write_study(folder / f"{SATCOM}-east.json", StudyResults(SATCOM, "east", "7", 30_000_000))
    assert main(["pair", "rename", "south", "east"]) == ExitCode.OK
    kept = load_results(folder / f"{SATCOM}-east.json")
    assert kept is not None
    assert kept.version == "7", "what is stored under that name already remains"
