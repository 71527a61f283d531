"""Runs of a study: only what has no time, or all of it again, and nothing of other parts is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sample_records import pair

from app.domain.cancel import CancelToken
from app.domain.errors import (
    CleanupFailed,
    ConnectionLost,
    HostUnreachable,
    InvalidOption,
    InvalidPlan,
    PackageMissing,
    TunnelDown,
    TunnelmarkError,
)
from app.domain.hosts import HostSpec, NodeHost, PairSpec
from app.domain.topology import NodeKind, Topology
from app.domain.transfers import TransferCell, TransferResult, of_solutions
from app.domain.version import tunnelmark_version
from app.measurement import studies
from app.measurement.cell_run import CellReports
from app.measurement.messages import NO_SAFE_SUITE, SHAPING_NOT_ALLOWED
from app.measurement.messages.studies import (
    OWN_HOSTS_NOT_ALLOWED,
    RESULTS_OF_FORMER_MACHINES,
    STUDY_NEEDS_LAB,
    STUDY_SOLUTION_MISSING,
)
from app.measurement.node_needs import NodeNeeds
from app.measurement.own_hosts import OwnHostsConsent
from app.measurement.satellite_choices import satellite_choices
from app.measurement.studies import StudyOperations, StudyRequest
from app.measurement.transfers import NODE_NEEDS, TransferPlan
from app.ranking.study_parts import SATCOM, cells_of
from app.storage.study_files import write_study
from app.storage.study_results import StudyResults, results_file
from support.message_checks import has_message

NODE = NodeHost(HostSpec("node", "192.0.2.9"), "eth1", "eth2")
QUICK = cells_of("quick")
OTHER = next(cell for cell in cells_of("no-loss") if cell.condition == "leo")


class Run:
    """Takes 20 s for every cell, and ends after as many as it is given."""

    measured: list[TransferCell]
    machines: list[Any]
    shaping: list[Any]
    most = 100
    fault: TunnelmarkError | None = None

    def __init__(self, plan: TransferPlan, *rest: Any, machines: Any, shaping: Any) -> None:
        Run.shaping.append(shaping)
        Run.machines.append(machines)
        self._plan = plan
        reports: CellReports = rest[5]
        self._reports = reports

    def run(self) -> None:
        for cell in self._plan.cells[: self.most]:
            self.measured.append(cell)
            self._reports.keep(TransferResult(cell, 20.0, 30_000_000, topology=Topology.ROUTED_NODES))
        if self.fault is not None:
            raise self.fault


class Operations(StudyOperations):
    """Studies on a lab that does not exist, with nodes that may lack something."""

    lacking: TunnelmarkError | None = None

    def __init__(self, folder: Path) -> None:
        self.paths = SimpleNamespace(studies_dir=folder)  # type: ignore[assignment]
        self.store = SimpleNamespace(audit=None)  # type: ignore[assignment]
        self.in_use = SimpleNamespace(hold=self._hold)  # type: ignore[assignment]
        manager = SimpleNamespace(hold_condition=lambda *_: None, release_condition=lambda _: None)
        lab = SimpleNamespace(spec=SimpleNamespace(name="practice"))
        self.lab_machines: tuple[str, ...] = ()
        labs = SimpleNamespace(find=lambda _pair: lab, guests=lambda _pair: (), manager=manager)
        labs.machines = lambda _name: self.lab_machines
        self.lab_service = labs  # type: ignore[assignment]
        self.adapters = {}
        self.reported: list[str] = []

    @contextmanager
    def _hold(self, *_: object) -> Iterator[None]:
        yield

    def sessions(self, *_: object, **__: object) -> Any:
        return None

    def node_machines(self, pair: PairSpec, needs: NodeNeeds, *, token: CancelToken) -> Any:
        assert needs is NODE_NEEDS
        if self.lacking is not None:
            raise self.lacking
        return SimpleNamespace(pair=pair.name, facts=None)

    def measure(
        self,
        cells: Sequence[TransferCell],
        *,
        is_fresh: bool = False,
        is_lab: bool = True,
        nodes: NodeKind = NodeKind.NAMESPACES,
        consent: OwnHostsConsent | None = None,
        node_b: NodeHost = NODE,
    ) -> StudyResults:
        own: Any = {"lab_machines": self.lab_machines} if is_lab else {"node_a": NODE, "node_b": node_b}
        spec = replace(pair(is_lab=is_lab), **own)
        found: Any = SimpleNamespace(pair=spec, link=None, facts={"a": None})
        self.store = SimpleNamespace(audit=None, get_pair=lambda _name: spec)  # type: ignore[assignment]
        consent = replace(consent or OwnHostsConsent(), pair=spec)
        return self.run_study(
            found,
            StudyRequest(SATCOM, tuple(cells), is_fresh=is_fresh, nodes=nodes, consent=consent),
            token=CancelToken(),
            report=self.reported.append,
            on_result=lambda _result: None,
        )


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> type[Run]:
    Run.measured, Run.machines, Run.shaping, Run.most, Run.fault = [], [], [], 100, None
    monkeypatch.setattr(studies, "TransferRun", Run)
    monkeypatch.setattr(studies, "satellite_choices", lambda *_: {})
    monkeypatch.setattr(studies.DeployedTunnels, "of_study", lambda *_: None)
    monkeypatch.setattr(studies, "iperf3_version", lambda _facts: "")
    return Run


def test_a_run_that_was_stopped_is_resumed_and_then_there_is_nothing_to_do(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    run.most = 3
    assert len(operations.measure(QUICK).times_s()) == 3
    run.most = 100
    found = operations.measure(QUICK)
    assert set(found.times_s()) == set(QUICK)
    assert run.measured == list(QUICK), "each once"
    assert operations.measure(QUICK) == found
    assert run.measured == list(QUICK)
    assert operations.study_results(SATCOM, "lab:practice") == found


def test_results_between_machines_are_not_mixed_with_those_between_namespaces(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    between_namespaces = operations.measure(QUICK)
    assert [one is None for one in run.machines] == [True]
    found = operations.measure(QUICK, nodes=NodeKind.MACHINES)
    assert [one.pair for one in run.machines[1:]] == ["lab:practice"]
    assert run.measured == [*QUICK, *QUICK]
    assert (between_namespaces.nodes, found.nodes) == (NodeKind.NAMESPACES, NodeKind.MACHINES)
    assert operations.study_results(SATCOM, "lab:practice") == between_namespaces
    assert operations.study_results(SATCOM, "lab:practice", NodeKind.MACHINES) == found
    assert operations.stored_studies(SATCOM)[0] == (between_namespaces, found)


def test_nodes_that_lack_something_are_refused_before_a_tunnel_is_built(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    operations.lacking = PackageMissing("node-b lacks iperf3.")
    for is_fresh in (False, True):
        with pytest.raises(PackageMissing, match="node-b lacks iperf3"):
            operations.measure(QUICK, nodes=NodeKind.MACHINES, is_fresh=is_fresh)
    assert run.machines == []
    assert operations.study_results(SATCOM, "lab:practice", NodeKind.MACHINES) is None


@pytest.mark.parametrize("kind", [CleanupFailed, ConnectionLost, HostUnreachable])
def test_an_error_in_a_run_says_that_a_host_may_not_be_restored(
    run: type[Run], tmp_path: Path, kind: type[TunnelmarkError]
) -> None:
    run.fault = kind("node-b could not be rolled back completely.", hint="Run this on its console.")
    with pytest.raises(kind) as ended:
        Operations(tmp_path).measure(QUICK)
    assert ended.value.left == run.fault.sentence()


def test_an_error_before_anything_is_changed_or_of_another_kind_says_nothing_of_the_hosts(
    run: type[Run], tmp_path: Path
) -> None:
    operations = Operations(tmp_path)
    operations.lacking = HostUnreachable("node-b cannot be reached.")
    with pytest.raises(HostUnreachable) as refused:
        operations.measure(QUICK, nodes=NodeKind.MACHINES)
    assert refused.value.left == ""
    run.fault = TunnelDown("WireGuard did not come up.")
    with pytest.raises(TunnelDown) as ended:
        operations.measure(QUICK)
    assert ended.value.left == ""


def test_a_fresh_run_measures_its_part_again_and_keeps_the_others(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    old = StudyResults(SATCOM, "lab:practice", "0.0.1", 30_000_000)
    for cell in (*QUICK, OTHER):
        old = old.with_result(TransferResult(cell, 99.0, 30_000_000, topology=Topology.ROUTED_NODES))
    write_study(results_file(tmp_path, SATCOM, "lab:practice"), old)
    run.most = 2
    found = operations.measure(QUICK, is_fresh=True)
    times = dict.fromkeys((*QUICK[2:], OTHER), 99.0)
    assert found.times_s() == {**times, QUICK[0]: 20.0, QUICK[1]: 20.0}, "old times remain until there are new ones"
    assert found.done() == {OTHER, *QUICK[:2]}
    assert found.version == tunnelmark_version()
    assert operations.study_results(SATCOM, "lab:practice") == found
    run.most = 100
    found = operations.measure(QUICK)
    assert run.measured == list(QUICK), "it is resumed without measuring those again"
    assert found.times_s() == {**dict.fromkeys(QUICK, 20.0), OTHER: 99.0}
    assert found.afresh == ()


def test_a_fresh_run_that_was_stopped_before_its_first_result_is_resumed(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    operations.measure(QUICK)
    old = operations.study_results(SATCOM, "lab:practice")
    assert old is not None
    write_study(results_file(tmp_path, SATCOM, "lab:practice"), replace(old, version="0.0.1"))
    run.measured, run.most = [], 0
    found = operations.measure(QUICK[:3], is_fresh=True)
    assert found.times_s() == old.times_s()
    assert found.version == "0.0.1", "no result is of this version"
    assert operations.study_results(SATCOM, "lab:practice") == found
    run.most = 100
    assert operations.measure(QUICK[1:]).done() == {*QUICK[1:]}, "each part goes on with its own cells"
    assert run.measured == list(QUICK[1:3])
    assert operations.measure(QUICK).done() == {*QUICK}
    assert run.measured == [*QUICK[1:3], QUICK[0]]


def test_a_fresh_run_that_is_refused_leaves_everything_as_it_was(
    run: type[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = Operations(tmp_path)
    old = operations.measure(QUICK)

    def refuse(*_: object) -> None:
        raise InvalidOption("No safe suite.")

    monkeypatch.setattr(studies, "satellite_choices", refuse)
    with pytest.raises(InvalidOption, match="No safe suite"):
        operations.measure(QUICK, is_fresh=True)
    assert operations.study_results(SATCOM, "lab:practice") == old
    assert run.measured == list(QUICK)


def test_a_vpn_that_the_hosts_cannot_do_or_that_has_no_safe_suite_is_refused() -> None:
    cells = of_solutions(QUICK, ("fastd",))
    for unavailable in ({"fastd": "gateway-a lacks fastd"}, {}):
        lab = SimpleNamespace(name="lab:practice")
        found: Any = SimpleNamespace(defaults=(), unavailable=unavailable, facts={}, pair=lab)
        why = unavailable.get("fastd", NO_SAFE_SUITE())
        is_refused = has_message(STUDY_SOLUTION_MISSING, solution="fastd", why=why, pair="lab:practice")
        with pytest.raises(InvalidOption, check=is_refused):
            satellite_choices({}, found, cells)


def test_results_of_an_earlier_version_have_nothing_to_measure_again(run: type[Run], tmp_path: Path) -> None:
    operations, file = Operations(tmp_path), results_file(tmp_path, SATCOM, "lab:practice")
    old = operations.measure(QUICK)
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["afresh"]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert operations.measure(QUICK) == old
    assert run.measured == list(QUICK)


def test_a_pair_that_is_no_lab_is_refused(run: type[Run], tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, check=has_message(STUDY_NEEDS_LAB, pair="plant-north")):
        Operations(tmp_path).measure(QUICK, is_lab=False)
    assert run.measured == []


def test_hosts_of_the_users_own_shape_their_link_once_both_consents_are_given(
    run: type[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = Operations(tmp_path)
    monkeypatch.setattr(studies, "HostShaping", SimpleNamespace(of=lambda *_, **__: "shaping"))
    for consent, form in (
        (OwnHostsConsent(), OWN_HOSTS_NOT_ALLOWED),
        (OwnHostsConsent(may_change=True), SHAPING_NOT_ALLOWED),
    ):
        with pytest.raises(InvalidPlan, check=has_message(form, pair="plant-north")):
            operations.measure(QUICK, is_lab=False, nodes=NodeKind.MACHINES, consent=consent)
    assert run.measured == []
    both = OwnHostsConsent(may_change=True, may_shape=True)
    found = operations.measure(QUICK, is_lab=False, nodes=NodeKind.MACHINES, consent=both)
    assert found.done() == {*QUICK}
    assert run.shaping == ["shaping"]
    operations.measure(QUICK)
    assert run.shaping == ["shaping", None], "a lab's link is conditioned outside its hosts"


def test_machines_that_were_replaced_under_a_pairs_name_get_results_of_their_own(
    run: type[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = Operations(tmp_path)
    monkeypatch.setattr(studies, "HostShaping", SimpleNamespace(of=lambda *_, **__: None))
    own: Any = {"is_lab": False, "nodes": NodeKind.MACHINES}
    own["consent"] = OwnHostsConsent(may_change=True, may_shape=True)
    former, before = operations.measure(QUICK, **own), operations.store
    assert operations.measure(QUICK, **own) == former
    assert (run.measured, operations.reported) == ([*QUICK], [])
    run.most = 2
    found = operations.measure(QUICK, **own, node_b=replace(NODE, interface="eth7"))
    assert found.times_s().keys() == {*QUICK[:2]}, "none of the others' times"
    assert operations.study_results(SATCOM, "plant-north", NodeKind.MACHINES) == found
    (reported,) = operations.reported
    assert has_message(RESULTS_OF_FORMER_MACHINES, pair="plant-north", study=SATCOM)(reported)
    assert operations.stored_studies(SATCOM)[0] == (found,)
    operations.store = before
    assert operations.stored_studies(SATCOM)[0] == (former,), "of the machines that the stored pair has now"
    assert operations.measure(QUICK, **own) == former, "they had been kept"
    assert run.measured == [*QUICK, *QUICK[:2]]


def test_a_lab_of_another_kind_under_the_same_name_gets_results_of_its_own(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    operations.lab_machines, run.most = ("debian-13 kvm aes",), 3
    first = operations.measure(QUICK)
    assert first.machines == ("debian-13 kvm aes",)
    operations.lab_machines, run.most = ("debian-11 tcg aes",), 100
    second = operations.measure(QUICK)
    assert run.measured == [*QUICK[:3], *QUICK], "nothing of the other kernel is in the table"
    (reported,) = operations.reported
    assert has_message(RESULTS_OF_FORMER_MACHINES, pair="lab:practice", study=SATCOM)(reported)
    assert operations.stored_studies(SATCOM)[0] == (second,)
    operations.lab_machines = ()
    assert operations.stored_studies(SATCOM)[0] == (second,), "a lab that is down: what was measured last is named"
    assert operations.measure(QUICK).machines == second.machines, "a lab that does not say its kind changes nothing"
    operations.lab_machines, run.most = ("debian-13 kvm aes",), 100
    assert operations.study_results(SATCOM, "lab:practice") == first
    operations.measure(QUICK)
    assert run.measured == [*QUICK[:3], *QUICK, *QUICK[3:]], "it goes on where it was"


def test_results_of_a_lab_without_its_kind_go_on_as_before(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    run.most = 3
    operations.measure(QUICK)
    operations.lab_machines, run.most = ("debian-13 kvm aes",), 100
    found = operations.measure(QUICK)
    assert (run.measured, operations.reported) == ([*QUICK], [])
    assert found.machines == ("debian-13 kvm aes",)


def test_stored_results_of_all_pairs_are_found_beside_a_damaged_file(run: type[Run], tmp_path: Path) -> None:
    operations = Operations(tmp_path)
    assert operations.stored_studies(SATCOM) == ((), ())
    for name in ("lab:b", "lab:a"):
        write_study(results_file(tmp_path, SATCOM, name), StudyResults(SATCOM, name, "1.0", 30_000_000))
    (tmp_path / f"{SATCOM}-lab-c.json").write_text("{")
    found, faults = operations.stored_studies(SATCOM)
    assert [one.pair for one in found] == ["lab:a", "lab:b"]
    (fault,) = faults
    assert "lab-c.json" in fault.sentence()
