"""How a tunnel that was rolled out is now. Texts that come from a host are untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.hosts import Side
from app.domain.rollout import Deployment, DeploymentState
from app.domain.verdicts import Finding, Verdict


@dataclass(frozen=True, slots=True)
class Drift:
    """Something of a deployment that was changed by hand.

    Attributes:
        path: The file, or what else.
        what: What is different, as a sentence.
        diff: Unified diff from what was rolled out to what is there; empty for files that are never shown.
    """

    path: str
    what: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class KeyAge:
    """How old a key or certificate is.

    Attributes:
        title: What it is.
        age_days: Days since it was made.
        days_left: Days until it ends; None where it does not end by itself.
    """

    title: str
    age_days: float
    days_left: float | None = None


@dataclass(frozen=True, slots=True)
class EndStatus:
    """How one host is now.

    Attributes:
        side: The host.
        label: Its name for people.
        is_reachable: Whether it could be asked.
        deployment_id: What is rolled out there; empty where nothing is.
        is_confirmed: Whether that stays after a restart.
        is_enabled: Whether it starts with the host.
        is_up: Whether its interface is up and the peer answers through it.
        is_watched: Whether the host watches over it and starts it again.
        left_s: Seconds until the host goes back, where it waits for a confirmation.
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
    drift: tuple[Drift, ...] = ()
    keys: tuple[KeyAge, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class PairStatus:
    """How a pair is now.

    Attributes:
        pair: Name of the pair.
        at: When it was looked at, UTC.
        deployment: What was rolled out, as stored here; None where nothing is.
        state: What the hosts say, which may differ from what is stored; None where nothing is rolled out.
        a: How A is.
        b: How B is.
        verdict: Today's policy's word for the suite; None where nothing is rolled out.
        findings: Why.
        sentences: What the user should know, for example that one host went back.
    """

    pair: str
    at: datetime
    deployment: Deployment | None
    state: DeploymentState | None
    a: EndStatus
    b: EndStatus
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether a confirmed tunnel is up on both hosts, watched and unchanged."""
        return self.state is DeploymentState.CONFIRMED and all(
            end.is_up and end.is_enabled and end.is_watched and not end.drift for end in (self.a, self.b)
        )
