"""The plan of a deployment: what was chosen, and what is built from it on hosts as they are now."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from app.deployment.boot_bundle import boot_bundle_dir
from app.deployment.choice import DeploymentChoice, choose
from app.deployment.deployment_steps import DeploymentSteps, suspend_step
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clamp import clamp_obstacles
from app.deployment.lan.guard_choice import guard_ports
from app.deployment.lan.ports import choose_ports, read_deployments
from app.deployment.messages import PARTS_IN_THE_WAY
from app.deployment.metered import metered_warnings
from app.deployment.slots import free_index, persistent_link, slot_dir, slot_of
from app.deployment.status import current_ids, read_slots
from app.deployment.transactions import DeploymentTarget
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, Purpose
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.deployment import Deployment, DeploymentObstacle, DeploymentOptions
from app.domain.errors import InputFault, PreflightRefused, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.messages.lists import enumerated
from app.host.inspection import inspect_host
from app.host.remote_host import new_id
from app.tunnel.lock_conflict import raise_if_held
from app.tunnel.openings import read_firewalls
from app.tunnel.plan import plan_of
from app.tunnel.preflight import remote_hosts
from app.tunnel.request import DeployRequest, ReplacedDeployment

_INDEX = re.compile(r"^tml(\d+)$")


@dataclass(frozen=True, slots=True)
class RequestedDeployment:
    """A deployment that was asked for, and what it is planned with.

    Attributes:
        discovery: What the pair can do.
        key: Solution and suite; an empty suite means the safe default.
        options: What else was chosen.
        adapters: By solution.
        guidelines: Ids of the guidelines that apply.
        known: Returns the pair's stored deployments.
        header: Comment lines for generated files.
    """

    discovery: Discovery
    key: tuple[str, str]
    options: DeploymentOptions
    adapters: Mapping[str, Adapter]
    guidelines: Collection[str]
    known: Callable[[], tuple[Deployment, ...]]
    header: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A deployment that could begin.

    Attributes:
        choice: What is deployed.
        options: What else was chosen.
        sessions: Connections to both hosts.
        request: What is built.
        target: Where it goes.
        bridging: What it is joined with, by side.
        warnings: What to know before.
    """

    choice: DeploymentChoice
    options: DeploymentOptions
    sessions: SessionPair
    request: DeployRequest
    target: DeploymentTarget
    bridging: Mapping[Side, Bridging]
    warnings: tuple[DeploymentObstacle, ...]


def plan_deployment(wanted: RequestedDeployment, connect: Callable[[], SessionPair], *, token: CancelToken) -> Prepared:
    """Choose what is deployed, read the deployments on the hosts, and return what is to be built. Nothing is changed.

    Args:
        connect: Connects to both hosts; called once it is known that the choice may be deployed.

    Raises:
        InvalidPlan: It is not offered, insecure, unprotected, or legacy without a reason.
        InvalidOption: An option is out of range, or a LAN port cannot be joined.
        PreflightRefused: There is no free slot.
        PairLocked: Another Tunnelmark works on a host, and what it has just made is in the way.
    """
    choice = choose(wanted.adapters, wanted.discovery, wanted.key, wanted.options, guidelines=wanted.guidelines)
    sessions = connect()
    known = wanted.known()
    pair = wanted.discovery.pair
    slot = slot_of(pair)
    while True:
        current = current_ids(sessions, slot, token=token)
        refusal: TunnelmarkError | None = None
        prepared: Prepared | None = None
        try:
            prepared = _prepare(sessions, wanted, choice, current, known, token=token)
        except (InputFault, PreflightRefused) as error:
            refusal = error
        if prepared is not None and not any(one.is_blocking for one in prepared.warnings):
            return prepared
        # What is in the way may be what another Tunnelmark is just making, or was making until now.
        raise_if_held(remote_hosts(sessions, STATE_DIR, pair.name), token=token)
        if current_ids(sessions, slot, token=token) != current:
            continue
        _refuse_damaged(sessions, pair, token=token)
        if prepared is not None:
            return prepared
        if refusal is not None:
            raise refusal


def _prepare(
    sessions: SessionPair,
    wanted: RequestedDeployment,
    choice: DeploymentChoice,
    current: Mapping[Side, str],
    known: tuple[Deployment, ...],
    *,
    token: CancelToken,
) -> Prepared:
    discovery, options = wanted.discovery, wanted.options
    pair = discovery.pair
    slot = slot_of(pair)
    deployment_id = new_id()
    index = _index(discovery, current, known)
    link = persistent_link(discovery.link, deployment_id, index, inner_a=options.inner_a, inner_b=options.inner_b)
    found = read_deployments(sessions, slot, current, token=token)
    replaced = found.replaced
    bridging, warnings = choose_ports(sessions, discovery, options, link, found, token=token)
    bridging, unguarded = guard_ports(sessions, discovery, options, link, bridging, token=token)
    request = DeployRequest(
        pair=pair,
        adapter=choice.adapter,
        suite=choice.suite,
        link=link,
        facts_a=discovery.a.facts,
        facts_b=discovery.b.facts,
        header=wanted.header,
        purpose=Purpose.DEPLOYMENT,
        keepalive=options.keepalive,
        state_dir=STATE_DIR,
        replaced={side: _room(side, slot, one, known) for side, one in replaced.items()},
        firewalls=read_firewalls(sessions, token=token),
        opens_firewalls=pair.may_open_firewall,
        extension=DeploymentSteps(boot_bundle_dir(STATE_DIR), bridging, options.fits_path_mtu),
    )
    unclamped: Iterable[DeploymentObstacle] = ()
    if options.fits_path_mtu:
        unclamped = clamp_obstacles(sessions, discovery, choice, plan_of(request), link, bridging, token=token)
    target = DeploymentTarget(deployment_id, slot, replaced)
    found_warnings = (*warnings, *unguarded, *unclamped, *metered_warnings(choice, request))
    return Prepared(choice, options, sessions, request, target, bridging, found_warnings)


def _room(side: Side, slot: str, deployment_id: str, known: tuple[Deployment, ...]) -> ReplacedDeployment:
    """Return what a replaced deployment has on a host, as far as it is stored here."""
    suspend = suspend_step(slot_dir(slot))
    for one in known:
        if one.id == deployment_id:
            return ReplacedDeployment(one.link, one.on(side).ports, suspend)
    return ReplacedDeployment(None, suspend=suspend)


def _refuse_damaged(sessions: SessionPair, pair: PairSpec, *, token: CancelToken) -> None:
    """Refuse where remains of an earlier deployment are in the way.

    Raises:
        PreflightRefused: Parts of a host's deployment are gone.
    """
    found = read_slots(sessions, slot_of(pair), token=token)
    damaged = [
        host.label
        for side, host in remote_hosts(sessions, STATE_DIR).items()
        # Files that another instance is just installing, or the host itself is removing, are no damage.
        if found[side].is_damaged and inspect_host(host, token=token).lock is None
    ]
    if damaged:
        raise PreflightRefused(
            PARTS_IN_THE_WAY(hosts=enumerated(damaged), pair=pair.name),
        )


def _index(discovery: Discovery, current: Mapping[Side, str], known: tuple[Deployment, ...]) -> int:
    """Return the slot's number: the present deployment's, so that ports which a firewall lets in do not change."""
    for deployment in known:
        match = _INDEX.match(deployment.link.names.ethernet_interface)
        if deployment.id in current.values() and match is not None:
            return int(match[1])
    return free_index((discovery.a.facts, discovery.b.facts))
