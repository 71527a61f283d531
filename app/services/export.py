"""Taking a pair's configuration along: what is known of the pair, what was chosen, where it is written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.deployment.lan.interfaces import choose_bridging, lan_interfaces
from app.deployment.planning import choose
from app.deployment.slots import PLACES, free_index, persistent_names
from app.discovery import find_link
from app.discovery.candidates import find_candidates, look_at, unavailable_solutions
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import RolloutOptions
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.progress import ProgressSink
from app.domain.verdicts import by_weight
from app.domain.version import tunnelmark_version
from app.export.ansible import ansible_files
from app.export.bundle import Bundle, make_bundle
from app.export.by_hand import by_hand_files, readme
from app.export.request import ExportRequest
from app.export.tree import TreeFile, check_slot, write_tree
from app.policy.file_header import file_header
from app.services.wiring import Services

FORMATS = ("files", "ansible")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Request for an export: content and folder.

    Attributes:
        solution: The VPN.
        suite: Name of its suite; empty for the safe default.
        rollout: LAN ports, addresses, why a legacy suite is used.
        place: The folder.
        formats: Sub-folders, any of FORMATS.
        may_replace: Whether an earlier export there may be replaced.
        is_live: Whether the hosts are inspected even if they were before.
    """

    solution: str
    suite: str
    rollout: RolloutOptions
    place: Path
    formats: Sequence[str] = FORMATS
    may_replace: bool = False
    is_live: bool = False


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


def export_config(
    services: Services, pair: PairSpec, options: ExportOptions, *, token: CancelToken, on_progress: ProgressSink
) -> Exported:
    """Write everything for a pair into a folder; hosts that were inspected before are not asked.

    Raises:
        InvalidPlan, InvalidOption: It cannot or must not be exported, or not be written there.
        DiskFull, InvalidFile: It cannot be written; nothing of it has been left there.
        TunnelmarkError: The hosts had to be inspected and could not be.
    """
    place = options.place.expanduser().absolute()
    check_slot(place, may_replace=options.may_replace)
    stored = None if options.is_live else stored_discovery(services, pair)
    discovery = stored or services.discover(pair, token=token, on_progress=on_progress)
    bridges = frozenset[Side]() if stored else _standing_bridges(services, discovery, options.rollout, token=token)
    on_progress("Writing", None)
    bundle = make_bundle(_request(services, discovery, options, is_stored=stored is not None, bridges=bridges))
    write_tree(place, tree_of(bundle, options.formats), may_replace=options.may_replace)
    return Exported(place, bundle.request.title, bundle.request.facts_from)


def tree_of(bundle: Bundle, formats: Sequence[str]) -> tuple[TreeFile, ...]:
    """Return every file of the folder."""
    files = [TreeFile("README.txt", readme(bundle, tuple(formats)))]
    if "files" in formats:
        files += by_hand_files(bundle)
    if "ansible" in formats:
        files += ansible_files(bundle)
    return tuple(files)


def stored_discovery(services: Services, pair: PairSpec) -> Discovery | None:
    """Return what was last found on a pair, without asking any host; None where nothing is stored of one of them."""
    facts_a = services.store.latest_snapshot(pair.name, Side.A)
    facts_b = services.store.latest_snapshot(pair.name, Side.B)
    if facts_a is None or facts_b is None:
        return None
    adapters = services.adapters
    candidates, defaults = find_candidates(adapters, facts_a, facts_b, guidelines=services.settings().guidelines)
    return Discovery(
        pair=pair,
        a=look_at(Side.A, facts_a),
        b=look_at(Side.B, facts_b),
        link=find_link(facts_a, facts_b, pair.underlay_a, pair.underlay_b),
        clock_difference_ms=facts_b.clock_offset_ms - facts_a.clock_offset_ms,
        candidates=candidates,
        defaults=defaults,
        solutions={name: adapter.info for name, adapter in adapters.items()},
        unavailable=unavailable_solutions(adapters, candidates, facts_a, facts_b),
    )


def _request(
    services: Services, discovery: Discovery, options: ExportOptions, *, is_stored: bool, bridges: frozenset[Side]
) -> ExportRequest:
    choice = choose(
        services.adapters,
        discovery,
        (options.solution, options.suite),
        options.rollout,
        guidelines=services.settings().guidelines,
    )
    return ExportRequest(
        pair=discovery.pair,
        adapter=choice.adapter,
        suite=choice.suite,
        link=discovery.link,
        facts_a=discovery.a.facts,
        facts_b=discovery.b.facts,
        options=options.rollout,
        verdict=choice.verdict,
        findings=by_weight(choice.findings),
        facts_from=_facts_from(discovery, is_stored=is_stored),
        index=_index(services, discovery),
        header=file_header(),
        version=tunnelmark_version(),
        standing_bridges=bridges,
    )


def _index(services: Services, discovery: Discovery) -> int:
    """Return the slot's number: the present deployment's, so that ports which a firewall lets in do not change."""
    for deployment in services.store.list_deployments(discovery.pair.name):
        if deployment.state.is_standing:
            interface = deployment.link.names.ethernet_interface
            return next(index for index in range(PLACES) if persistent_names(index).ethernet_interface == interface)
    return free_index((discovery.a.facts, discovery.b.facts))


def _facts_from(discovery: Discovery, *, is_stored: bool) -> str:
    if not is_stored:
        return f"The hosts were inspected for it, on {datetime.now(UTC):%Y-%m-%d at %H:%M} UTC."
    oldest = min(discovery.a.facts.collected_at, discovery.b.facts.collected_at)
    return (
        f"It rests on what was found on the hosts on {oldest.astimezone(UTC):%Y-%m-%d at %H:%M} UTC; "
        "they were not asked again."
    )


def _standing_bridges(
    services: Services, discovery: Discovery, options: RolloutOptions, *, token: CancelToken
) -> frozenset[Side]:
    """Return where the chosen interface is a bridge already; refuses what may not be joined."""
    if not any(options.bridge(side) for side in Side):
        return frozenset()
    pair, sessions = discovery.pair, services.sessions(discovery.pair, token=token)
    found: set[Side] = set()
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        name = options.bridge(side)
        if name:
            interfaces = lan_interfaces(session, check.facts, pair.underlay(side), token=token)
            bridging, _ = choose_bridging(interfaces, name, "", pair.host(side).label)
            if bridging.client:
                raise InvalidOption(
                    f"{name} on {pair.host(side).label} has its address from a DHCP server, and what is exported does "
                    "not move its client.",
                    hint="Deploy with tunnelmark deploy, or make the address static.",
                )
            if bridging.bridge == name:
                found.add(side)
    return frozenset(found)
