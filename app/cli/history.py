"""`tunnelmark history`: what is stored, notes, deleting."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, ask_yes, write_json
from app.cli.messages import DELETE_WITHOUT_ANSWER, YES_WITHOUT_DELETE
from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.domain.errors import InvalidOption
from app.domain.history import EntryId, EntryKind, HistoryEntry, checked_note, under_condition
from app.ranking.history_entries import find_entries, is_unranked, list_history, with_winners
from app.wording.deployment_sentences import state_word
from app.wording.language import tr, trn
from app.wording.local_forms import minute_text
from app.wording.messages import local_name
from app.wording.profiles import profile_word

if TYPE_CHECKING:
    from app.domain.progress import ProgressSink
    from app.reports.archive import Archive

_MANY = 20
"""Comparisons that are ranked before progress is shown; all of them together take a second or so."""


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("number")),
        Column(tr("started"), rank=1),
        Column(tr("pair")),
        Column(tr("what"), rank=2),
        Column(tr("profile"), rank=5),
        Column(tr("measured")),
        Column(tr("status")),
        Column(tr("link"), rank=6),
        Column(tr("result"), Kind.PROSE, rank=3),
        Column(tr("note"), Kind.PROSE, rank=4),
    )


def history(context: CommandContext) -> int:
    """List what is stored, or change it."""
    options = context.options
    if options.yes and not options.delete:
        raise InvalidOption(YES_WITHOUT_DELETE())
    with context.archive() as archive:
        if options.note:
            return _note(context, archive, *options.note)
        if options.delete:
            return _delete(context, archive, [EntryId.parse(text) for text in options.delete])
        found = context.job(lambda token, report: _ranked(archive, token, report))
    if options.condition is not None:
        found = under_condition(found, options.condition)
    if options.json:
        write_json(STDOUT, {"format": 1, "entries": [entry_data(one) for one in found]})
        return ExitCode.OK
    if options.condition is not None and not found:
        context.out.print(tr("Nothing was compared under the condition {name}.").format(name=options.condition))
    elif found:
        with context.pager():
            history_table(found).print(context.out)
    else:
        context.out.print(tr("Nothing has been measured yet. Try: tunnelmark demo"))
    return ExitCode.OK


def _ranked(archive: Archive, token: CancelToken, report: ProgressSink) -> tuple[HistoryEntry, ...]:
    """Return every entry with its winner; those that are not known yet take a moment each."""
    entries = list_history(archive.store)
    missing = sum(is_unranked(one) for one in entries)
    found: list[HistoryEntry] = []
    done = 0
    for one in entries:
        token.raise_if_cancelled()
        if is_unranked(one):
            if missing >= _MANY:
                text = tr("Ranking {number} comparisons, once for every later list").format(number=missing)
                report(text, done / missing)
            done += 1
        found += with_winners(archive.store, (one,))
    return tuple(found)


def entry_data(one: HistoryEntry) -> dict[str, object]:
    """Return an entry as JSON has it; times are UTC."""
    return {
        "number": one.key,
        "kind": one.kind.value,
        "started": one.at.astimezone(UTC).isoformat(timespec="seconds"),
        "pair": one.pair,
        "profile": one.profile,
        "condition": one.condition or None,
        "planned": one.planned,
        "measured": one.measured,
        "failed": one.failed,
        "status": one.state,
        "winner": None
        if one.winner is None
        else {"text": one.winner.text, "solution": one.winner.solution, "suite": one.winner.suite},
        "note": one.note,
    }


def history_table(found: Sequence[HistoryEntry]) -> Table:
    """Return a row for each entry."""
    table = Table(_columns())
    for one in found:
        table.add_row(
            one.key,
            f"{minute_text(one.at.astimezone())} {one.at.astimezone():%Z}",
            one.pair,
            tr("key rotation") if one.is_rotation else word_of(one.kind.value),
            profile_word(one.profile) if one.profile else "-",
            measured_text(one),
            _state_text(one),
            word_of(one.condition) if one.condition else "-",
            local_name(one.winner.text) if one.winner is not None else "-",
            " ".join(one.note.split()) or "-",
        )
    return table


def _state_text(entry: HistoryEntry) -> str:
    if entry.kind is EntryKind.DEPLOYMENT:
        return word_of(
            state_word(DeploymentState(entry.state), is_refused=entry.is_refused, is_rolled_back=entry.is_rolled_back)
        )
    return word_of(entry.state)


def measured_text(entry: HistoryEntry) -> str:
    """Return how many candidates were measured, failures first."""
    if entry.kind is EntryKind.DEPLOYMENT:
        return "-"
    if entry.kind is EntryKind.CENSUS:
        form = trn("{number} of {planned} option", "{number} of {planned} options", entry.planned)
    else:
        form = trn("{number} of {planned} VPN", "{number} of {planned} VPNs", entry.planned)
    whole = form.format(number=entry.measured, planned=entry.planned)
    return tr("{number} failed, {whole}").format(number=entry.failed, whole=whole) if entry.failed else whole


def _note(context: CommandContext, archive: Archive, number: str, text: str) -> int:
    entry, note = EntryId.parse(number), checked_note(text)
    archive.store.set_note(entry, note)
    done = tr("The note on {entry} is stored.") if note else tr("The note on {entry} is removed.")
    context.out.print(done.format(entry=_named(entry)))
    return ExitCode.OK


def _delete(context: CommandContext, archive: Archive, ids: Sequence[EntryId]) -> int:
    found = find_entries(archive.store, ids)
    if not context.options.yes and not _is_agreed(context, found):
        context.err.print(tr("Nothing was deleted."))
        return ExitCode.CANCELLED
    archive.store.delete_measured([one.id for one in found if one.id is not None])
    names = ", ".join(_named(one.id) for one in found if one.id is not None)
    context.out.print(tr("Deleted: {names}.").format(names=names), soft_wrap=True)
    return ExitCode.OK


def _is_agreed(context: CommandContext, found: Sequence[HistoryEntry]) -> bool:
    """Show what is deleted and what remains, and ask."""
    if not sys.stdin.isatty():
        raise InvalidOption(DELETE_WITHOUT_ANSWER())
    context.err.print(tr("These are deleted for good, with every figure, sample and note:"))
    history_table(found).print(context.err)
    context.err.print(tr("The audit log, deployments and reports in files remain."))
    return ask_yes(tr("Delete?"))


def _named(entry: EntryId) -> str:
    return f"{word_of(entry.kind)} {entry.number}"
