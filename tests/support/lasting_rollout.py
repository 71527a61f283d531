"""Deployment on two made-up hosts, as the program's services do it, for tests of what is stored and reported."""

from __future__ import annotations

import time

import pytest

from app.deployment.deploy import Rollout, RolloutRun, new_deployment
from app.deployment.events import Decision, RolloutEvent
from app.deployment.operations import DeploymentOperations
from app.deployment.planning import DeploymentChoice, Prepared
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.deployment import Deployment, DeploymentState, RolloutObstacle, RolloutOptions
from app.domain.deployment_status import PairStatus
from app.domain.errors import ConnectionLost
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.verdicts import Verdict
from app.linting import masked_diff
from app.storage import Store
from support.deploy_world import World
from support.lasting_world import VPN, lasting_request, wait_until_watched
from support.made_up_vpn import SUITE, MadeUpVpn


class Says:
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
    events: list[RolloutEvent] | None = None,
    *,
    vpn: MadeUpVpn = VPN,
    options: RolloutOptions | None = None,
    user: Says | None = None,
    is_confirmed_before: bool = False,
    warnings: tuple[RolloutObstacle, ...] = (),
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
    request, place = lasting_request(world, vpn)
    store.save_pair(request.pair)
    prepared = Prepared(request, place, {}, warnings)
    choice = DeploymentChoice(vpn, SUITE, "Made up", Verdict.RECOMMENDED, ())
    deployment = new_deployment(prepared, choice, options or RolloutOptions(), policy="p 1", version="0")
    run = RolloutRun(store, world.sessions, ([] if events is None else events).append)
    return Rollout(run, prepared, deployment).deploy(
        token=CancelToken(), confirmation=user, is_confirmed_before=is_confirmed_before
    )


def deploy_and_keep(world: World, store: Store) -> Deployment:
    """Deploy; the user is asked and confirms, and both hosts supervise it."""
    done = deploy(world, store, options=RolloutOptions(confirm_within_s=30.0), user=Says(Decision.KEEP))
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


def look(world: World, store: Store) -> PairStatus:
    """Return how the two hosts are now."""
    return Operations(world, store).status(world.request.pair, token=CancelToken())


def assert_next_contact_takes_back(world: World, store: Store) -> None:
    """Fail unless what one host alone still has of a deployment that was ending is seen, and removed."""
    seen = look(world, store)
    assert (seen.state, seen.can_be_repaired) == (DeploymentState.HALF_CONFIRMED, True)
    assert "removed from both" in seen.repair_text
    ended = Operations(world, store).repair(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    assert ended is not None
    assert ended.state is DeploymentState.UNDONE
    assert look(world, store).state is None
