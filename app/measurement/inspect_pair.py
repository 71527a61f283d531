"""Inspection of a pair before a comparison: hosts, the path between them, firewalls, candidates. Changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from app.discovery import discover_pair, find_link
from app.discovery.candidates import assess_pair
from app.discovery.find_link import with_measured_mtu
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.conditions import Condition
from app.domain.errors import InvalidPlan, ProbeFailed
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.messages import sentences
from app.domain.progress import ProgressSink
from app.domain.results import PlannedItem
from app.measurement.comparison.workload_needs import needed_programs
from app.measurement.firewalls import blocked_solutions, read_if_allowed
from app.measurement.messages import INSPECTING_HOSTS, MEASURING_PATH, MTU_NOT_PROBED, NOT_OFFERED, ON_HOST
from app.policy.file_header import file_header
from app.probes import probe_path_mtu
from app.probes.workloads import listening_of
from app.storage import Store
from app.tunnel import DeployRequest, preflight, preview


def inspect_pair(
    pair: PairSpec,
    sessions: SessionPair,
    adapters: Mapping[str, Adapter],
    store: Store,
    *,
    guidelines: Collection[str],
    token: CancelToken,
    on_progress: ProgressSink,
) -> Discovery:
    """Find out what both hosts can do; what was found on them is stored."""
    on_progress(INSPECTING_HOSTS(), None)
    facts_a, facts_b = discover_pair(sessions, adapters, token=token, programs=needed_programs())
    try:
        on_progress(MEASURING_PATH(), None)
        link = find_link(facts_a, facts_b, pair.underlay_a, pair.underlay_b)
        # Replies may be fragmented, so that each direction is measured by its sender.
        facts_a = _with_path_mtu(facts_a, sessions.a, link.underlay_b, token=token, on_progress=on_progress)
        facts_b = _with_path_mtu(facts_b, sessions.b, link.underlay_a, token=token, on_progress=on_progress)
    finally:
        store.save_snapshot(pair.name, Side.A, facts_a)
        store.save_snapshot(pair.name, Side.B, facts_b)
    link, is_mtu_probed = with_measured_mtu(link, facts_a, facts_b)
    found = assess_pair(pair, facts_a, facts_b, link, adapters, guidelines=guidelines)
    firewalls = read_if_allowed(sessions, token=token)
    blocked = blocked_solutions(adapters, pair, link, {Side.A: facts_a, Side.B: facts_b}, firewalls)
    return replace(found, blocked=blocked, firewalls=firewalls, is_mtu_probed=is_mtu_probed)


def _with_path_mtu(
    facts: HostFacts, session: HostSession, peer: str, *, token: CancelToken, on_progress: ProgressSink
) -> HostFacts:
    """Return a host's facts with the MTU of the path to its peer, where it can be measured."""
    try:
        mtu_bytes = probe_path_mtu(session, peer, token=token)
    except ProbeFailed as error:
        # BusyBox's ping cannot forbid fragments: then the interface's MTU has to do.
        on_progress(MTU_NOT_PROBED(why=error.message), None)
        return facts
    return replace(facts, path_mtus={peer: mtu_bytes})


def request_for(
    adapters: Mapping[str, Adapter], found: Discovery, key: tuple[str, str], workloads: Collection[str] = ()
) -> DeployRequest:
    """Return what is built for a candidate (solution, suite) while it and these workloads are measured.

    Raises:
        InvalidPlan: It is not offered for these hosts.
    """
    adapter = adapters.get(key[0])
    suite = find_suite(adapter, found.a.facts, found.b.facts, key[1]) if adapter else None
    if adapter is None or suite is None:
        raise InvalidPlan(NOT_OFFERED(suites=" ".join(key)))
    return DeployRequest(
        pair=found.pair,
        adapter=adapter,
        suite=suite,
        link=found.link,
        facts_a=found.a.facts,
        facts_b=found.b.facts,
        header=file_header(),
        firewalls=found.firewalls,
        opens_firewalls=found.pair.may_open_firewall,
        listening=listening_of(workloads),
    )


def preview_candidate(
    adapters: Mapping[str, Adapter],
    found: Discovery,
    key: tuple[str, str],
    condition: Condition | None,
    workloads: Collection[str] = (),
) -> tuple[PlannedItem, ...]:
    """Return every file and command for a candidate, with those that make the condition of the link on own hosts.

    The link of a practice lab is conditioned outside its hosts.

    Raises:
        InvalidPlan: It is not offered for these hosts.
    """
    shaping = None if found.pair.is_lab else condition
    return preview(replace(request_for(adapters, found, key, workloads), shaping=shaping))


def obstacles_of(
    adapters: Mapping[str, Adapter],
    found: Discovery,
    keys: Collection[tuple[str, str]],
    sessions: SessionPair,
    *,
    workloads: Collection[str] = (),
    token: CancelToken,
) -> tuple[str, ...]:
    """Return what is in the way of candidates and workloads, each as a sentence that names its host, once."""
    requests = (request_for(adapters, found, key, workloads) for key in keys)
    obstacles = (one for request in requests for one in preflight(sessions, request, token=token))
    return tuple(
        dict.fromkeys(
            ON_HOST(host=found.pair.host(one.side).label, what=sentences((one.what, one.hint))) for one in obstacles
        )
    )
