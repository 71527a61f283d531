"""Studies of the window's fake services: the published times, some of them changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sample_records import MODELS, Model, sample_record

from app.discovery.pair_discovery import Discovery
from app.domain.application_study import ApplicationResult
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidFile
from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult, HubWindow
from app.domain.node_study import FORGED, REPLAYED, Hop, HopInjection, HopReport, NodeResult, Seen
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, Candidate, CpuUsage
from app.domain.topology import NodeKind, Topology
from app.domain.transfers import TransferCell, TransferResult
from app.domain.verdicts import Verdict
from app.domain.workloads import WorkloadResult
from app.measurement.lab_studies import LAB_STUDIES, WantedLabStudy
from app.measurement.studies import StudyRequest
from app.ranking.comparison_study import ComparisonStudy, published_figures
from app.ranking.node_study import node_settings
from app.ranking.published_transfers import TRANSFER_BYTES, published_transfers
from app.ranking.repeated_study import StudyRun, study_of
from app.ranking.study_parts import SATCOM, missing_cells
from app.storage.study_results import StudyResults

SLOWER = {"wireguard": 1.3, "none": 1.05}
"""Times of these VPNs are so many times the published ones; the bare link remains first, WireGuard does not."""


def own_result(cell: TransferCell) -> TransferResult:
    """Return a made-up result."""
    seconds = published_transfers().get(cell, 40.0) * SLOWER.get(cell.solution, 1.0)
    return TransferResult(cell, seconds, TRANSFER_BYTES, 3, "cubic", topology=Topology.ROUTED_NODES)


def own_hub_result(cell: HubCell) -> HubResult:
    """Return a made-up result of a hub."""
    if cell.kind is HubKind.RECOVERY:
        return HubResult(cell, 24, "x", 24.0, outages_s=tuple(3.0 + nth / 4 for nth in range(24)))
    seconds = [CpuUsage(60.0 + nth % 7, 8.0, 30.0 + nth % 7, 20.0, 2.0, 1.0) for nth in range(60)]
    hub, clients = CpuUsage(63.0, 8.0, 33.0, 20.0, 2.0, 60.0), CpuUsage(97.0, 40.0, 47.0, 10.0, 0.0, 60.0)
    if cell.kind is HubKind.THROUGHPUT:
        return HubResult(cell, 2, "x", 211.0, HubBound.CLIENTS, hub_cpu=hub, clients_cpu=clients)
    window = HubWindow(31.6, 60, 1896, 1896, 1896, 8, 0.01, 0.05, hub, clients)
    tried = replace(window, rate_s=42.0, seconds=10, attempts=420, by_clients=397, by_hub=397, lag_s=0.61)
    cpu = tuple(seconds)
    return HubResult(cell, 8, "x", 31.6, HubBound.CLIENTS, (tried,), window, cpu, hub, clients)


def own_node_result(setting: str, number: int) -> NodeResult:
    """Return a made-up round of the study with nodes; captures in the first one."""
    nth = [one.name for one in node_settings()].index(setting)
    cpu = {"a": CpuUsage(40.0 + nth, 5.0, 25.0, 10.0, 0.0, 10.0), "b": CpuUsage(45.0, 5.0, 30.0, 10.0, 0.0, 10.0)}
    seen = tuple(Seen(hop, 40, has_addresses=nth == 0, has_payload=nth == 0) for hop in Hop)
    injected = tuple(HopInjection(hop, kind, 20, 0, 20 * (nth == 0)) for hop in Hop for kind in (FORGED, REPLAYED))
    hops = HopReport(seen, injected, 20, 20, 20, 20) if number == 1 else None
    rates = {"a_to_b": 410.0 - 60 * nth + number, "b_to_a": 400.0 - 60 * nth}
    latency_ms = 0.4 + 0.1 * nth + number / 100
    return NodeResult(setting, number, latency_ms, mbit_s=rates, cpu_latency=cpu, cpu_throughput=cpu, hops=hops)


def own_application_result(cell: TransferCell) -> ApplicationResult:
    """Return made-up figures of applications."""
    call = {"rating": 71.5, "mos": 3.7, "jitter-a-to-b": 0.4, "jitter-b-to-a": 0.6}
    flows = {"fairness": 0.98, "second-share": 44.0, "first": 5.3, "second": 4.2}
    page = {"page": 4.1 if cell.proxy == "none" else 3.5, "document": 1.6, "first-byte": 1010.0}
    figures = {"web-page": page, "voice": call, "two-flows": flows}
    return ApplicationResult(cell, tuple(WorkloadResult(name, one) for name, one in figures.items()))


def own_lab_result(key: Any) -> Any:
    """Return a made-up result of a study with a run of its own."""
    if isinstance(key, TransferCell):
        return own_application_result(key)
    return own_hub_result(key) if isinstance(key, HubCell) else own_node_result(*key)


def without_figures(result: Any, why: str) -> Any:
    """Return such a result that failed."""
    if isinstance(result, ApplicationResult):
        return replace(result, workloads=(), message=why)
    none = {"value": None} if isinstance(result, HubResult) else {"latency_ms": None, "mbit_s": {}}
    return replace(result, message=why, **none)


def study_models(study: ComparisonStudy) -> dict[tuple[str, str], Model]:
    """Return made-up figures of a study's candidates."""
    some = MODELS[0]
    return {
        (one.solution, one.suite): replace(
            some, candidate=Candidate(one.solution, one.suite, one.label, Verdict.INSECURE, is_unprotected=nth == 0)
        )
        for nth, one in enumerate(study.candidate)
    }


def with_files(attempts: Sequence[Attempt], study: ComparisonStudy) -> tuple[Attempt, ...]:
    """Return attempts that moved files in the published times, but of the third candidate, which is the slowest."""
    published, slowest = published_figures(study), study.candidate[2]
    found = []
    for one in attempts:
        figures: dict[str, float] = {}
        for way in study.way:
            cell = published[one.key.solution, one.key.suite, way.name]
            factor = 20.0 if (one.key.solution, one.key.suite) == (slowest.solution, slowest.suite) else 1.0
            for kind, name in (("response", "response_ms"), ("longest", "longest_ms"), ("rate", "rate_mbit_s")):
                figures[f"{kind}-{way.name}"] = factor * (cell[name] or 0.0)
        found.append(replace(one, workloads=(WorkloadResult(study.workload, figures),)))
    return tuple(found)


def study_record(study: ComparisonStudy, campaign_id: int = 7) -> CampaignRecord:
    """Return a comparison that repeats a study."""
    record = sample_record(rounds=study.part[0].amounts.rounds, models=tuple(study_models(study).values()))
    plan = replace(record.plan, profile=study.part[0].amounts, workloads=study.workloads, seed=study.seed)
    return replace(record, campaign_id=campaign_id, plan=plan, attempts=with_files(record.attempts, study))


@dataclass(kw_only=True)
class FakeStudies:
    """The methods of the services that are about studies.

    Attributes:
        records: Stored comparisons.
        interrupted: Number of an interrupted one.
        study_stored: Stored results between namespaces by the pair's name.
        machines_stored: The same between machines.
        study_faults: Why other files cannot be read.
        study_gate: Transfers are made while it is set; tests clear it to inspect that moment.
        study_pauses_after: After so many transfers of a run the gate is cleared; None never does.
        study_failures: Why cells fail.
        lab_stored: Stored results of the hub's study and that with nodes between namespaces, by study, pair and part.
        lab_machines_stored: The same between machines.
        lab_failures: Why measurements of these fail, by key.
        other_suites: Keys whose stored results are of another suite than today's.
    """

    records: dict[int, CampaignRecord] = field(default_factory=dict)
    interrupted: int | None = None
    study_stored: dict[str, StudyResults] = field(default_factory=dict)
    machines_stored: dict[str, StudyResults] = field(default_factory=dict)
    study_faults: tuple[InvalidFile, ...] = ()
    study_gate: threading.Event = field(default_factory=threading.Event)
    study_pauses_after: int | None = None
    study_failures: dict[TransferCell, str] = field(default_factory=dict)
    lab_stored: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    lab_machines_stored: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    lab_failures: dict[Any, str] = field(default_factory=dict)
    other_suites: set[Any] = field(default_factory=set)

    def _transfers(self, nodes: NodeKind) -> dict[str, StudyResults]:
        return self.machines_stored if nodes is NodeKind.MACHINES else self.study_stored

    def _labs(self, nodes: NodeKind) -> dict[tuple[str, str, str], Any]:
        return self.lab_machines_stored if nodes is NodeKind.MACHINES else self.lab_stored

    def _call(self, name: str) -> None:
        raise NotImplementedError(name)

    def unfinished(self, pair_name: str) -> int | None:
        return self.interrupted if pair_name == "lab:practice" else None

    def unfinished_like(self, plan: CampaignPlan) -> tuple[int, ...]:
        number = self.unfinished(plan.pair.name)
        return () if number is None else (number,)

    def stored_studies(self, study: str) -> tuple[tuple[StudyResults, ...], tuple[InvalidFile, ...]]:
        self._call("stored_studies")
        assert study == SATCOM
        return (*self.study_stored.values(), *self.machines_stored.values()), self.study_faults

    def study_results(self, _study: str, pair: str, nodes: NodeKind = NodeKind.NAMESPACES) -> StudyResults | None:
        self._call("study_results")
        return self._transfers(nodes).get(pair)

    def todays_results(self, found: StudyResults, _discovery: Discovery) -> StudyResults:
        return found.to_measure_afresh(self.other_suites)

    def study_runs(self) -> Mapping[str, tuple[StudyRun, ...]]:
        self._call("study_runs")
        found: dict[str, tuple[StudyRun, ...]] = {}
        for one in sorted(self.records.values(), key=lambda one: -one.campaign_id):
            keys = [(each.solution, each.suite) for each in one.plan.candidates]
            has_condition = one.plan.condition is not None
            study = study_of(keys, one.plan.workloads, one.plan.seed, has_condition=has_condition)
            if study is not None:
                part = next((each.name for each in study.part if each.amounts == one.plan.profile), "")
                run = StudyRun(one.campaign_id, one.plan.pair.name, one.started_at, one.status, part)
                found[study.name] = (*found.get(study.name, ()), run)
        return found

    def run_study(
        self,
        discovery: Discovery,
        request: StudyRequest,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[TransferResult], None],
    ) -> StudyResults:
        self._call("run_study")
        name, stored = discovery.pair.name, self._transfers(request.nodes)
        found = stored.get(name) or StudyResults(SATCOM, name, "0.1.0", TRANSFER_BYTES, nodes=request.nodes)
        found = self.todays_results(found, discovery)
        missing = missing_cells(request.cells, found.done(), is_fresh=request.is_fresh)
        if request.is_fresh:
            found = stored[name] = found.to_measure_afresh(missing)
        for nth, cell in enumerate(missing):
            if nth == self.study_pauses_after:
                self.study_gate.clear()
            report(f"{cell.condition}: {cell.solution}")
            while not self.study_gate.wait(0.02):
                token.raise_if_cancelled()
            token.raise_if_cancelled()
            result = own_result(cell)
            if cell in self.study_failures:
                result = TransferResult(cell, None, 0, message=self.study_failures[cell])
            found = found.with_result(result)
            stored[name] = found
            on_result(result)
        return found

    def refuse_lab_study(self, _wanted: WantedLabStudy) -> None:
        self._call("refuse_lab_study")

    def lab_results(self, study: str, pair: str, part: str, nodes: NodeKind = NodeKind.NAMESPACES) -> Any:
        found = self._labs(nodes).get((study, pair, part)) or LAB_STUDIES[study].none(pair, part)
        return replace(found, nodes=nodes)

    def todays_lab_results(self, found: Any, _discovery: Discovery) -> Any:
        return found.to_measure_afresh(self.other_suites)

    def stored_lab_results(self, study: str) -> tuple[tuple[Any, ...], tuple[InvalidFile, ...]]:
        both = (*self.lab_stored.items(), *self.lab_machines_stored.items())
        return tuple(one for key, one in both if key[0] == study), ()

    def run_lab_study(
        self,
        discovery: Discovery,
        wanted: WantedLabStudy,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[Any], None],
    ) -> Any:
        self._call("run_lab_study")
        study = wanted.study
        found = self.lab_results(study.name, discovery.pair.name, wanted.part, wanted.nodes)
        found = self.todays_lab_results(wanted.begun(found), discovery)
        keys = study.missing(wanted.part, found.done(), wanted.solutions)
        made = [own_lab_result(key) for key in keys]
        for nth, one in enumerate(made):
            if nth == self.study_pauses_after:
                self.study_gate.clear()
            report(f"step {nth}")
            while not self.study_gate.wait(0.02):
                token.raise_if_cancelled()
            token.raise_if_cancelled()
            key = found.key_of(one)
            if key in self.lab_failures:
                one = without_figures(one, self.lab_failures[key])
            found = found.with_result(one)
            self._labs(wanted.nodes)[found.study, found.pair, found.part] = found
            on_result(one)
        return found
