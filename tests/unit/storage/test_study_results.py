"""Names of the files of studies' results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.topology import Topology
from app.domain.transfers import BBR_ON_GATEWAYS, BBR_ON_PROXY, TransferCell, TransferResult
from app.ranking.study_parts import SATCOM
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, load_own, load_results, results_file, separate_results


def test_no_two_pairs_share_a_file() -> None:
    pairs = ("plant", "plant-", "plant-1", "plant_1", "plant 1", "lab:four", "lab-four", "Werk Süd", "Werk Nord")
    assert len({results_file(Path(), "satcom-2021", one) for one in pairs}) == len(pairs)


@pytest.mark.parametrize(("pair", "name"), [("lab:four", "lab-four"), ("plant-north", "plant-north")])
def test_results_of_earlier_versions_are_found(pair: str, name: str) -> None:
    assert results_file(Path(), "satcom-2021", pair) == Path(f"satcom-2021-{name}.json")


def test_results_on_machines_that_a_pair_had_before_are_kept_and_go_on_once_it_has_them_again(tmp_path: Path) -> None:
    file, former, others = results_file(tmp_path, SATCOM, "plant"), ("root@a:22",), ("root@a:2222",)
    first = StudyResults(SATCOM, "plant", "1", 30_000_000, machines=former)
    second = StudyResults(SATCOM, "plant", "2", 30_000_000, machines=others)
    assert separate_results(file, former, load_results) is None
    write_study(file, first)
    assert separate_results(file, former, load_results) is None
    assert load_own(file, former, load_results) == first
    assert load_own(file, others, load_results) is None
    apart = separate_results(file, others, load_results)
    assert apart is not None
    assert (load_results(apart), load_results(file)) == (first, None)
    write_study(file, second)
    assert load_own(file, former, load_results) == first
    kept = separate_results(file, former, load_results)
    assert kept is not None
    assert (load_results(file), load_results(kept), apart.exists()) == (first, second, False)


def test_results_that_are_kept_apart_never_replace_others(tmp_path: Path) -> None:
    file, former = results_file(tmp_path, SATCOM, "plant"), ("a:22",)
    apart = set()
    for version in ("1", "2", "3"):
        write_study(file, StudyResults(SATCOM, "plant", version, 30_000_000, machines=former))
        kept = separate_results(file, ("b:22",), load_results)
        assert kept is not None
        apart.add(kept)
    found = [load_results(one) for one in apart]
    assert sorted(one.version for one in found if one is not None) == ["1", "2", "3"]


def test_results_of_a_lab_and_those_without_machines_are_of_any(tmp_path: Path) -> None:
    file = results_file(tmp_path, SATCOM, "plant")
    found = StudyResults(SATCOM, "plant", "1", 30_000_000)
    write_study(file, found)
    for machines in ((), ("root@a:22",)):
        assert load_own(file, machines, load_results) == found
        assert separate_results(file, machines, load_results) is None


CELL = TransferCell("geo", "bbr2", "wireguard", "none")


def measured(suite: str, seconds: float | None = 30.0) -> TransferResult:
    return TransferResult(CELL, seconds, 30_000_000, topology=Topology.ROUTED_NODES, suite=suite)


@pytest.mark.parametrize(
    ("kind", "sender", "proxy", "is_done"),
    [
        ("bbr2", "bbr", "bbr", True),
        ("bbr2", "cubic", "bbr", False),
        ("bbr2", "bbr", "cubic", False),
        ("bbr2", "", "", True),
        ("cubic-hystart", "cubic", "cubic", True),
        (BBR_ON_PROXY, "cubic", "bbr", True),
        (BBR_ON_PROXY, "cubic", "cubic", False),
        (BBR_ON_GATEWAYS, "cubic", "cubic", False),
        ("of-a-later-version", "vegas", "vegas", True),
    ],
)
def test_transfers_with_another_congestion_control_than_their_cells_are_measured_again(
    kind: str, sender: str, proxy: str, *, is_done: bool
) -> None:
    cell = TransferCell("geo", kind, "wireguard", "B")
    result = replace(measured("x"), cell=cell, congestion=sender, proxy_congestion=proxy)
    found = StudyResults(SATCOM, "plant", "1", 30_000_000, (result,))
    assert (found.done() == {cell}, cell in found.times_s()) == (is_done, is_done)


@pytest.mark.parametrize(
    ("stored", "today", "is_done"),
    [("ChaCha20", "ChaCha20", True), ("ChaCha20", "AES-256", False), ("", "AES-256", True), ("ChaCha20", "", True)],
)
def test_results_of_another_suite_than_todays_are_measured_again(stored: str, today: str, *, is_done: bool) -> None:
    found = StudyResults(SATCOM, "plant", "1", 30_000_000, (measured(stored),)).with_suites({CELL: today})
    assert (CELL in found.done()) is is_done
    assert found.results == (measured(stored),)  # it remains until there is a new one


def test_a_failed_repeat_leaves_a_result_of_its_own_suite_alone() -> None:
    found = StudyResults(SATCOM, "plant", "1", 30_000_000, (measured("ChaCha20"),))
    (kept,) = found.with_result(measured("ChaCha20", None)).results
    assert kept.seconds == 30.0
    (replaced,) = found.with_result(measured("AES-256", None)).results
    assert (replaced.seconds, replaced.suite) == (None, "AES-256")
