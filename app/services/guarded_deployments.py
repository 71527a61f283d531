"""Rolling out with the hosts marked as in use, so that two instances on this computer do not get in each other's way.

What gets a user out of trouble is never refused: `confirm`, `repair`, `remove_unfinished` and `recover`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from app.discovery.pair_discovery import Discovery
from app.domain.census import CensusPlan
from app.domain.events import CampaignStarted
from app.domain.hosts import HostSpec, PairSpec, Side
from app.services.deployments import RolloutOperations

if TYPE_CHECKING:
    from app.storage.in_use import InUse, Use

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E")


def _holding(
    what: str, method: Callable[Concatenate[Any, P], T], *, is_optional: bool = False
) -> Callable[Concatenate[Any, P], T]:
    """Return a method of `RolloutOperations` that holds its hosts; where that is optional, it is never refused."""

    @functools.wraps(method)
    def held(self: GuardedRollout, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.in_use.hold(self._hosts_of(*args, **kwargs), what, is_optional=is_optional):
            return method(self, *args, **kwargs)

    return held


def renaming(use: Use, emit: Callable[[E], None]) -> Callable[[E], None]:
    """Return a sink that also notes the number of a comparison or census as soon as it has one."""

    def tell(event: E) -> None:
        if isinstance(event, CampaignStarted):
            kind = "census" if isinstance(event.plan, CensusPlan) else "comparison"
            use.rename(f"{kind} {event.campaign_id}")
        emit(event)

    return tell


class GuardedRollout(RolloutOperations):
    """`RolloutOperations` with its hosts held while one of them changes something.

    Attributes:
        in_use: Hosts that this user's processes work on.
    """

    in_use: InUse

    deploy = _holding("a deployment", RolloutOperations.deploy)
    redeploy = _holding("a deployment", RolloutOperations.redeploy)
    rotate_keys = _holding("a key rotation", RolloutOperations.rotate_keys)
    undeploy = _holding("the removal of a deployment", RolloutOperations.undeploy)
    undeploy_one = _holding("the removal of a deployment", RolloutOperations.undeploy_one)
    repair = _holding("a repair", RolloutOperations.repair, is_optional=True)

    def refuse_if_in_use(self, pair: PairSpec) -> None:
        """Refuse a pair of which other work on this computer holds a host, before anybody logs in.

        Raises:
            PairLocked: Other work holds one of its hosts.
        """
        self.in_use.refuse(pair)

    def _hosts_of(self, *args: object, **kwargs: object) -> tuple[HostSpec, ...]:
        """Return the hosts that a call is about, from its arguments: a pair, a discovery or a deployment's id."""
        given = (*args, *kwargs.values())
        pairs = [one.pair if isinstance(one, Discovery) else one for one in given]
        pair = next((one for one in pairs if isinstance(one, PairSpec)), None)
        if pair is None:
            pair = self.store.get_deployment(str(given[0])).pair
        sides = [one for one in args if isinstance(one, Side)] or list(Side)
        return tuple(pair.host(side) for side in sides)
