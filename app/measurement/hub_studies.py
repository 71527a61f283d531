"""Study of a hub between sites on a practice lab, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.hub_study import HubCell, HubKind, HubResult
from app.domain.hubs import Hub, SessionHub
from app.domain.paths import Paths
from app.domain.version import tunnelmark_version
from app.lab.practice_labs import Labs
from app.measurement.hub_study_run import HubChoice, HubPart, HubStudyRun
from app.measurement.messages import A_STUDY, HUB_STUDY_NEEDS_LAB, NO_SAFE_SUITE, NODE_SOLUTION_MISSING
from app.measurement.tunnels import DeployedTunnels
from app.ranking.hub_study import HUB_STUDY, hub_cells, hub_clients, recovery_s
from app.storage import Store, study_results
from app.storage.hub_results import HubResults, load_hub_results
from app.storage.in_use import InUse
from app.storage.study_files import KeptStudy

HUB_PARTS: Mapping[str, HubPart] = {
    "quick": HubPart(try_s=4, window_s=10, precision=1.3, recovery=(8,), tcp_s=4, is_quick=True),
    "all": HubPart(try_s=10, window_s=60, recovery=(8, 16, 24), tcp_s=10),
}
"""Amounts by part. Source of the 60 s: the study's own flood."""

_BUILD_S, _EACH_S, _TRIES = 20.0, 6.0, 7
"""Seconds of a hub with its clients, made and removed; of a rate that is tried, besides its own time; number of rates.

Source: own trials on a practice lab.
"""


def predicted_hub_s(part: HubPart, cells: Collection[HubCell]) -> float:
    """Return about how long it takes to measure cells, in s."""
    flood_s = _TRIES * (part.try_s + _EACH_S) + part.window_s + _EACH_S
    seconds = {
        HubKind.FLOOD: _BUILD_S + flood_s,
        HubKind.RECOVERY: sum(_BUILD_S + one + recovery_s() for one in part.recovery),
        HubKind.THROUGHPUT: _BUILD_S + 2 * (part.tcp_s + _EACH_S),
    }
    return sum(seconds[cell.kind] for cell in cells)


def missing_cells(part: str, done: Collection[HubCell]) -> tuple[HubCell, ...]:
    """Return the cells of a part that are not done.

    Args:
        part: Its name in HUB_PARTS.
    """
    return tuple(cell for cell in hub_cells(is_quick=HUB_PARTS[part].is_quick) if cell not in done)


class HubStudyOperations:
    """Runs the study.

    Attributes:
        paths: Where results are kept.
        hubs: By solution.
        session_hubs: Those whose clients remain connected.
        store: The database.
        in_use: Hosts that this user's processes work on.
        lab_service: Practice labs.
    """

    paths: Paths
    hubs: Mapping[str, Hub]
    session_hubs: Mapping[str, SessionHub]
    store: Store
    in_use: InUse
    lab_service: Labs

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        raise NotImplementedError

    def hub_results(self, pair: str, part: str) -> HubResults:
        """Return what was measured of a part on a pair; without results if nothing was."""
        return load_hub_results(self.hub_results_file(pair, part)) or _none(pair, part)

    def hub_results_file(self, pair: str, part: str) -> Path:
        """Return the file of a part's results."""
        return study_results.results_file(self.paths.studies_dir, f"{HUB_STUDY}-{part}", pair)

    def stored_hub_results(self) -> tuple[tuple[HubResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured of each part on any pair, and why other files of it cannot be read."""
        folder = self.paths.studies_dir
        read = [study_results.read_all(folder, f"{HUB_STUDY}-{part}", load_hub_results) for part in HUB_PARTS]
        return tuple(one for found, _ in read for one in found), tuple(one for _, faults in read for one in faults)

    def refuse_hub_study(self, pair: PairSpec) -> None:
        """Refuse a pair on which the study is not run.

        Raises:
            InvalidOption: The pair is no practice lab.
        """
        if not pair.is_lab or self.lab_service.find(pair) is None:
            raise InvalidOption(HUB_STUDY_NEEDS_LAB(pair=pair.name))

    def run_hub_study(
        self,
        discovery: Discovery,
        part: str,
        *,
        is_fresh: bool,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[HubResult], None],
    ) -> HubResults:
        """Measure the cells that are not done yet; each result is stored as soon as there is one.

        Args:
            part: Its name in HUB_PARTS.
            is_fresh: Whether what has a result is measured again. Each result remains until there is a new one; a later
                run that is not fresh goes on.

        Raises:
            InvalidOption: The pair is no practice lab.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
        """
        pair = discovery.pair
        self.refuse_hub_study(pair)
        with self.in_use.hold((pair.a, pair.b), A_STUDY()):
            found = self.hub_results(pair.name, part)
            if is_fresh:
                found = found.to_measure_afresh()
            kept = KeptStudy(found, self.hub_results_file(pair.name, part), on_result)
            if found.afresh:
                kept.store()
            choices = []
            for cell in missing_cells(part, found.done()):
                choice = self._hub_choice(discovery, cell)
                if isinstance(choice, HubChoice):
                    choices.append(choice)
                else:
                    kept.keep(choice)
            sessions = self.sessions(pair, token=token)
            tunnels = DeployedTunnels.of_study(discovery, sessions, self.store.audit)
            guests = self.lab_service.guests(pair)
            HubStudyRun(
                *(choices, HUB_PARTS[part], hub_clients(), sessions, discovery.b.facts, tunnels, guests),
                *(report, kept.keep, token),
            ).run()
        return kept.results

    def _hub_choice(self, discovery: Discovery, cell: HubCell) -> HubChoice | HubResult:
        """Return hub and suite of a cell, or why there is none; the suite is the safe default, or else the best."""
        facts = discovery.facts[Side.A.value], discovery.facts[Side.B.value]
        hub = self.hubs[cell.solution]
        adapter = hub.adapter(1)
        default = next((suite for name, suite in discovery.defaults if name == cell.solution), None)
        wanted = find_suite(adapter, *facts, default) if default is not None else None
        suite = wanted or next(iter(adapter.suites(*facts)), None)
        if suite is None:
            why = discovery.unavailable.get(cell.solution, NO_SAFE_SUITE())
            return HubResult(cell, 0, message=NODE_SOLUTION_MISSING(title=cell.title, why=why))
        return HubChoice(cell, hub, self.session_hubs.get(cell.solution), suite)


def _none(pair: str, part: str) -> HubResults:
    return HubResults(HUB_STUDY, pair, part, tunnelmark_version())
