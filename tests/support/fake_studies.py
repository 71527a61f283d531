"""Studies of the window's fake services: the published times, some of them changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sample_records import MODELS, Model, sample_record

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidFile
from app.domain.results import Attempt, CampaignRecord, Candidate
from app.domain.topology import Topology
from app.domain.transfers import TransferCell, TransferResult
from app.domain.verdicts import Verdict
from app.domain.workloads import WorkloadResult
from app.measurement.studies import StudyRequest
from app.ranking.comparison_study import ComparisonStudy, published_figures
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
        study_stored: Stored results by the pair's name.
        study_faults: Why other files cannot be read.
        study_gate: Transfers are made while it is set; tests clear it to inspect that moment.
        study_pauses_after: After so many transfers of a run the gate is cleared; None never does.
        study_failures: Why cells fail.
    """

    records: dict[int, CampaignRecord] = field(default_factory=dict)
    study_stored: dict[str, StudyResults] = field(default_factory=dict)
    study_faults: tuple[InvalidFile, ...] = ()
    study_gate: threading.Event = field(default_factory=threading.Event)
    study_pauses_after: int | None = None
    study_failures: dict[TransferCell, str] = field(default_factory=dict)

    def _call(self, name: str) -> None:
        raise NotImplementedError(name)

    def stored_studies(self, study: str) -> tuple[tuple[StudyResults, ...], tuple[InvalidFile, ...]]:
        self._call("stored_studies")
        assert study == SATCOM
        return tuple(self.study_stored.values()), self.study_faults

    def study_results(self, _study: str, pair: str) -> StudyResults | None:
        self._call("study_results")
        return self.study_stored.get(pair)

    def study_runs(self) -> Mapping[str, tuple[StudyRun, ...]]:
        self._call("study_runs")
        found: dict[str, tuple[StudyRun, ...]] = {}
        for one in sorted(self.records.values(), key=lambda one: -one.campaign_id):
            keys = [(each.solution, each.suite) for each in one.plan.candidates]
            study = study_of(keys, one.plan.workloads, one.plan.seed)
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
        name = discovery.pair.name
        found = self.study_stored.get(name) or StudyResults(SATCOM, name, "0.1.0", TRANSFER_BYTES)
        missing = missing_cells(request.cells, found.done(), is_fresh=request.is_fresh)
        if request.is_fresh:
            found = self.study_stored[name] = found.to_measure_afresh(missing)
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
            self.study_stored[name] = found
            on_result(result)
        return found
