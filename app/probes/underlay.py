"""The bare link between the two hosts: whether frames cross it now, and whether it has died."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_sides
from app.domain.errors import UnderlayDown
from app.domain.hosts import Privilege, Side
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.probes.messages import LINK_DEAD, LINK_DIED, LINK_NAME

PINGS = 3
"""Each host sends at most so many echo requests, none after one was answered.

One by one, as BusyBox's ping knows no short interval.
"""

PROBE_TIMEOUT_S = 20.0

_SCRIPT = bare_script("probes/underlay.sh")


@dataclass(frozen=True, slots=True)
class Crossing:
    """State of the link as one host sees it.

    Attributes:
        sent: Echo requests to the other host; 0 where the host has no ping.
        answered: How many of them were answered.
        is_cut: Whether the host has no route to the other one, or cannot resolve its address on a shared segment.
    """

    sent: int
    answered: int
    is_cut: bool


def probe_underlay(sessions: SessionPair, link: Link, *, token: CancelToken) -> dict[Side, Crossing]:
    """Ping from each host to the other one, both at the same time.

    Returns:
        What each host has seen; after one round trip on a link that works, after some seconds on a dead one.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    return run_sides(lambda side: _cross(sessions.on(side), link.underlay(side.other), token))


def _cross(host: HostSession, peer: str, token: CancelToken) -> Crossing:
    command = Command(
        ("sh", "-c", _SCRIPT, "tunnelmark", peer, str(PINGS)),
        timeout_s=PROBE_TIMEOUT_S,
        is_root=host.privilege is not Privilege.NONE,
    )
    sent, answered, is_cut = 0, 0, False
    for line in host.run(command, token=token).stdout.splitlines():
        match line.split():
            case ["pings", first, second] if first.isdecimal() and second.isdecimal():
                sent, answered = min(int(first), PINGS), min(int(second), PINGS)
            case ["cut"]:
                is_cut = True
    return Crossing(sent, answered, is_cut)


@dataclass(slots=True)
class UnderlayWatch:
    """Distinguishes a link that died from one on which no ping was ever answered.

    An echo needs both directions, so a link that carries nothing in one of them answers no ping of either host. Where
    one host's pings are answered, frames cross both ways, whatever became of the other one's.

    Attributes:
        sessions: Connections to both hosts.
        link: Their underlay addresses.
        has_answered: Whether pings are known to have been answered; where they never were, a firewall may drop them.
    """

    sessions: SessionPair
    link: Link
    has_answered: bool = False
    _answering: set[Side] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The link in words."""
        return LINK_NAME(a=self.sessions.a.spec.label, b=self.sessions.b.spec.label)

    def check(self, *, token: CancelToken) -> UnderlayDown | None:
        """Return the error that says that the link is dead; None where it is not, or where that is not known.

        Raises:
            ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
        """
        seen = probe_underlay(self.sessions, self.link, token=token)
        sent = sum(one.sent for one in seen.values())
        if self._remember(seen) or not sent:
            return None
        if not (self.has_answered or any(one.is_cut for one in seen.values())):
            return None
        form = LINK_DIED if self.has_answered else LINK_DEAD
        return UnderlayDown(form(link=self.name, sent=sent))

    def is_well(self, *, token: CancelToken) -> bool:
        """Return whether pings cross from every host whose pings were answered before.

        Raises:
            ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
        """
        before = frozenset(self._answering)
        answering = self._remember(probe_underlay(self.sessions, self.link, token=token))
        return bool(answering) and answering >= before

    def _remember(self, seen: Mapping[Side, Crossing]) -> set[Side]:
        answering = {side for side, one in seen.items() if one.answered}
        self._answering |= answering
        self.has_answered = self.has_answered or bool(answering)
        return answering
