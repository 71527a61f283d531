"""Results of studies on a pair that is renamed."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain import atomic
from app.domain.errors import PairLocked
from app.domain.pairs import Saving
from app.measurement.lab_studies import stored_lab_results
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM
from app.services.wiring import open_services
from app.storage.lab_results import NodeResults
from app.storage.messages import RESULTS_NOT_RENAMED
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, former_file, load_results, stored_results
from support.message_checks import shows

HOSTS = ["--a", "root@10.0.0.1", "--b", "root@10.0.0.2", "--underlay", "10.0.0.1,10.0.0.2"]


def test_results_of_studies_follow_a_pair_that_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    assert main(["pair", "add", "north", *HOSTS]) == ExitCode.OK
    folder, other = tmp_path / "studies" / "machines", "far-north"
    apart = former_file(folder / f"{SATCOM}-north.json", ("root@10.0.0.9:22",))
    write_study(apart, StudyResults(SATCOM, "north", "0", 30_000_000))
    for pair in ("north", other):
        write_study(folder / f"{NODE_STUDY}-quick-{pair}.json", NodeResults(NODE_STUDY, pair, "quick", "1"))
        write_study(folder / f"{SATCOM}-{pair}.json", StudyResults(SATCOM, pair, "1", 30_000_000))
    assert main(["pair", "rename", "north", "south"]) == ExitCode.OK
    found, faults = stored_lab_results(tmp_path / "studies", NODE_STUDY)
    assert [one.pair for one in found] == [other, "south"]
    assert [one.pair for one in stored_results(tmp_path / "studies", SATCOM)[0]] == [other, "south"]
    assert faults == ()
    assert load_results(folder / f"{SATCOM}-south.json") is not None
    assert load_results(apart.with_name(f"{SATCOM}-south.json")) is not None, "also those of its former machines"
    write_study(folder / f"{SATCOM}-east.json", StudyResults(SATCOM, "east", "7", 30_000_000))
    assert main(["pair", "rename", "south", "east"]) == ExitCode.OK
    kept = load_results(folder / f"{SATCOM}-east.json")
    assert kept is not None
    assert (kept.version, kept.pair) == ("1", "east")
    assert not (folder / f"{SATCOM}-south.json").exists()
    others = [load_results(file) for file in folder.glob(f"of-*/{SATCOM}-east.json")]
    assert "7" in [one.version for one in others if one is not None], "what a removed pair left is kept apart"


def names(folder: Path) -> dict[str, str]:
    """Return the pair that each file of results is of, by the file's name."""
    return {file.name: json.loads(file.read_text())["pair"] for file in folder.iterdir() if file.is_file()}


def test_a_full_disk_leaves_the_pair_and_all_results_as_they_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    assert main(["pair", "add", "north", *HOSTS]) == ExitCode.OK
    folder = tmp_path / "studies" / "machines"
    for study in (SATCOM, f"{NODE_STUDY}-quick"):
        write_study(folder / f"{study}-north.json", StudyResults(study, "north", "1", 30_000_000))
    write_study(folder / f"{SATCOM}-south.json", StudyResults(SATCOM, "south", "9", 30_000_000))
    before, room = names(folder), [1]

    def write(path: Path, content: bytes, *, mode: int | None) -> None:
        path.write_bytes(content[:9])
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path.write_bytes(content)
        room.pop()

    with monkeypatch.context() as full:
        full.setattr(atomic, "write_synced", write)
        assert main(["pair", "rename", "north", "south"]) == ExitCode.FAILED
    assert room == [], "one of them was written"
    printed = capsys.readouterr().err
    assert shows(printed, RESULTS_NOT_RENAMED.text, pair="north", reason=os.strerror(errno.ENOSPC))
    assert shows(printed, RESULTS_NOT_RENAMED.hint)
    assert names(folder) == before
    assert main(["pair", "show", "north"]) == ExitCode.OK
    assert main(["pair", "rename", "north", "south"]) == ExitCode.OK
    assert set(names(folder).values()) == {"south"}


def test_a_pair_that_cannot_be_renamed_keeps_its_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    for pair in ("north", "south"):
        assert main(["pair", "add", pair, *HOSTS]) == ExitCode.OK
    folder = tmp_path / "studies"
    write_study(folder / f"{SATCOM}-north.json", StudyResults(SATCOM, "north", "1", 30_000_000))
    assert main(["pair", "rename", "north", "south"]) == ExitCode.INVALID
    assert names(folder) == {f"{SATCOM}-north.json": "north"}


def test_a_pair_is_not_renamed_while_a_study_runs_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    assert main(["pair", "add", "north", *HOSTS]) == ExitCode.OK
    with open_services(None) as services, ThreadPoolExecutor(1) as pool:
        with services.in_use.hold(services.known_pair("north").hosts, "a study"):
            assert isinstance(pool.submit(services.rename_pair, "north", "south").exception(), PairLocked)
        services.rename_pair("north", "south")
        assert [one.name for one in services.stored_pairs()] == ["south"]


def test_a_pair_keeps_its_machines_while_a_study_runs_on_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    assert main(["pair", "add", "north", *HOSTS]) == ExitCode.OK
    with open_services(None) as services, ThreadPoolExecutor(1) as pool:
        pair = services.known_pair("north")
        other = replace(pair, a=replace(pair.a, address="10.9.9.9"), underlay_a="10.9.9.9")
        with services.in_use.hold(pair.hosts, "a study"):
            assert isinstance(pool.submit(services.save_pair, other, Saving.REPLACE).exception(), PairLocked)
            assert isinstance(pool.submit(services.remove_pair, "north").exception(), PairLocked)
            assert services.known_pair("north") == pair
            mended = replace(pair, a=replace(pair.a, label="press hall"))
            assert pool.submit(services.save_pair, mended, Saving.REPLACE).exception() is None
        services.save_pair(other, Saving.REPLACE)
        services.remove_pair("north")
        assert services.stored_pairs() == ()
