"""`tunnelmark history`: what is stored, notes, deleting."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import ask_yes
from app.cli.tables import Column, Kind, Table
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.domain.errors import InvalidOption
from app.domain.history import EntryId, EntryKind, HistoryEntry, checked_note
from app.ranking.history_entries import is_unranked
from app.wording.deployment_sentences import state_word

if TYPE_CHECKING:
    from app.domain.progress import ProgressSink
    from app.reports.archive import Archive

_MANY = 20
"""Comparisons that are ranked before progress is shown; all of them together take a second or so."""

_COLUMNS = (
    Column("number"),
    Column("started", rank=2),
    Column("pair"),
    Column("what", rank=1),
    Column("profile", rank=5),
    Column("measured"),
    Column("status"),
    Column("result", Kind.PROSE, rank=3),
    Column("note", Kind.PROSE, rank=4),
)


def history(context: Context) -> int:
    """List what is stored, or change it."""
    options = context.options
    if options.yes and not options.delete:
        raise InvalidOption("--yes belongs to --delete.", hint="tunnelmark history --delete N --yes")
    with context.archive() as archive:
        if options.note:
            return _note(context, archive, *options.note)
        if options.delete:
            return _delete(context, archive, [EntryId.parse(text) for text in options.delete])
        found = context.job(lambda token, tell: _ranked(archive, token, tell))
    if options.json:
        print(json.dumps({"format": 1, "entries": [entry_data(one) for one in found]}, indent=2))  # noqa: T201 - the result
        return ExitCode.OK
    if found:
        with context.pager():
            history_table(found).print(context.out)
    else:
        context.out.print("Nothing has been measured yet. Try: tunnelmark demo", markup=False)
    return ExitCode.OK


def _ranked(archive: Archive, token: CancelToken, tell: ProgressSink) -> tuple[HistoryEntry, ...]:
    """Return every entry with its winner; those that are not known yet take a moment each."""
    entries = archive.history()
    missing = sum(is_unranked(one) for one in entries)
    found, done = [], 0
    for one in entries:
        token.raise_if_cancelled()
        if is_unranked(one):
            if missing >= _MANY:
                tell(f"Ranking {missing} comparisons, once for every later list", done / missing)
            done += 1
        found.append(archive.with_winner(one))
    return tuple(found)


def entry_data(one: HistoryEntry) -> dict[str, object]:
    """Return an entry as JSON has it; times are UTC."""
    return {
        "number": one.key,
        "kind": one.kind.value,
        "started": one.at.astimezone(UTC).isoformat(timespec="seconds"),
        "pair": one.pair,
        "profile": one.profile,
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
    table = Table(_COLUMNS)
    for one in found:
        table.add_row(
            one.key,
            f"{one.at.astimezone():%Y-%m-%d %H:%M %Z}",
            one.pair,
            "key rotation" if one.is_rotation else one.kind.value,
            one.profile or "-",
            measured_text(one),
            _state_text(one),
            one.winner.text if one.winner is not None else "-",
            " ".join(one.note.split()) or "-",
        )
    return table


def _state_text(entry: HistoryEntry) -> str:
    if entry.kind is EntryKind.DEPLOYMENT:
        return state_word(DeploymentState(entry.state), is_refused=entry.is_refused)
    return entry.state


def measured_text(entry: HistoryEntry) -> str:
    """Return how many candidates were measured, failures first."""
    if entry.kind is EntryKind.DEPLOYMENT:
        return "-"
    is_census = entry.kind is EntryKind.CENSUS
    noun, done = ("option", "tried") if is_census else ("VPN", "measured")
    whole = f"{entry.measured} of {entry.planned} {noun}{'' if entry.planned == 1 else 's'} {done}"
    return f"{entry.failed} failed, {whole}" if entry.failed else whole


def _note(context: Context, archive: Archive, number: str, text: str) -> int:
    entry, note = EntryId.parse(number), checked_note(text)
    archive.store.set_note(entry, note)
    done = f"The note on {_named(entry)} is stored." if note else f"{entry.title} has no note any more."
    context.out.print(done, markup=False)
    return ExitCode.OK


def _delete(context: Context, archive: Archive, ids: Sequence[EntryId]) -> int:
    found = archive.entries(ids)
    if not context.options.yes and not _is_agreed(context, found):
        context.err.print("Nothing was deleted.", markup=False)
        return ExitCode.CANCELLED
    archive.store.delete_measured([one.id for one in found if one.id is not None])
    names = ", ".join(_named(one.id) for one in found if one.id is not None)
    context.out.print(f"Deleted: {names}.", markup=False, soft_wrap=True)
    return ExitCode.OK


def _is_agreed(context: Context, found: Sequence[HistoryEntry]) -> bool:
    """Show what is deleted and what remains, and ask."""
    if not sys.stdin.isatty():
        raise InvalidOption("Deleting needs an answer, and there is no terminal.", hint="Add --yes.")
    context.err.print("These are deleted for good, with every figure, sample and note:", markup=False)
    history_table(found).print(context.err)
    context.err.print("The audit log, deployments and reports in files remain.", markup=False)
    return ask_yes("Delete?")


def _named(entry: EntryId) -> str:
    return entry.title[0].lower() + entry.title[1:]
