"""History: comparisons, censuses and deployments in one list; notes and deleting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import NotFound, StorageFault
from app.domain.history import EntryId, EntryKind, HistoryEntry, Winner
from app.domain.results import CampaignStatus
from app.domain.version import tunnelmark_version
from app.ranking import rank
from app.ranking.messages import NONE_BECAUSE
from app.ranking.winner import method_of, winner_of
from app.storage import CampaignSummary, CensusSummary, Store
from app.wording.language import mark, source_language

_MOST = 1000
"""Entries of each kind that are listed."""


def list_history(store: Store) -> tuple[HistoryEntry, ...]:
    """Return what is stored, newest first; comparisons that were not ranked for a list yet have no winner."""
    entries = [
        *(_comparison(one) for one in store.list_campaigns(limit=_MOST)),
        *(_census(one) for one in store.census_summaries(limit=_MOST)),
        *deployment_entries(store.list_deployments(limit=_MOST)),
    ]
    return tuple(sorted(entries, key=lambda one: one.at, reverse=True))


UNREADABLE = mark("cannot be read")
"""In place of the winner of a comparison that is damaged; it is not stored."""


def find_winner(store: Store, campaign_id: int) -> Winner:
    """Rank a comparison and store which VPN it recommends, so that the next list has it.

    Raises:
        NotFound: There is no such comparison.
    """
    with source_language():
        winner = winner_of(rank(store.load_campaign(campaign_id)), tunnelmark_version())
    store.save_winner(campaign_id, winner)
    return winner


def with_winners(store: Store, entries: Iterable[HistoryEntry]) -> tuple[HistoryEntry, ...]:
    """Return entries with the winners that were missing."""
    return tuple(_with_winner(store, one) for one in entries)


def _with_winner(store: Store, entry: HistoryEntry) -> HistoryEntry:
    if not is_unranked(entry) or entry.id is None:
        return entry
    try:
        return replace(entry, winner=find_winner(store, entry.id.number))
    except (NotFound, StorageFault):  # deleted meanwhile, or damaged: opening it says more
        return replace(entry, winner=Winner(UNREADABLE))


def is_unranked(entry: HistoryEntry) -> bool:
    """Whether an entry is a comparison that has ended and whose winner is not known yet."""
    return entry.kind is EntryKind.COMPARISON and entry.winner is None and not entry.is_running


def find_entries(store: Store, ids: Iterable[EntryId]) -> tuple[HistoryEntry, ...]:
    """Return the entries of these numbers, each once.

    Raises:
        NotFound: There is no such comparison or census.
    """
    return tuple(_load(store, entry_id) for entry_id in dict.fromkeys(ids))


def _load(store: Store, entry_id: EntryId) -> HistoryEntry:
    if entry_id.kind is EntryKind.COMPARISON:
        return _comparison(store.campaign_summary(entry_id.number))
    record = store.load_census(entry_id.number)
    return HistoryEntry(EntryKind.CENSUS, str(entry_id), record.started_at, record.pair.name, "", note=record.note)


def _comparison(one: CampaignSummary) -> HistoryEntry:
    is_current = one.winner is not None and one.winner.method == method_of(tunnelmark_version())
    is_running = one.status is CampaignStatus.RUNNING
    return HistoryEntry(
        EntryKind.COMPARISON,
        str(EntryId(EntryKind.COMPARISON, one.campaign_id)),
        one.started_at,
        one.pair,
        one.status.value,
        one.profile.value,
        one.vpns_planned,
        one.vpns_measured,
        one.vpns_failed,
        one.winner if is_current and not is_running else None,
        one.note,
        candidates=one.candidates,
        condition=one.condition,
    )


def _census(one: CensusSummary) -> HistoryEntry:
    ended = CampaignStatus.COMPLETED if one.is_complete else CampaignStatus.INTERRUPTED
    return HistoryEntry(
        EntryKind.CENSUS,
        str(EntryId(EntryKind.CENSUS, one.census_id)),
        one.started_at,
        one.pair,
        CampaignStatus.RUNNING.value if one.is_running else ended.value,
        f"{one.pings} pings",
        one.options,
        one.tried,
        one.failed,
        note=one.note,
    )


def deployment_entries(deployments: Sequence[Deployment]) -> tuple[HistoryEntry, ...]:
    """Return the entries of deployments; what one of them replaced is found among them."""
    by_id = {one.id: one for one in deployments}
    return tuple(_deployment(one, by_id.get(one.replaces)) for one in deployments)


def _deployment(one: Deployment, replaced: Deployment | None) -> HistoryEntry:
    winner = Winner(one.title, one.solution, one.suite)
    if one.state is DeploymentState.FAILED:
        word = mark("refused") if one.is_refused else mark("failed")
        winner = Winner(NONE_BECAUSE(word=word, title=one.title))
    return HistoryEntry(
        EntryKind.DEPLOYMENT,
        one.id,
        one.prepared_at,
        one.pair.name,
        one.state.value,
        winner=winner,
        is_refused=one.is_refused,
        is_rolled_back=one.is_rolled_back,
        is_rotation=replaced is not None and _is_same(one, replaced),
    )


def _is_same(one: Deployment, replaced: Deployment) -> bool:
    """Whether a deployment replaced, or was to replace, a confirmed one that differed in its keys alone."""
    return replaced.confirmed_at is not None and _what(one) == _what(replaced)


def _what(one: Deployment) -> tuple[object, ...]:
    options = replace(one.options, confirm_within_s=None, legacy_reason="")
    return (one.solution, one.suite, options, one.pair.underlay_a, one.pair.underlay_b)
