"""Names of the uses of hosts, as other commands report them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from app.domain.events import CampaignStarted

if TYPE_CHECKING:
    from app.storage.in_use import Use

E = TypeVar("E")


def renaming(use: Use, kind: str, emit: Callable[[E], None]) -> Callable[[E], None]:
    """Return a sink of events that also notes the number of a comparison or census as soon as it has one.

    Args:
        use: The entry of the hosts in use.
        kind: "comparison" or "census".
        emit: Gets every event.
    """

    def tell(event: E) -> None:
        if isinstance(event, CampaignStarted):
            use.rename(f"{kind} {event.campaign_id}")
        emit(event)

    return tell
