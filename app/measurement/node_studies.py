"""Study with nodes behind both gateways of a practice lab, with the results kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.node_protection import NodeProtection, ProtectedPlace
from app.domain.node_study import NodeResult, NodeSetting
from app.domain.paths import Paths
from app.domain.version import tunnelmark_version
from app.lab.practice_labs import Labs
from app.measurement.messages import A_STUDY, NO_SAFE_SUITE, NODE_SOLUTION_MISSING, NODE_STUDY_NEEDS_LAB
from app.measurement.node_study_run import NodeChoice, NodePart, NodeStudyRun, ProtectedNodes
from app.measurement.tunnels import DeployedTunnels
from app.probes.capture.request import missing_for_capture
from app.ranking.node_study import NODE_STUDY, node_settings
from app.storage import Store, study_results
from app.storage.in_use import InUse
from app.storage.node_results import NodeResults, load_node_results
from app.storage.study_files import KeptStudy

NODE_PARTS: Mapping[str, NodePart] = {
    "quick": NodePart(rounds=3, pings=200, seconds=4),
    "all": NodePart(rounds=8, pings=2_000, seconds=10),
}
"""Amounts by part: three rounds are the fewest that say anything of the order."""

_BUILD_S, _HOPS_S, _PING_S, _SIZES = 16.0, 22.0, 0.0012, 7
"""Seconds of a tunnel with its nodes, made and removed; of captures and injections; of a request.

Source: own trials on a practice lab.
"""


def predicted_node_s(part: NodePart, done: frozenset[tuple[str, int]] = frozenset()) -> float:
    """Return about how long it takes to measure what is missing of a part, in s."""
    settings = [one.name for one in node_settings()]
    missing = [
        (name, number) for number in range(1, part.rounds + 1) for name in settings if (name, number) not in done
    ]
    each = _BUILD_S + part.pings * _SIZES * _PING_S + 2 * (part.seconds + 2)
    return len(missing) * each + sum(number == 1 for _, number in missing) * _HOPS_S


@dataclass(frozen=True, slots=True)
class NodeStudyRequest:
    """Request for a part of the study.

    Attributes:
        part: Its name in NODE_PARTS.
        is_fresh: Whether what has a result is measured again. Each result remains until there is a new one; a later
            run that is not fresh goes on.
    """

    part: str
    is_fresh: bool = False


class NodeStudyOperations:
    """Runs the study.

    Attributes:
        paths: Where results are kept.
        adapters: By solution.
        node_protections: By solution.
        store: The database.
        in_use: Hosts that this user's processes work on.
        lab_service: Practice labs.
    """

    paths: Paths
    adapters: Mapping[str, Adapter]
    node_protections: Mapping[str, NodeProtection]
    store: Store
    in_use: InUse
    lab_service: Labs

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        raise NotImplementedError

    def node_results(self, pair: str, part: str) -> NodeResults:
        """Return what was measured of a part on a pair; without results if nothing was."""
        found = load_node_results(self.results_file(pair, part))
        return found or NodeResults(NODE_STUDY, pair, part, tunnelmark_version())

    def results_file(self, pair: str, part: str) -> Path:
        """Return the file of a part's results: those of one part do not replace those of another."""
        return study_results.results_file(self.paths.studies_dir, f"{NODE_STUDY}-{part}", pair)

    def stored_node_results(self) -> tuple[tuple[NodeResults, ...], tuple[InvalidFile, ...]]:
        """Return what was measured of each part on any pair, and why other files of it cannot be read."""
        folder = self.paths.studies_dir
        read = [study_results.read_all(folder, f"{NODE_STUDY}-{part}", load_node_results) for part in NODE_PARTS]
        return tuple(one for found, _ in read for one in found), tuple(one for _, faults in read for one in faults)

    def refuse_node_study(self, pair: PairSpec) -> None:
        """Refuse a pair on which the study is not run.

        Raises:
            InvalidOption: The pair is no practice lab.
        """
        if not pair.is_lab or self.lab_service.find(pair) is None:
            raise InvalidOption(NODE_STUDY_NEEDS_LAB(pair=pair.name))

    def run_node_study(
        self,
        discovery: Discovery,
        request: NodeStudyRequest,
        *,
        token: CancelToken,
        report: Callable[[str], None],
        on_result: Callable[[NodeResult], None],
    ) -> NodeResults:
        """Measure the rounds that are not done yet; each result is stored as soon as there is one.

        Raises:
            InvalidOption: The pair is no practice lab, or a setting is not possible on its hosts.
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
        """
        pair, part = discovery.pair, NODE_PARTS[request.part]
        self.refuse_node_study(pair)
        found = self.node_results(pair.name, request.part)
        if request.is_fresh:
            found = found.to_measure_afresh()
        kept = KeptStudy(found, self.results_file(pair.name, request.part), on_result)
        choices = [self._choice(discovery, setting) for setting in node_settings()]
        with self.in_use.hold((pair.a, pair.b), A_STUDY()):
            sessions = self.sessions(pair, token=token)
            lacking = missing_for_capture(sessions, discovery.facts)
            if lacking:
                raise InvalidOption(lacking)
            tunnels = DeployedTunnels.of_study(discovery, sessions, self.store.audit)
            if found.afresh:
                kept.store()
            NodeStudyRun(
                *(choices, part, found.done(), sessions, discovery.facts, tunnels, self.lab_service.guests(pair)),
                *(report, kept.keep, token),
            ).run()
        return kept.results

    def _choice(self, discovery: Discovery, setting: NodeSetting) -> NodeChoice:
        """Return adapters and suites of a setting; the tunnel's suite is the safe default, or the only one it has."""
        facts = discovery.facts[Side.A.value], discovery.facts[Side.B.value]
        carrier = self.adapters[setting.carrier]
        offered = carrier.suites(*facts)
        default = next((suite for name, suite in discovery.defaults if name == setting.carrier), None)
        suite = find_suite(carrier, *facts, default) if default is not None else next(iter(offered), None)
        if suite is None:
            why = discovery.unavailable.get(setting.carrier, NO_SAFE_SUITE())
            raise InvalidOption(NODE_SOLUTION_MISSING(title=setting.title, why=why))
        if setting.place is ProtectedPlace.NOWHERE:
            return NodeChoice(setting, carrier, suite, None)
        protection = self.node_protections[setting.protection]
        own = protection.suite(*facts, setting.suite)
        if own is None:
            why = discovery.unavailable.get(setting.protection, NO_SAFE_SUITE())
            raise InvalidOption(NODE_SOLUTION_MISSING(title=setting.title, why=why))
        nodes = ProtectedNodes(protection, own, setting.place)
        return NodeChoice(setting, protection.around(carrier, setting.place), suite, nodes)
