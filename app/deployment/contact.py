"""Contact with the hosts of a pair: what is repaired then, once, and what can be done on one host alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from app.domain.deployment import Deployment, DeploymentState
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side


@dataclass
class RepairAttempts:
    """Repairs that were begun or offered: once for each deployment, again only where the user asks.

    Files of a deployment that never counted belong to none: of them there is one attempt for each pair.
    """

    _tried: set[str] = field(default_factory=set)

    def is_due(self, status: PairStatus) -> bool:
        """Return whether a repair can be tried that was neither begun nor offered."""
        return status.can_be_repaired and not self.was_tried(status.pair, status.deployment)

    def note(self, pair: str, deployment: Deployment | None) -> None:
        """Remember that a repair was begun or offered."""
        self._tried.add(_key(pair, deployment))

    def was_tried(self, pair: str, deployment: Deployment | None) -> bool:
        """Return whether a repair was begun or offered."""
        return _key(pair, deployment) in self._tried

    def forget(self, pair: str, deployment: Deployment | None) -> None:
        """Forget a repair that has succeeded: the same may be needed for another reason."""
        self._tried.discard(_key(pair, deployment))


def _key(pair: str, deployment: Deployment | None) -> str:
    return f"deployment {deployment.id}" if deployment is not None else f"pair {pair}"


@dataclass(frozen=True, slots=True)
class OnlyHost:
    """The only host of a pair that answered at the last inspection.

    Attributes:
        reached: The host that answered.
        silent: The host that could not be asked.
        at: When, UTC.
    """

    reached: EndpointStatus
    silent: EndpointStatus
    at: datetime

    @property
    def side(self) -> Side:
        """The host that answered."""
        return self.reached.side

    @property
    def can_be_removed(self) -> bool:
        """Whether something is confirmed there that can be removed."""
        return bool(self.reached.deployment_id) and self.reached.is_confirmed


def only_host(status: PairStatus | None) -> OnlyHost | None:
    """Return the only host that could be asked; None where both or neither answered, or none was asked."""
    if status is None or status.a.is_reachable == status.b.is_reachable:
        return None
    reached, silent = (status.a, status.b) if status.a.is_reachable else (status.b, status.a)
    return OnlyHost(reached, silent, status.at)


def is_half_removed(deployment: Deployment) -> bool:
    """Return whether one host alone still has what was being removed."""
    return deployment.is_ending and deployment.state is DeploymentState.HALF_CONFIRMED
