"""Offers of the census page: pairs, earlier censuses, and what a census means before one is begun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.measurement.census.planning import GUESS_S
from app.wording.local_forms import minute_text
from app.wording.titles import local_title
from ui.common.texts import duration, tr

if TYPE_CHECKING:
    from app.domain.pairs import PairChoice
    from app.services.wiring import Services

_MOST_PAST = 20


@dataclass(frozen=True, slots=True)
class Stored:
    """Choice on the census page.

    Attributes:
        pairs: Pairs that can be tested.
        past: Number and name of the newest censuses.
        titles: Titles of the VPNs by name.
    """

    pairs: tuple[PairChoice, ...]
    past: tuple[tuple[int, str], ...]
    titles: Mapping[str, str]


def stored_of(services: Services) -> Stored:
    """Return pairs, the newest censuses, and the titles of VPNs."""
    past = []
    for census_id in services.censuses()[:_MOST_PAST]:
        record = services.census_results(census_id).record
        state = tr("complete") if record.is_complete else tr("not complete")
        past.append((census_id, f"{record.pair.name}, {minute_text(record.started_at.astimezone())}, {state}"))
    titles = {name: local_title(info.title) for name, info in services.solutions().items()}
    return Stored(services.pairs(), tuple(past), titles)


def before_text() -> str:
    """Return how long a census takes and how much load it is."""
    return tr(
        "Both hosts are inspected first. You then see how many options there are and how long they take, and nothing "
        "is tried before you agree. An option takes about %1, and sends pings and about a second of TCP over the link."
    ).replace("%1", duration(GUESS_S))
