"""Conditions that hosts of the user's own make themselves while a group of tunnels between them is up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.conditions import Condition
from app.domain.hosts import Side
from app.domain.solutions import BASELINE, Suite
from app.measurement.interfaces import Tunnel, Tunnels
from app.measurement.messages.studies import HOST_NOT_SHAPED
from app.measurement.tunnels import DeployedTunnels


@dataclass(frozen=True, slots=True)
class HostShaping:
    """Shaping of what both hosts send to each other, by a member of the group of tunnels that it is for.

    That member is the bare link: it is built last and undone first, so that no tunnel is built or removed under the
    condition, and it ends with the group's lease, journal and undo script.

    Attributes:
        bare: Adapter and suite of the bare link.
        under: Returns what builds groups under a condition.
    """

    bare: tuple[Adapter, Suite]
    under: Callable[[Condition], Tunnels]

    @classmethod
    def of(cls, adapters: Mapping[str, Adapter], discovery: Discovery, tunnels: DeployedTunnels) -> HostShaping:
        """Return the shaping of a pair's hosts.

        Args:
            tunnels: Builds tunnels without a condition.
        """
        bare, facts = adapters[BASELINE], discovery.facts
        suite = bare.suites(facts[Side.A.value], facts[Side.B.value])[0]
        return cls((bare, suite), lambda condition: replace(tunnels, shaping=condition))


@dataclass(frozen=True, slots=True)
class ShapedLink:
    """The link between two hosts that shape what they send to each other.

    Attributes:
        direct_ms: Round-trip time without the condition, in ms.
        member: The group's member that makes it.
    """

    direct_ms: float
    member: Tunnel

    def deviation(self, condition: Condition, sessions: SessionPair, *, token: CancelToken) -> str:
        """Return which host does not make the condition any more, as a sentence; empty where both do."""
        for side in Side:
            session = sessions.on(side)
            checks = (step.health_check for step in self.member.plan.on(side).steps)
            for check in filter(None, checks):
                if not session.run(check, token=token).is_ok:
                    return HOST_NOT_SHAPED(host=session.spec.label, condition=condition.name)
        return ""
