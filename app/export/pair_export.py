"""Export of a pair's configuration: what is known of the pair, what was chosen, where it is written to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from app.deployment.choice import choose
from app.deployment.lan.interfaces import choose_bridging, lan_interfaces
from app.deployment.slots import SLOTS, free_index, persistent_names
from app.discovery import find_link
from app.discovery.candidates import assess_pair
from app.discovery.find_link import with_measured_mtu
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.messages import MessageForm, mark
from app.domain.progress import ProgressSink
from app.domain.verdicts import by_weight
from app.domain.version import tunnelmark_version
from app.export.ansible import ansible_files
from app.export.bundle import Bundle, make_bundle
from app.export.by_hand import by_hand_files, readme
from app.export.messages import FACTS_OF_NOW, FACTS_STORED, PORT_HAS_DHCP
from app.export.path_fit import path_of
from app.export.request import ExportRequest, default_suite
from app.export.tree import TreeFile, check_slot, write_tree
from app.policy.file_header import file_header
from app.storage import Store

FORMATS = ("files", "ansible")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Request for an export: content and folder.

    Attributes:
        solution: The VPN.
        suite: Name of its suite; empty for the safe default.
        deployment_options: LAN ports, addresses, why a legacy suite is used.
        place: The folder.
        formats: Sub-folders, any of FORMATS.
        may_replace: Whether an earlier export there may be replaced.
        is_live: Whether the hosts are inspected even if they were before.
        path_mtu_bytes: MTU of the path between the hosts as the user gave it; None: as it was measured.
    """

    solution: str
    suite: str
    deployment_options: DeploymentOptions
    place: Path
    formats: Sequence[str] = FORMATS
    may_replace: bool = False
    is_live: bool = False
    path_mtu_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """A written export.

    Attributes:
        place: The folder.
        title: Solution and suite for people.
        facts_from: Source of the facts about the hosts, as a sentence.
    """

    place: Path
    title: str
    facts_from: str


@dataclass(frozen=True, slots=True)
class PairExport:
    """Export of a pair's configuration.

    Attributes:
        store: What is known of hosts and deployments.
        adapters: By solution.
        guidelines: Ids of the guidelines that apply.
        discover: Inspects both hosts.
        sessions: Connects to both hosts.
    """

    store: Store
    adapters: Mapping[str, Adapter]
    guidelines: tuple[str, ...]
    discover: Callable[[], Discovery]
    sessions: Callable[[], SessionPair]

    def write(
        self, pair: PairSpec, options: ExportOptions, *, token: CancelToken, on_progress: ProgressSink
    ) -> Exported:
        """Write everything for a pair into a folder; hosts that were inspected before are not asked.

        Raises:
            InvalidPlan, InvalidOption: It cannot or must not be exported, or not be written there.
            DiskFull, InvalidFile: It cannot be written; nothing of it has been left there.
            TunnelmarkError: The hosts had to be inspected and could not be.
        """
        place = options.place.expanduser().absolute()
        check_slot(place, may_replace=options.may_replace)
        stored = None if options.is_live else self._stored(pair)
        discovery = stored or self.discover()
        bridges = frozenset[Side]() if stored else self._present_bridges(discovery, options.deployment_options, token)
        on_progress(mark("Writing"), None)
        bundle = make_bundle(self._request(discovery, options, is_stored=stored is not None, bridges=bridges))
        write_tree(place, _tree(bundle, options.formats), may_replace=options.may_replace)
        return Exported(place, bundle.request.title, bundle.request.facts_from)

    def _stored(self, pair: PairSpec) -> Discovery | None:
        """Return what was last found on a pair, without asking any host; None where a host was never inspected."""
        facts_a = self.store.latest_snapshot(pair.name, Side.A)
        facts_b = self.store.latest_snapshot(pair.name, Side.B)
        if facts_a is None or facts_b is None:
            return None
        link = find_link(facts_a, facts_b, pair.underlay_a, pair.underlay_b)
        link, is_mtu_probed = with_measured_mtu(link, facts_a, facts_b)
        found = assess_pair(pair, facts_a, facts_b, link, self.adapters, guidelines=self.guidelines)
        return replace(found, is_mtu_probed=is_mtu_probed)

    def _request(
        self, discovery: Discovery, options: ExportOptions, *, is_stored: bool, bridges: frozenset[Side]
    ) -> ExportRequest:
        link, path_from = path_of(discovery, options.path_mtu_bytes)
        facts_a, facts_b = discovery.a.facts, discovery.b.facts
        adapter, suite = self.adapters.get(options.solution), options.suite
        if adapter is not None and not suite:
            default = default_suite(adapter, link, facts_a, facts_b)
            suite = default.name if default is not None else ""
        key = (options.solution, suite)
        choice = choose(self.adapters, discovery, key, options.deployment_options, guidelines=self.guidelines)
        return ExportRequest(
            pair=discovery.pair,
            adapter=choice.adapter,
            suite=choice.suite,
            link=link,
            facts_a=facts_a,
            facts_b=facts_b,
            options=options.deployment_options,
            verdict=choice.verdict,
            findings=by_weight(choice.findings),
            facts_from=_facts_from(discovery, is_stored=is_stored),
            index=self._index(discovery),
            header=file_header(),
            version=tunnelmark_version(),
            present_bridges=bridges,
            path_from=path_from,
        )

    def _index(self, discovery: Discovery) -> int:
        """Return the slot's number: the present deployment's, so that ports which a firewall lets in do not change."""
        for deployment in self.store.list_deployments(discovery.pair.name):
            if deployment.state.is_on_host:
                interface = deployment.link.names.ethernet_interface
                return next(index for index in range(SLOTS) if persistent_names(index).ethernet_interface == interface)
        return free_index((discovery.a.facts, discovery.b.facts))

    def _present_bridges(self, discovery: Discovery, options: DeploymentOptions, token: CancelToken) -> frozenset[Side]:
        """Return where the chosen interface is a bridge already; refuses what may not be joined."""
        if not any(options.bridge(side) for side in Side):
            return frozenset()
        pair, sessions = discovery.pair, self.sessions()
        found: set[Side] = set()
        for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
            name = options.bridge(side)
            if name:
                interfaces = lan_interfaces(session, check.facts, pair.underlay(side), token=token)
                bridging, _ = choose_bridging(interfaces, name, "", pair.host(side).label)
                if bridging.client:
                    raise InvalidOption(
                        PORT_HAS_DHCP(port=name, host=pair.host(side).label),
                    )
                if bridging.bridge == name:
                    found.add(side)
        return frozenset(found)


def _tree(bundle: Bundle, formats: Sequence[str]) -> tuple[TreeFile, ...]:
    """Return every file of the folder."""
    files = [TreeFile("README.txt", readme(bundle, tuple(formats)))]
    if "files" in formats:
        files += by_hand_files(bundle)
    if "ansible" in formats:
        files += ansible_files(bundle)
    return tuple(files)


def _facts_from(discovery: Discovery, *, is_stored: bool) -> str:
    if not is_stored:
        return _dated(FACTS_OF_NOW, datetime.now(UTC))
    oldest = min(discovery.a.facts.collected_at, discovery.b.facts.collected_at)
    return _dated(FACTS_STORED, oldest.astimezone(UTC))


def _dated(form: MessageForm, moment: datetime) -> str:
    return form(day=f"{moment:%Y-%m-%d}", time=f"{moment:%H:%M}")
