"""A deployment: what is asked for, what would be done, what was done.

How it is now is in `deployment_status`, what is reported meanwhile in `app.deployment.events`.

Texts that come from a host are untrusted. No secret is in any of these values: a file that holds one is known by its
path, mode and checksum alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain.hosts import PairSpec, Side
from app.domain.injection import PropertyResult
from app.domain.keepalive import Keepalive
from app.domain.link import Link
from app.domain.messages import sentences
from app.domain.messages.results import DEPLOYMENT_LAPSED
from app.domain.results import PlannedItem
from app.domain.verdicts import Finding, Verdict

CONFIRM_WITHIN_S = 120.0
"""Seconds that a user has by default to confirm a deployment."""
SHORTEST_CONFIRM_S, LONGEST_CONFIRM_S = 20.0, 3600.0
BROADCASTS_PER_S, MOST_BROADCASTS_PER_S = 1000, 1_000_000
"""Broadcast frames per second that cross between joined LANs by default, and the highest limit."""


class DeploymentState(StrEnum):
    """State of a deployment."""

    PREPARED = "prepared"  # written down here; work on the hosts may have begun; they roll back by themselves
    APPLIED = "applied"  # active on both hosts and frames cross; both roll back unless it is confirmed in time
    CONFIRMED = "confirmed"  # remains, also after a restart of the hosts
    HALF_CONFIRMED = "half-confirmed"  # confirmed on one host, rolled back on the other: can be repaired
    REPLACED = "replaced"  # another deployment took its place
    REMOVED = "undone"  # removed on request
    FAILED = "failed"  # could not be applied, verified or confirmed; both hosts are as they were before

    @property
    def is_on_host(self) -> bool:
        """Whether something of it is on a host."""
        return self in (DeploymentState.APPLIED, DeploymentState.CONFIRMED, DeploymentState.HALF_CONFIRMED)

    @property
    def is_kept(self) -> bool:
        """Whether it was confirmed and a host keeps it: the next deployment in its slot replaces it."""
        return self in (DeploymentState.CONFIRMED, DeploymentState.HALF_CONFIRMED)


@dataclass(frozen=True, slots=True)
class DeploymentOptions:
    """Choices of the user besides pair, solution and suite.

    Attributes:
        bridge_a: A's LAN port (or bridge) that is joined with the tunnel; empty: the tunnel has an address instead.
        bridge_b: The same for B.
        inner_a: A's address in the tunnel, with prefix length; empty: the one from Tunnelmark's table.
        inner_b: The same for B.
        confirm_within_s: For how many seconds it is waited for the user's confirmation; None: Tunnelmark confirms by
            itself once everything has been proven; what could not be proven waits for the user all the same.
        legacy_reason: Why a suite is used whose design is outdated; empty where it is not.
        moves_lan_rules: Whether firewall rules that name a LAN port are added for its bridge while it is joined.
        broadcast_limit: Broadcast frames per second that cross between joined LANs in each direction; 0: any number.
        blocks_dhcp: Whether DHCP and DHCPv6 do not cross between joined LANs.
        blocks_router_advertisements: Whether IPv6 router advertisements do not cross between joined LANs.
        fits_path_mtu: Whether TCP's MSS is clamped, so that no segment through the tunnel is fragmented outside, and
            the MTU set where no LAN is joined.
        keepalive: How often the idle tunnel sends something.
    """

    bridge_a: str = ""
    bridge_b: str = ""
    inner_a: str = ""
    inner_b: str = ""
    confirm_within_s: float | None = None
    legacy_reason: str = ""
    moves_lan_rules: bool = False
    broadcast_limit: int = BROADCASTS_PER_S
    blocks_dhcp: bool = False
    blocks_router_advertisements: bool = False
    fits_path_mtu: bool = False
    keepalive: Keepalive = Keepalive.WIRED

    def bridge(self, side: Side) -> str:
        """Return the LAN port on one side; empty where there is none."""
        return self.bridge_a if side is Side.A else self.bridge_b


@dataclass(frozen=True, slots=True)
class DeployedFile:
    """A file of a deployment as it was put on a host.

    Attributes:
        path: Absolute path.
        mode: Permission bits.
        sha256: Hexadecimal checksum of its content.
        text: Its content.
    """

    path: str
    mode: int
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class DeployedEndpoint:
    """A deployment on one host.

    Attributes:
        items: Every file and command with its undo, in the order in which they are done.
        files: The adapter's configuration files.
        interface: The interface that carries the Ethernet frames.
        bridge: The bridge it is in; empty where it is in none.
        lan_port: The LAN port that is joined with it; empty where there is none.
        ports: (protocol, port) that must be reachable from the peer, for example ("udp", 21820); the port is 0 for a
            protocol without ports (`esp`, `l2tp`).
        services: Services that start it when the host starts.
        clamped: To what TCP's MSS is clamped and the MTU set, as a sentence; empty where nothing is.
    """

    items: tuple[PlannedItem, ...] = ()
    files: tuple[DeployedFile, ...] = ()
    interface: str = ""
    bridge: str = ""
    lan_port: str = ""
    ports: tuple[tuple[str, int], ...] = ()
    services: tuple[str, ...] = ()
    clamped: str = ""


LAPSED = DEPLOYMENT_LAPSED()
_GRACE = timedelta(minutes=2)
"""Seconds that a confirmation at the last moment may take on both hosts."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment on a pair, also one that was only begun.

    Attributes:
        id: 16 hexadecimal digits; also the name of its folder on the hosts.
        pair: The hosts.
        solution: The VPN.
        suite: Name of its suite.
        title: Both for people.
        verdict: Verdict of the policy.
        options: What else was chosen.
        slot: Name of its place on the hosts: one pair has one, which the next deployment takes over.
        link: Addresses, names and numbers it uses.
        by: The user on this computer, and the computer.
        prepared_at: When it began, UTC.
        state: How far it is.
        state_at: Since when, UTC.
        a: What it is on A.
        b: What it is on B.
        tunnels: The random id of the work on each host, by `a` and `b`.
        replaces: The deployment whose place it took; empty where there was none.
        confirmed_at: When it was confirmed, UTC: also where one host alone took the confirmation.
        expires_at: Until when it has to be confirmed, while it is APPLIED.
        negotiated: What both hosts reported as negotiated.
        timings_s: Seconds per phase.
        message: Why it failed or was undone, or what of it was not proven.
        policy: Name and version of the policy that judged it.
        tunnelmark_version: Version of Tunnelmark that deployed it.
        is_ending: Whether its removal was begun and not seen to end on both hosts: that is what a repair carries on.
        is_refused: Whether it failed before anything was changed: something was in the way, or it is not allowed.
        properties: What packet captures and the injection test showed before it was confirmed, by `Property` value;
            empty for a deployment of an earlier version.
        has_lab_ended: Whether it ended because its practice lab was stopped.
    """

    id: str
    pair: PairSpec
    solution: str
    suite: str
    title: str
    verdict: Verdict
    options: DeploymentOptions
    slot: str
    link: Link
    by: str
    prepared_at: datetime
    state: DeploymentState
    state_at: datetime
    a: DeployedEndpoint = DeployedEndpoint()
    b: DeployedEndpoint = DeployedEndpoint()
    tunnels: Mapping[str, str] = field(default_factory=dict)
    replaces: str = ""
    confirmed_at: datetime | None = None
    expires_at: datetime | None = None
    negotiated: str = ""
    timings_s: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    policy: str = ""
    tunnelmark_version: str = ""
    is_ending: bool = False
    is_refused: bool = False
    properties: Mapping[str, PropertyResult] = field(default_factory=dict)
    has_lab_ended: bool = False

    @property
    def is_rolled_back(self) -> bool:
        """Whether it ended without confirmation: both hosts rolled it back."""
        return self.state is DeploymentState.REMOVED and self.confirmed_at is None and not self.has_lab_ended

    def on(self, side: Side) -> DeployedEndpoint:
        """Return what it is on one side."""
        return self.a if side is Side.A else self.b

    def as_of(self, now: datetime) -> Deployment:
        """Return it as it is by the clock: without a confirmation in time, both hosts have rolled it back."""
        if self.state is not DeploymentState.APPLIED or self.expires_at is None or now < self.expires_at + _GRACE:
            return self
        message = sentences((LAPSED, self.message))
        return replace(self, state=DeploymentState.REMOVED, state_at=self.expires_at, message=message)


# --- dry run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Planned change of a file on a host.

    Attributes:
        path: Absolute path.
        mode: Permission bits it would have.
        diff: Unified diff against what is there; empty where it remains as it is.
        is_new: Whether there is no such file now.
        note: For example that it holds a key that is made on the host and never shown.
    """

    path: str
    mode: int
    diff: str
    is_new: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """A command that would be run, and what undoes it (empty where it changes nothing)."""

    title: str
    command: str
    undo: str = ""


@dataclass(frozen=True, slots=True)
class DeploymentObstacle:
    """Something in the way, or to be known before.

    Attributes:
        side: The host; None where it concerns both.
        what: What was found, as a sentence.
        hint: What can be done about it.
        is_blocking: Whether nothing would be deployed because of it.
        needs_person: Whether a user has to confirm the deployment, knowing this; the hosts roll back otherwise.
    """

    side: Side | None
    what: str
    hint: str = ""
    is_blocking: bool = False
    needs_person: bool = False


@dataclass(frozen=True, slots=True)
class EndpointDryRun:
    """Dry run for one host.

    Attributes:
        side: The host.
        label: Its name for people.
        files: Every file.
        commands: Every command in order.
        services: Services that would be there afterwards.
        firewall: Rules of its own that the deployment would set, as sentences.
        ports: (protocol, port) that a firewall on the way has to let in, see `DeployedEndpoint.ports`.
        interface: The interface that would carry the frames.
        bridge: The bridge it would be in; empty where in none.
        lan_port: The LAN port that would be joined with it.
        mtu_bytes: MTU of the interface with the frames.
        largest_unfragmented_frame_bytes: The largest frame in one outer packet; None where the carrier is a stream,
            or where the overhead is not known.
    """

    side: Side
    label: str
    files: tuple[FileDiff, ...]
    commands: tuple[PlannedCommand, ...]
    services: tuple[str, ...]
    firewall: tuple[str, ...]
    ports: tuple[tuple[str, int], ...]
    interface: str
    bridge: str
    lan_port: str
    mtu_bytes: int
    largest_unfragmented_frame_bytes: int | None


@dataclass(frozen=True, slots=True)
class DryRun:
    """Dry run of a deployment; nothing was changed to find it out.

    Attributes:
        pair: Name of the pair.
        solution: The VPN.
        suite: Name of its suite.
        title: Both for people.
        verdict: What the policy says of it.
        findings: Why.
        a: What would be done on A.
        b: What would be done on B.
        obstacles: What is in the way, and warnings.
        replaces: The deployment whose place it would take; empty where there is none.
        keepalive: How often the idle tunnel would send something.
    """

    pair: str
    solution: str
    suite: str
    title: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    a: EndpointDryRun
    b: EndpointDryRun
    obstacles: tuple[DeploymentObstacle, ...] = ()
    replaces: str = ""
    keepalive: Keepalive = Keepalive.WIRED

    @property
    def is_possible(self) -> bool:
        """Whether nothing is in the way."""
        return not any(obstacle.is_blocking for obstacle in self.obstacles)


@dataclass(frozen=True, slots=True)
class LanPort:
    """An interface that a tunnel could be joined with.

    Attributes:
        side: The host.
        name: Kernel name.
        note: What is known of it, in words.
        refusal: Why it cannot be taken, as a sentence; empty where it can.
    """

    side: Side
    name: str
    note: str = ""
    refusal: str = ""
