"""Status of a deployment. Texts that come from a host are untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.deployment import Deployment, DeploymentState
from app.domain.hosts import Side
from app.domain.messages.results import REPAIR_BY_DEPLOYMENT, REPAIR_BY_REMOVAL, REPAIR_UNFINISHED
from app.domain.verdicts import Finding, Verdict


@dataclass(frozen=True, slots=True)
class FileDrift:
    """Something of a deployment that was changed by hand.

    Attributes:
        path: The file, or what else.
        what: What is different, as a sentence.
        diff: Unified diff from what was deployed to what is there; empty for files that are never shown.
    """

    path: str
    what: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class KeyAge:
    """Age of a key or certificate.

    Attributes:
        title: What it is.
        age_days: Days since it was made.
        days_left: Days until it ends; None where it does not end by itself.
    """

    title: str
    age_days: float
    days_left: float | None = None


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which the peer did not answer through the tunnel, as a host saw it by itself.

    Attributes:
        began_at: When, by that host's clock, UTC.
        lasted_s: For how long, in seconds; None while it lasts.
    """

    began_at: datetime
    lasted_s: float | None = None


@dataclass(frozen=True, slots=True)
class ClampStatus:
    """Firewall table of a host that clamps TCP's MSS, as it was found.

    Attributes:
        mss_ipv4_bytes: To what the MSS is to be clamped over IPv4.
        mss_ipv6_bytes: The same over IPv6.
        is_there: Whether the host has the table, with these sizes.
        has_nft: Whether the host has nft, without which no table can be made.
    """

    mss_ipv4_bytes: int
    mss_ipv6_bytes: int
    is_there: bool
    has_nft: bool = True


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    """Status of one host.

    Attributes:
        side: The host.
        label: Its name for people.
        is_reachable: Whether it could be asked.
        deployment_id: Its deployment there; empty where there is none.
        is_confirmed: Whether that remains after a restart.
        is_enabled: Whether it starts with the host.
        is_up: Whether its interface is up and the peer answers through it.
        is_watched: Whether its supervisor runs there, which starts it again.
        left_s: Seconds until the host rolls back, where it waits for a confirmation.
        interface: The interface with the frames.
        rx_bytes: Bytes received through it since it was made.
        tx_bytes: Bytes sent.
        last_handshake_s: Seconds since the last handshake; None where the VPN does not say.
        rtt_ms: Mean round-trip time now, in ms; None where nothing answered.
        loss_pct: Lost echo requests now, in percent; None where none was sent.
        restarts: How often the host had to start it again since it was confirmed or the host started.
        drift: What was changed by hand.
        keys: How old keys and certificates are.
        note: Anything that the reader should know.
        connect_s: Seconds from this host's last start of the tunnel until the peer answered through it; None where
            the host has not started it since it was deployed.
        boot_connect_s: Seconds from the host's own start until the peer answered; None where it has not been
            restarted since.
        outages: When the peer was lost and returned since the host started, oldest first; the newest ones.
        is_worked_on: Whether a Tunnelmark that is alive works on this host just now.
        is_unfinished: Whether files of a deployment are there that was interrupted before it was confirmed: nothing
            reads them.
        lets_strangers_in: Whether an earlier version has deployed it, which let in frames that anyone on the
            underlay forged or replayed.
        missing: What is gone or damaged of a deployment that counts or may run; empty where nothing is.
        is_looped: Whether its own frames come back from the LANs, which are parted there because of it.
        looped_since: Since when, by that host's clock, UTC; None where it has not noticed that yet.
        limited_broadcasts: Broadcast frames between the LANs that its limit has dropped; None where it has no limit.
        clamp: What fits TCP to the path; None where nothing is to, or where the host does not say.
    """

    side: Side
    label: str
    is_reachable: bool
    deployment_id: str = ""
    is_confirmed: bool = False
    is_enabled: bool = False
    is_up: bool = False
    is_watched: bool = False
    left_s: float | None = None
    interface: str = ""
    rx_bytes: int = 0
    tx_bytes: int = 0
    last_handshake_s: float | None = None
    rtt_ms: float | None = None
    loss_pct: float | None = None
    restarts: int = 0
    drift: tuple[FileDrift, ...] = ()
    keys: tuple[KeyAge, ...] = ()
    note: str = ""
    connect_s: float | None = None
    boot_connect_s: float | None = None
    outages: tuple[Outage, ...] = ()
    is_worked_on: bool = False
    is_unfinished: bool = False
    lets_strangers_in: bool = False
    missing: str = ""
    is_looped: bool = False
    looped_since: datetime | None = None
    limited_broadcasts: int | None = None
    clamp: ClampStatus | None = None

    @property
    def is_unfitted(self) -> bool:
        """Whether TCP should be fitted to the path, and is not."""
        return self.clamp is not None and not self.clamp.is_there

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a confirmation: the host reads no figures of a tunnel that it may have to end."""
        return self.left_s is not None and not self.is_confirmed

    @property
    def reconnect_s(self) -> float | None:
        """Seconds that the last loss lasted until the tunnel was up again by itself; None where none has ended."""
        return next((one.lasted_s for one in reversed(self.outages) if one.lasted_s is not None), None)

    @property
    def longest_outage_s(self) -> float | None:
        """Seconds of the longest loss that has ended, of those that the host still has; None where none has."""
        return max((one.lasted_s for one in self.outages if one.lasted_s is not None), default=None)


@dataclass(frozen=True, slots=True)
class PairStatus:
    """Status of a pair.

    Attributes:
        pair: Name of the pair.
        at: Time of the inspection, UTC.
        deployment: The deployment, as stored here; None where there is none.
        state: What the hosts say, which may differ from what is stored; None where nothing is deployed.
        a: How A is.
        b: How B is.
        verdict: Verdict of today's policy for the suite; None where nothing is deployed.
        findings: Why.
        sentences: What the user should know, for example that one host rolled back.
    """

    pair: str
    at: datetime
    deployment: Deployment | None
    state: DeploymentState | None
    a: EndpointStatus
    b: EndpointStatus
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether a confirmed tunnel is up on both hosts, watched, unchanged, closed to strangers and in no loop.

        Where TCP is to be fitted to the path, it has to be.
        """
        return self.state is DeploymentState.CONFIRMED and all(
            end.is_up
            and end.is_enabled
            and end.is_watched
            and not (end.drift or end.missing or end.lets_strangers_in or end.is_looped or end.is_unfitted)
            for end in (self.a, self.b)
        )

    @property
    def connect_s(self) -> float | None:
        """Seconds from the start of both sides, at the deployment, until each had an answer; None where not known."""
        return self.deployment.timings_s.get("connect") if self.deployment is not None else None

    @property
    def unfinished(self) -> tuple[EndpointStatus, ...]:
        """Hosts with the files of a deployment that never counted, where nothing is deployed and no lock is held."""
        if self.state is not None:
            return ()
        return tuple(end for end in (self.a, self.b) if end.is_unfinished and not end.is_worked_on)

    @property
    def damaged(self) -> tuple[EndpointStatus, ...]:
        """Hosts that have parts of a deployment only, and on which no lock is held."""
        return tuple(end for end in (self.a, self.b) if end.missing and not end.is_worked_on)

    @property
    def can_be_repaired(self) -> bool:
        """Whether one host alone has it, both can be reached, and no lock is held; or whether one is unfinished.

        The next contact carries through what was begun last, see `DeploymentServices.repair`; but not where a
        host has parts of it only.
        """
        return bool(self.unfinished) or (
            self.state is DeploymentState.HALF_CONFIRMED
            and self.deployment is not None
            and all(end.is_reachable and not end.is_worked_on and not end.missing for end in (self.a, self.b))
        )

    @property
    def repair_text(self) -> str:
        """Effect of a repair, as a sentence."""
        if self.unfinished:
            return REPAIR_UNFINISHED(hosts=[end.label for end in self.unfinished])
        if self.deployment is not None and self.deployment.is_ending:
            return REPAIR_BY_REMOVAL()
        return REPAIR_BY_DEPLOYMENT()
