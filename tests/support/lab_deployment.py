"""Deployment on two hosts, through everything that the command line uses as well."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.deployment.events import DeploymentEvent
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.paths import Paths
from app.host.snapshots import SnapshotDepth
from app.lab import Lab
from app.services.wiring import Services
from support.bare_tunnel import ping
from support.lab_deploy import inspect, wait_until_as_before
from support.lab_sessions import sh, until_answered

ADDRESSES = {Side.A: "10.77.0.1", Side.B: "10.77.0.2"}
TAGGED = {Side.A: "10.78.0.1", Side.B: "10.78.0.2"}
"""Addresses of the same two hosts in their LANs, in VLAN 7."""

# A LAN behind a gateway: one host, in a network namespace, joined by a cable with the gateway's port lan0.
MAKE_LAN = """
ip netns add plant
ip link add lan0 type veth peer name port netns plant
ip link set lan0 up
ip -n plant addr add {address}/24 dev port
ip -n plant link set port up
ip -n plant link set lo up
ip -n plant link add link port name tagged type vlan id 7
ip -n plant addr add {tagged}/24 dev tagged
ip -n plant link set tagged up
"""
REMOVE_LAN = "ip link del lan0 2> /dev/null; ip netns del plant"


@dataclass
class Desk:
    """A user who deploys on a pair.

    Attributes:
        services: All of it.
        pair: The pair.
        found: What was found on it.
        events: The events so far.
    """

    services: Services
    pair: PairSpec
    found: Discovery
    events: list[DeploymentEvent] = field(default_factory=list)

    @property
    def sessions(self) -> SessionPair:
        return self.services.sessions(self.pair, token=CancelToken())

    def host(self, side: Side) -> HostSession:
        return self.sessions.a if side is Side.A else self.sessions.b

    def deploy(self, solution: str, options: DeploymentOptions | None = None, suite: str = "") -> Deployment:
        return self.services.deploy(
            self.found, (solution, suite), options or DeploymentOptions(), token=CancelToken(), emit=self.events.append
        )

    def undeploy(self) -> Deployment:
        return self.services.undeploy(self.pair, token=CancelToken(), emit=self.events.append)

    def status(self) -> PairStatus:
        return self.services.status(self.pair, token=CancelToken())

    def wait_until_healthy(self, timeout_s: float = 300.0) -> float:
        """Wait until the tunnel is up, watched and unchanged on both hosts; return how long that took, in seconds."""
        started_s = time.monotonic()
        reported = ""
        while True:
            try:
                status = self.status()
                if status.is_healthy:
                    return time.monotonic() - started_s
                reported = f"{status.state} {status.sentences} {status.a} {status.b}"
            except TunnelmarkError as error:
                reported = error.sentence()
            assert time.monotonic() - started_s < timeout_s, reported
            CancelToken().sleep(0.5)


@contextmanager
def desk_for(where: Lab | PairSpec, folder: Path, user: str = "root") -> Iterator[Desk]:
    """Log in to a pair and inspect it."""
    pair = where if isinstance(where, PairSpec) else where.pair
    pair = replace(pair, a=replace(pair.a, user=user), b=replace(pair.b, user=user))
    services = Services(prompts=None, paths=Paths(folder, folder / "labs", folder / "cache"))
    try:
        found = services.discover(pair, token=CancelToken(), on_progress=lambda _text, _share: None)
        yield Desk(services, pair, found)
    finally:
        services.close()


@contextmanager
def lans(desk: Desk) -> Iterator[None]:
    """Put a LAN with one host behind each gateway."""
    for side in Side:
        sh(desk.host(side), MAKE_LAN.format(address=ADDRESSES[side], tagged=TAGGED[side]))
    try:
        yield
    finally:
        for side in Side:
            sh(desk.host(side), REMOVE_LAN)


def ping_from_lan(desk: Desk, side: Side, *options: str, is_tagged: bool = False, tries: int = 60) -> bool:
    """Return whether the host in the LAN behind one gateway reaches the one behind the other."""
    address = (TAGGED if is_tagged else ADDRESSES)[side.other]
    pings = until_answered(address, *options, tries=tries)
    return sh(desk.host(side), f"ip netns exec plant sh -c '{pings}' && echo crossed || true").strip() == "crossed"


def check_daemon_comes_back(desk: Desk, solution: str) -> None:
    """Roll a VPN out, kill its daemon on A, see it come back, and remove it without a trace."""
    before = inspect(desk.sessions, SnapshotDepth.THOROUGH)
    deployment = desk.deploy(solution)
    try:
        assert deployment.state is DeploymentState.CONFIRMED
        desk.wait_until_healthy()
        killed = sh(desk.host(Side.A), f"pkill -KILL -x {solution.partition('-')[0]}; echo $?").strip()
        assert killed == "0", "there was no daemon"
        desk.wait_until_healthy()
        assert desk.status().a.restarts >= 1
        assert ping(desk.host(Side.A), deployment.link.inner_ip(Side.B)) >= 10
    finally:
        desk.undeploy()
    wait_until_as_before(desk.sessions, before)
