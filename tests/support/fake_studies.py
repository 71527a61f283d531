"""Studies of the window's fake services: the published times, some of them changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidFile
from app.domain.topology import Topology
from app.domain.transfers import TransferCell, TransferResult
from app.measurement.studies import StudyRequest
from app.ranking.published_transfers import TRANSFER_BYTES, published_transfers
from app.ranking.study_parts import SATCOM, missing_cells
from app.storage.study_results import StudyResults

SLOWER = {"wireguard": 1.3, "none": 1.05}
"""Times of these VPNs are so many times the published ones; the bare link remains first, WireGuard does not."""


def own_result(cell: TransferCell) -> TransferResult:
    """Return a made-up result."""
    seconds = published_transfers().get(cell, 40.0) * SLOWER.get(cell.solution, 1.0)
    return TransferResult(cell, seconds, TRANSFER_BYTES, 3, "cubic", topology=Topology.ROUTED_NODES)


@dataclass(kw_only=True)
class FakeStudies:
    """The methods of the services that are about studies.

    Attributes:
        study_stored: Stored results by the pair's name.
        study_faults: Why other files cannot be read.
        study_gate: Transfers are made while it is set; tests clear it to inspect that moment.
        study_pauses_after: After so many transfers of a run the gate is cleared; None never does.
        study_failures: Why cells fail.
    """

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
        missing = missing_cells(request.cells, found.done_cells(), is_fresh=request.is_fresh)
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
