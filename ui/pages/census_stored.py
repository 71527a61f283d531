"""Pairs and earlier censuses that the census page offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.texts import tr

if TYPE_CHECKING:
    from app.compose.services import Services
    from app.wizard.ports import PairChoice

_MOST_PAST = 20


def stored_of(services: Services) -> tuple[tuple[PairChoice, ...], tuple[tuple[int, str], ...]]:
    """Return pairs, and number and name of the newest censuses."""
    past = []
    for census_id in services.censuses()[:_MOST_PAST]:
        record = services.census_results(census_id).record
        state = tr("complete") if record.is_complete else tr("not complete")
        past.append((census_id, f"{record.pair.name}, {record.started_at.astimezone():%Y-%m-%d %H:%M}, {state}"))
    return services.pairs(), tuple(past)
