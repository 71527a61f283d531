"""Studies on practice labs: transfers under conditions, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.conditions import Condition
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.paths import Paths
from app.domain.solutions import Suite
from app.domain.transfers import TransferCell, TransferResult
from app.domain.version import tunnelmark_version
from app.lab.practice_labs import Labs
from app.measurement.comparison.probe_run import iperf3_version
from app.measurement.transfers import TransferPlan, TransferReports, TransferRun
from app.measurement.tunnels import DeployedTunnels
from app.policy.file_header import file_header
from app.probes.transfer import can_end_early
from app.ranking.published_transfers import TRANSFER_BYTES
from app.storage import Store
from app.storage.in_use import InUse
from app.storage.study_results import StudyResults, load_results, results_file, save_results

BARE = ("baseline", "none")
"""Solution and suite of the bare link."""


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """Request for a part of a study.

    Attributes:
        study: Its name.
        cells: Cells to be measured.
        is_fresh: Whether cells that have a time are measured again.
    """

    study: str
    cells: tuple[TransferCell, ...]
    is_fresh: bool = False


class StudyOperations:
    """Runs studies.

    Attributes:
        paths: Where results are kept.
        adapters: By solution.
        store: The database.
        in_use: Hosts that this user's processes work on.
        lab_service: Practice labs.
    """

    paths: Paths
    adapters: Mapping[str, Adapter]
    store: Store
    in_use: InUse
    lab_service: Labs

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        raise NotImplementedError

    def study_results(self, study: str, pair: str) -> StudyResults | None:
        """Return what was measured of a study on a pair; None if nothing was."""
        return load_results(results_file(self.paths.studies_dir, study, pair))

    def run_study(
        self,
        discovery: Discovery,
        request: StudyRequest,
        *,
        token: CancelToken,
        say: Callable[[str], None],
        on_result: Callable[[TransferResult], None],
    ) -> StudyResults:
        """Measure the cells that have no time yet; each result is stored as soon as there is one.

        Raises:
            InvalidOption: The pair is no practice lab, or a VPN of the study is not possible on its hosts.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
        """
        pair, file = discovery.pair, results_file(self.paths.studies_dir, request.study, discovery.pair.name)
        lab = self.lab_service.find(pair) if pair.is_lab else None
        if lab is None:
            raise InvalidOption(
                f"{pair.name} is no running practice lab: conditions of a link are emulated there only.",
                hint="Start one with: tunnelmark lab up",
            )
        found = (None if request.is_fresh else load_results(file)) or StudyResults(
            request.study, pair.name, tunnelmark_version(), TRANSFER_BYTES
        )
        done = found.times_s()
        cells = tuple(cell for cell in request.cells if cell not in done)
        if not cells:
            return found
        results = found

        def keep(result: TransferResult) -> None:
            nonlocal results
            results = results.with_result(result)
            save_results(file, results)
            on_result(result)

        def keep_rtt(condition: str, rtt_ms: float) -> None:
            nonlocal results
            results = results.with_rtt(condition, rtt_ms)

        def set_condition(condition: Condition | None) -> None:
            self.lab_service.manager.set_condition(lab.spec.name, condition)

        with self.in_use.hold((pair.a, pair.b), "a study"):
            sessions = self.sessions(pair, token=token)
            tunnels = DeployedTunnels(
                pair, sessions, discovery.link, discovery.facts, file_header(), self.store.audit, minds_firewalls=True
            )
            version = iperf3_version(discovery.facts[Side.A.value])
            plan = TransferPlan(cells, self._choices(discovery, cells), TRANSFER_BYTES, can_end_early(version))
            reports = TransferReports(say, keep, keep_rtt)
            TransferRun(plan, sessions, discovery.link, tunnels, set_condition, reports, token).run()
        return results

    def _choices(self, discovery: Discovery, cells: Sequence[TransferCell]) -> Mapping[str, tuple[Adapter, Suite]]:
        """Return adapter and suite by the study's name of a VPN; the suite is the safe default of these hosts."""
        chosen = {}
        for name in sorted({cell.solution for cell in cells}):
            solution, suite = BARE if name == "none" else self._default(discovery, name)
            adapter, facts = self.adapters[solution], discovery.facts
            found = find_suite(adapter, facts[Side.A.value], facts[Side.B.value], suite)
            if found is None:
                raise InvalidOption(f"These hosts do not offer {suite} with {solution}, which the study compares.")
            chosen[name] = (adapter, found)
        return chosen

    @staticmethod
    def _default(discovery: Discovery, solution: str) -> tuple[str, str]:
        key = next((key for key in discovery.defaults if key[0] == solution), None)
        if key is None:
            why = discovery.unavailable.get(solution, "no safe suite on both")
            raise InvalidOption(f"{solution}, which the study compares, is not possible on these hosts: {why}.")
        return key
