"""Files with the results of transfers: read again, of earlier versions, damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.conditions import ConditionCheck, MeasuredCondition, Quantity
from app.domain.errors import InvalidFile
from app.domain.topology import Topology
from app.domain.transfers import TransferCell, TransferResult
from app.storage.messages import STUDY_UNREAD
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, load_results, results_file
from support.message_checks import has_message

CELLS = tuple(TransferCell("geo", kind, "wireguard", "none") for kind in ("cubic-hystart", "bbr2", "cubic-no-hystart"))


def test_results_are_kept_one_per_cell_and_read_again(tmp_path: Path) -> None:
    file = results_file(tmp_path / "studies", "satcom-2021", "lab:A=debian-11,B=debian-13")
    assert file.name == "satcom-2021-lab-A-debian-11-B-debian-13.json"
    assert load_results(file) is None
    found = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000).with_rtt("geo", 501.0)
    found = found.with_result(TransferResult(CELLS[0], None, 0, message="It did not end."))
    nodes = Topology.ROUTED_NODES
    found = found.with_result(TransferResult(CELLS[0], 21.5, 30_000_000, 3, "cubic", topology=nodes))
    found = found.with_result(TransferResult(CELLS[1], 20.5, 30_000_000, 3, "bbr"))  # between the hosts themselves
    check = ConditionCheck(Quantity.RTT, "", 500.0, 20.0, 490.0, 510.0, is_met=False)
    missed = MeasuredCondition("geo", datetime(2026, 11, 28, tzinfo=UTC), (check,))
    missed_result = TransferResult(
        CELLS[2], None, 0, topology=nodes, measured_condition=missed, is_condition_missed=True
    )
    found = found.with_result(missed_result)
    write_study(file, found)
    again = load_results(file)
    assert again == found
    assert again is not None
    assert again.times_s() == {CELLS[0]: 21.5}
    assert again.results[-1].measured_condition == missed
    assert again.done() == {CELLS[0]}


def test_results_of_earlier_versions_have_no_measured_condition(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    found = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000)
    found = found.with_result(TransferResult(CELLS[0], 21.5, 30_000_000, topology=Topology.ROUTED_NODES))
    write_study(file, found)
    data = json.loads(file.read_text())
    del data["results"][0]["measured_condition"], data["results"][0]["is_condition_missed"]
    file.write_text(json.dumps(data))
    assert load_results(file) == found
    assert found.done() == {CELLS[0]}


@pytest.mark.parametrize(
    "text", ["", "{", '{"format": 1}', '{"study": 1, "pair": [], "version": "", "size_bytes": ""}']
)
def test_a_damaged_file_is_an_error_and_remains(tmp_path: Path, text: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(text)
    with pytest.raises(InvalidFile, check=has_message(STUDY_UNREAD)):
        load_results(file)
    assert file.read_text() == text
