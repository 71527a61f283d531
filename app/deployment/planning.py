"""Validation of what may be deployed, and the plan that it is built from."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.deployment.boot_bundle import boot_bundle_dir
from app.deployment.deployment_steps import DeploymentSteps, suspend_step
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard_choice import guard_ports
from app.deployment.lan.ports import choose_ports, read_deployments
from app.deployment.slots import free_index, persistent_link, slot_dir, slot_of
from app.deployment.status import SlotState, read_current, read_slot
from app.deployment.transactions import DeploymentTarget
from app.discovery.candidates import find_candidates
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, Purpose, find_suite
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_both
from app.domain.declared import declared
from app.domain.deployment import (
    LONGEST_CONFIRM_S,
    MOST_BROADCASTS_PER_S,
    SHORTEST_CONFIRM_S,
    Deployment,
    RolloutObstacle,
    RolloutOptions,
)
from app.domain.errors import InputFault, InvalidOption, InvalidPlan, PreflightRefused, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.solutions import Suite
from app.domain.verdicts import Finding, Verdict, deciding_finding
from app.host.inspection import survey
from app.host.remote_host import new_id
from app.tunnel.lock_conflict import raise_if_held
from app.tunnel.openings import read_firewalls
from app.tunnel.preflight import remote_hosts
from app.tunnel.request import DeployRequest, ReplacedDeployment

NEVER_LASTING = {name: reason for one in declared().values() for name, reason in one.never_lasting.items()}
"""Algorithms that can be measured but never deployed, with the reason."""

_INDEX = re.compile(r"^tml(\d+)$")


@dataclass(frozen=True, slots=True)
class DeploymentChoice:
    """A requested deployment.

    Attributes:
        adapter: The VPN.
        suite: Its suite.
        title: Both for people.
        verdict: What the policy says of it.
        findings: Why.
    """

    adapter: Adapter
    suite: Suite
    title: str
    verdict: Verdict
    findings: tuple[Finding, ...]


def choose(
    adapters: Mapping[str, Adapter],
    discovery: Discovery,
    key: tuple[str, str],
    options: RolloutOptions,
    *,
    guidelines: Collection[str],
) -> DeploymentChoice:
    """Return what was chosen, if it may be deployed on a pair.

    Args:
        adapters: By solution.
        key: Solution and suite; an empty suite means the safe default.
        options: What else was chosen.
        guidelines: Ids of the guidelines that apply.

    Raises:
        InvalidPlan: It is not offered, insecure, unprotected, or legacy without a reason.
        InvalidOption: An option is out of range.
    """
    solution, suite_name = key
    adapter = adapters.get(solution)
    if adapter is None:
        raise InvalidPlan(f"There is no solution {solution}.", hint=f"Known: {', '.join(adapters)}.")
    facts = discovery.a.facts, discovery.b.facts
    if not suite_name:
        suite_name = next((suite.name for suite in adapter.suites(*facts) if suite.is_default), "")
    suite = find_suite(adapter, *facts, suite_name)
    if suite is None:
        why = discovery.unavailable.get(solution, "")
        offered = ", ".join(
            one.suite for one in discovery.candidates if one.solution == solution and not one.is_listed_only
        )
        raise InvalidPlan(
            f"Not offered for these hosts: {' '.join(filter(None, key))}.",
            hint=why or f"Suites of {solution} here: {offered}.",
        )
    candidates, _ = find_candidates({solution: adapter}, *facts, guidelines=guidelines)
    candidate = next(one for one in candidates if one.suite == suite.name)
    _check_verdict(candidate.title, candidate.verdict, candidate.findings, options)
    for name in suite.algorithms:
        if name in NEVER_LASTING:
            raise InvalidPlan(f"{candidate.title} is never deployed: {NEVER_LASTING[name]}")
    check_options(options)
    return DeploymentChoice(adapter, suite, candidate.title, candidate.verdict, candidate.findings)


def _check_verdict(title: str, verdict: Verdict, findings: tuple[Finding, ...], options: RolloutOptions) -> None:
    deciding = deciding_finding(findings)
    reason = f" {deciding.reason}" if deciding is not None and deciding.verdict is verdict else ""
    if verdict in (Verdict.INSECURE, Verdict.UNPROTECTED):
        raise InvalidPlan(
            f"{title} is {verdict} and is never deployed.{reason}",
            hint="It can be measured. Choose another suite to deploy.",
        )
    if verdict.needs_reason and not options.legacy_reason.strip():
        raise InvalidPlan(
            f"{title} is {verdict}: it is deployed only with a reason, which is stored.{reason}",
            hint="Say why: --reason 'for example: the old gateway knows nothing else until it is replaced in May'.",
        )


def check_options(options: RolloutOptions) -> None:
    """Refuse options that no pair of hosts could have; needs no host.

    Raises:
        InvalidOption: A number is out of range, addresses do not go together, or a LAN port is missing.
    """
    within_s = options.confirm_within_s
    if within_s is not None and not SHORTEST_CONFIRM_S <= within_s <= LONGEST_CONFIRM_S:
        raise InvalidOption(
            f"{within_s:g} s to confirm is out of range.",
            hint=f"Choose {SHORTEST_CONFIRM_S:g} to {LONGEST_CONFIRM_S:g} s.",
        )
    if not 0 <= options.broadcast_limit <= MOST_BROADCASTS_PER_S:
        raise InvalidOption(
            f"A limit of {options.broadcast_limit} broadcasts per second is out of range.",
            hint=f"Choose 1 to {MOST_BROADCASTS_PER_S}, or 0 for none.",
        )
    if (options.blocks_dhcp or options.blocks_router_advertisements) and not any(map(options.bridge, Side)):
        raise InvalidOption(
            "DHCP and router advertisements are blocked between joined LANs, and no LAN port is joined.",
            hint="Name the LAN ports too: --bridge A=PORT --bridge B=PORT",
        )
    inner = options.inner_a, options.inner_b
    if any(inner) and not all(inner):
        raise InvalidOption("Give an address in the tunnel for both hosts, or for none.")
    if all(inner):
        try:
            a, b = (ipaddress.IPv4Interface(text) for text in inner)
        except ValueError as error:
            raise InvalidOption(f"This is no IPv4 address with prefix length: {error}.") from error
        if a.network != b.network or a.ip == b.ip:
            raise InvalidOption(f"{a} and {b} must be two addresses of the same network.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A deployment that could begin.

    Attributes:
        request: What is built.
        place: Where it goes.
        bridging: What it is joined with, by side.
        warnings: What to know before.
    """

    request: DeployRequest
    place: DeploymentTarget
    bridging: Mapping[Side, Bridging]
    warnings: tuple[RolloutObstacle, ...]


def prepare(
    sessions: SessionPair,
    discovery: Discovery,
    choice: DeploymentChoice,
    options: RolloutOptions,
    *,
    known: tuple[Deployment, ...],
    header: tuple[str, ...],
    token: CancelToken,
) -> Prepared:
    """Read the deployments on the hosts, and return what is to be built. Nothing is changed.

    Args:
        choice: What is to be deployed.
        options: What else was chosen.
        known: Stored deployments of the pair.
        header: Comment lines for generated files.

    Raises:
        InvalidOption: A LAN port cannot be joined.
        PreflightRefused: There is no free place.
        PairLocked: Another Tunnelmark works on a host, and what it has just made is in the way.
    """
    slot = slot_of(discovery.pair)
    while True:
        current = current_ids(sessions, slot, token=token)
        refusal: TunnelmarkError | None = None
        prepared: Prepared | None = None
        try:
            prepared = _prepare(sessions, discovery, choice, options, current, known=known, header=header, token=token)
        except (InputFault, PreflightRefused) as error:
            refusal = error
        if prepared is not None and not any(one.is_blocking for one in prepared.warnings):
            return prepared
        # What is in the way may be what another Tunnelmark is just making, or was making until now.
        raise_if_held(remote_hosts(sessions, STATE_DIR, discovery.pair.name), token=token)
        if current_ids(sessions, slot, token=token) != current:
            continue
        _refuse_damaged(sessions, discovery.pair, token=token)
        if prepared is not None:
            return prepared
        if refusal is not None:
            raise refusal


def _prepare(
    sessions: SessionPair,
    discovery: Discovery,
    choice: DeploymentChoice,
    options: RolloutOptions,
    current: Mapping[Side, str],
    *,
    known: tuple[Deployment, ...],
    header: tuple[str, ...],
    token: CancelToken,
) -> Prepared:
    pair = discovery.pair
    slot = slot_of(pair)
    deployment_id = new_id()
    index = _index(discovery, current, known)
    link = persistent_link(discovery.link, deployment_id, index, inner_a=options.inner_a, inner_b=options.inner_b)
    standing = read_deployments(sessions, slot, current, token=token)
    replaced = standing.replaced
    bridging, warnings = choose_ports(sessions, discovery, options, link, standing, token=token)
    bridging, unguarded = guard_ports(sessions, discovery, options, link, bridging, token=token)
    request = DeployRequest(
        pair=pair,
        adapter=choice.adapter,
        suite=choice.suite,
        link=link,
        facts_a=discovery.a.facts,
        facts_b=discovery.b.facts,
        header=header,
        purpose=Purpose.LASTING,
        state_dir=STATE_DIR,
        replaced={side: _room(side, slot, one, known) for side, one in replaced.items()},
        firewalls=read_firewalls(sessions, token=token),
        opens_firewalls=pair.may_open_firewall,
        extension=DeploymentSteps(boot_bundle_dir(STATE_DIR), bridging),
    )
    return Prepared(request, DeploymentTarget(deployment_id, slot, replaced), bridging, (*warnings, *unguarded))


def _room(side: Side, slot: str, deployment_id: str, known: tuple[Deployment, ...]) -> ReplacedDeployment:
    """Return what a replaced deployment has on a host, as far as it is stored here."""
    suspend = suspend_step(slot_dir(slot))
    for one in known:
        if one.id == deployment_id:
            return ReplacedDeployment(one.link, one.end(side).ports, suspend)
    return ReplacedDeployment(None, suspend=suspend)


def read_places(sessions: SessionPair, slot: str, *, token: CancelToken) -> dict[Side, SlotState]:
    """Say what is in a place of both hosts."""
    ends = remote_hosts(sessions, STATE_DIR)
    a, b = run_both(
        lambda: read_slot(ends[Side.A], slot, token=token), lambda: read_slot(ends[Side.B], slot, token=token)
    )
    return {Side.A: a, Side.B: b}


def _refuse_damaged(sessions: SessionPair, pair: PairSpec, *, token: CancelToken) -> None:
    """Refuse where remains of an earlier deployment are in the way.

    Raises:
        PreflightRefused: Parts of a host's deployment are gone.
    """
    places = read_places(sessions, slot_of(pair), token=token)
    damaged = [
        end.label
        for side, end in remote_hosts(sessions, STATE_DIR).items()
        # Files that another instance is just installing, or the host itself is removing, are no damage.
        if places[side].is_damaged and survey(end, token=token).lock is None
    ]
    if damaged:
        raise PreflightRefused(
            f"Parts of the deployment on {' and '.join(damaged)} are gone, and what is left is in the way.",
            hint=f"Remove it first: tunnelmark undeploy {pair.name}",
        )


def current_ids(sessions: SessionPair, slot: str, *, token: CancelToken) -> dict[Side, str]:
    """Return what is confirmed in a place of both hosts; empty where nothing is."""
    ends = remote_hosts(sessions, STATE_DIR)
    a, b = run_both(
        lambda: read_current(ends[Side.A], slot, token=token), lambda: read_current(ends[Side.B], slot, token=token)
    )
    return {Side.A: a, Side.B: b}


def _index(discovery: Discovery, current: Mapping[Side, str], known: tuple[Deployment, ...]) -> int:
    """Return the slot's number: the present deployment's, so that ports which a firewall lets in do not change."""
    for deployment in known:
        match = _INDEX.match(deployment.link.names.ethernet_interface)
        if deployment.id in current.values() and match is not None:
            return int(match[1])
    return free_index((discovery.a.facts, discovery.b.facts))
