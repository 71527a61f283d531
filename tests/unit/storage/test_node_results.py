"""Results of the study with nodes: what a run has to measure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.domain.node_study import NodeResult
from app.storage.lab_results import NodeResults
from app.storage.messages import REPEAT_DISTURBED, REPEAT_FAILED
from app.storage.study_files import KeptStudy, write_study
from app.wording.messages import local_text


def measured(latency_ms: float, number: int = 2) -> NodeResult:
    return NodeResult("one", number, latency_ms, mbit_s={"a-to-b": 9.0, "b-to-a": 8.0})


def test_what_is_measured_afresh_keeps_each_result_until_there_is_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "study.json"
    before = NodeResults("study", "lab:x", "quick", "1", (measured(1.0), measured(2.0, 3)))
    assert before.done() == {("one", 2), ("one", 3)}

    begun = before.to_measure_afresh()
    assert begun.results == before.results
    assert begun.done() == frozenset()

    write_study(file, begun.with_result(measured(1.5)))
    stopped = NodeResults.read(file)
    assert stopped is not None
    assert {one.round: one.latency_ms for one in stopped.results} == {2: 1.5, 3: 2.0}
    assert stopped.done() == {("one", 2)}, "a later run goes on"


def test_a_result_that_failed_replaces_none_that_is_whole() -> None:
    before = NodeResults("study", "lab:x", "quick", "1", (measured(1.0), measured(2.0, 3)))
    failed = NodeResult("one", 2, message="gateway-b did not answer.")
    after = before.to_measure_afresh().with_result(failed)
    assert [(one.round, one.latency_ms) for one in after.results] == [(2, 1.0), (3, 2.0)]
    assert local_text(after.results[0].message) == REPEAT_FAILED(why="gateway-b did not answer.")
    assert after.done() == frozenset(), "the next run measures it again"
    assert before.with_result(failed).done() == {("one", 3)}
    disturbed = replace(measured(9.0), own_load_cores=3.0)
    assert local_text(before.with_result(disturbed).results[0].message) == REPEAT_DISTURBED()
    again = NodeResults("study", "lab:x", "quick", "1", (failed,)).with_result(measured(1.5))
    assert again.results == (measured(1.5),)


def test_the_version_is_that_which_measured_last(tmp_path: Path) -> None:
    before = NodeResults("study", "lab:x", "quick", "0.1", (measured(1.0),))
    kept = KeptStudy(before, tmp_path / "study.json", lambda _one: None)
    kept.keep(NodeResult("one", 2, message="gateway-b did not answer."))
    assert kept.results.version == "0.1"
    kept.keep(measured(1.5))
    assert kept.results.version != "0.1"
