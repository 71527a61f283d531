"""Deployment on two made-up hosts, as the program's services do it, for tests of what is stored and reported."""

from __future__ import annotations

import time

import pytest

from app.deployment.choice import DeploymentChoice
from app.deployment.deploy import DeploymentContext, DeploymentRun, new_deployment
from app.deployment.events import Decision, DeploymentEvent
from app.deployment.operations import DeploymentOperations
from app.deployment.planning import Prepared
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.deployment import Deployment, DeploymentObstacle, DeploymentOptions, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.errors import ConnectionLost
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.verdicts import Verdict
from app.linting import masked_diff
from app.storage import Store
from support.deploy_world import World
from support.deployment_world import VPN, deployment_request, wait_until_watched
from support.made_up_vpn import SUITE, MadeUpVpn


class Answers:
    """A user who says this after some time.

    Args:
        decision: What; None says nothing.
    """

    def __init__(self, decision: Decision | None) -> None:
        self._decision = decision

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        time.sleep(min(timeout_s, 0.05))
        return self._decision


def deploy(
    world: World,
    store: Store,
    events: list[DeploymentEvent] | None = None,
    *,
    vpn: MadeUpVpn = VPN,
    options: DeploymentOptions | None = None,
    user: Answers | None = None,
    is_confirmed_before: bool = False,
    warnings: tuple[DeploymentObstacle, ...] = (),
) -> Deployment:
    """Deploy, replacing the hosts' present deployment.

    Args:
        world: The hosts.
        store: Where it is written down.
        events: Receives the events.
        vpn: The VPN that is deployed.
        options: What else is chosen.
        user: The user who is asked; None asks no one.
        is_confirmed_before: Whether it is done once more.
        warnings: What was found before.
    """
    request, place = deployment_request(world, vpn)
    store.save_pair(request.pair)
    choice = DeploymentChoice(vpn, SUITE, "Made up", Verdict.RECOMMENDED, ())
    prepared = Prepared(choice, options or DeploymentOptions(), world.sessions, request, place, {}, warnings)
    deployment = new_deployment(prepared, policy="p 1", version="0")
    run = DeploymentContext(store, world.sessions, ([] if events is None else events).append)
    return DeploymentRun(run, prepared, deployment).deploy(
        token=CancelToken(), confirmation=user, is_confirmed_before=is_confirmed_before
    )


def deploy_and_keep(world: World, store: Store) -> Deployment:
    """Deploy; the user is asked and confirms, and both hosts supervise it."""
    done = deploy(world, store, options=DeploymentOptions(confirm_within_s=30.0), user=Answers(Decision.CONFIRM))
    for host in world.hosts:
        wait_until_watched(host)
    return done


def save_facts(world: World, store: Store) -> None:
    """Write down what both hosts are, as a comparison does before."""
    for side, facts in zip(Side, (world.request.facts_a, world.request.facts_b), strict=True):
        store.save_snapshot("pair", side, facts)


class Operations(DeploymentOperations):
    """Operations on deployments of two made-up hosts, as far as confirming, ending and repairing need them."""

    def __init__(self, world: World, store: Store) -> None:
        super().__init__(
            store,
            adapters={},
            hosts=self,
            discover=lambda *_words: pytest.fail("nothing is discovered"),
            remember_consent=lambda _pair: None,
            guidelines=tuple,
            diffs=masked_diff,
            header=tuple,
            version=str,
        )
        self.world = world

    def host(self, spec: HostSpec, *, token: CancelToken) -> HostSession:
        host = next(one for one in self.world.hosts if one.spec.address == spec.address)
        if host.is_cut:
            raise ConnectionLost("It is away.")
        return host

    def pair(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        return self.world.sessions


def inspect(world: World, store: Store) -> PairStatus:
    """Return how the two hosts are now."""
    return Operations(world, store).status(world.request.pair, token=CancelToken())


def assert_next_contact_removes(world: World, store: Store) -> None:
    """Fail unless what one host alone still has of a deployment that was ending is seen, and removed."""
    seen = inspect(world, store)
    assert (seen.state, seen.can_be_repaired) == (DeploymentState.HALF_CONFIRMED, True)
    assert "removed from both" in seen.repair_text
    ended = Operations(world, store).repair(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    assert ended is not None
    assert ended.state is DeploymentState.REMOVED
    assert inspect(world, store).state is None
