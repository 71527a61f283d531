"""Words and order of the history's lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt

from app.domain.conditions import AS_FOUND
from app.domain.deployment import DeploymentState
from app.domain.history import EntryKind, HistoryEntry
from app.wording.deployment_sentences import state_word
from app.wording.messages import local_name
from app.wording.profiles import profile_word
from ui.common.deployment_states import moment
from ui.common.texts import NONE, tr

DATE, PAIR, WHAT, PROFILE, MEASURED, WINNER, NOTE = range(7)
"""Columns of the history."""

_ID_DIGITS = 8


def what_text(entry: HistoryEntry) -> str:
    """Return kind, number and, unless it is complete, state of an entry: no two entries have the same."""
    if entry.kind is EntryKind.DEPLOYMENT:
        state = state_word(
            DeploymentState(entry.state), is_refused=entry.is_refused, is_rolled_back=entry.is_rolled_back
        )
        key = entry.key[:_ID_DIGITS]
        return tr("Key rotation %1, %2", key, state) if entry.is_rotation else tr("Deployment %1, %2", key, state)
    name = tr("Cipher census %1") if entry.kind is EntryKind.CENSUS else tr("Comparison %1")
    states = {"running": tr("running"), "cancelled": tr("cancelled"), "interrupted": tr("interrupted")}
    state = states.get(entry.state, "")
    condition = entry.condition if entry.condition not in ("", AS_FOUND) else ""
    return ", ".join(filter(None, (name.replace("%1", entry.key), condition, state)))


def profile_text(entry: HistoryEntry) -> str:
    """Return how thoroughly was measured."""
    return profile_word(entry.profile) or NONE


def measured_text(entry: HistoryEntry) -> str:
    """Return how many candidates were measured, failures first."""
    if entry.kind is EntryKind.DEPLOYMENT:
        return NONE
    whole = (
        tr("%1 of %2 tried")
        if entry.kind is EntryKind.CENSUS
        else tr("%1 of 1 VPN")
        if entry.planned == 1
        else tr("%1 of %2 VPNs")
    )
    whole = whole.replace("%1", str(entry.measured)).replace("%2", str(entry.planned))
    return f"{tr('%1 failed', entry.failed)}, {whole}" if entry.failed else whole


def winner_text(entry: HistoryEntry) -> str:
    """Return the recommended VPN, or the one deployed; of a deployment that failed, that it is none."""
    return local_name(entry.winner.text) if entry.winner is not None else NONE


def note_text(entry: HistoryEntry) -> str:
    """Return the note on one line."""
    return " ".join(entry.note.split())


TEXTS: dict[int, Callable[[HistoryEntry], str]] = {
    DATE: lambda one: moment(one.at),
    PAIR: lambda one: one.pair,
    WHAT: what_text,
    PROFILE: profile_text,
    MEASURED: measured_text,
    WINNER: winner_text,
    NOTE: note_text,
}

_VALUES: dict[int, Callable[[HistoryEntry], Any]] = {
    DATE: lambda one: one.at,
    PAIR: lambda one: one.pair.casefold(),
    WHAT: lambda one: (list(EntryKind).index(one.kind), one.id.number if one.id is not None else 0, one.key),
    PROFILE: lambda one: one.profile,
    MEASURED: lambda one: (one.failed, one.measured, one.planned) if one.planned else None,
    WINNER: lambda one: local_name(one.winner.text).casefold() if one.winner is not None else None,
    NOTE: lambda one: note_text(one).casefold(),
}


def ordered(entries: Sequence[HistoryEntry], column: int, order: Qt.SortOrder) -> tuple[HistoryEntry, ...]:
    """Return entries sorted by a column: those without a value last in either order, equal ones newest first."""
    value_of = _VALUES[column]
    newest = sorted(entries, key=lambda one: one.at, reverse=True)
    known = [one for one in newest if value_of(one) not in (None, "")]
    known.sort(key=value_of, reverse=order is Qt.SortOrder.DescendingOrder)
    return (*known, *(one for one in newest if value_of(one) in (None, "")))


def matching(entries: Sequence[HistoryEntry], words: str) -> tuple[HistoryEntry, ...]:
    """Return entries of which all of the words are in the line, or in the names of the VPNs that were compared."""
    wanted = words.casefold().split()
    return tuple(one for one in entries if all(word in _line(one) for word in wanted))


def _line(entry: HistoryEntry) -> str:
    texts = (text_of(entry) for text_of in TEXTS.values())
    return " ".join([entry.key, *texts, *entry.candidates]).casefold()
