"""The audit log of a pair, and as a text by the ending of the file that it goes to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.deployment.messages import AUDIT_FORMAT
from app.domain.audit import AuditEntry
from app.domain.errors import InvalidFile
from app.domain.hosts import Side
from app.domain.plain_text import formula_safe
from app.storage import Store
from app.storage.codec import to_data

AUDIT_LIMIT = 100_000
"""So many of the newest entries are shown; a file gets all of them."""
_NAMES = ("at", "who", "host", "side", "command", "exit_status", "what", "deployment")
"""Columns, in the order in which one reads them."""


def _as_json(entries: Sequence[AuditEntry]) -> str:
    return json.dumps([to_data(entry) for entry in entries], indent=2)


def _as_csv(entries: Sequence[AuditEntry]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, _NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: formula_safe(cell) for name, cell in to_data(entry).items()} for entry in entries)
    return out.getvalue()


_TEXTS: Mapping[str, Callable[[Sequence[AuditEntry]], str]] = {".json": _as_json, ".csv": _as_csv}


def audit_entries(store: Store, pair_name: str | None) -> tuple[AuditEntry, ...]:
    """Return what was run last on the hosts of a pair, or of all, newest first; see `AUDIT_LIMIT`.

    Raises:
        NotFound: There is no such pair.
    """
    return _of_pair(store, pair_name, store.list_audit(limit=AUDIT_LIMIT))


def _of_pair(store: Store, pair_name: str | None, entries: tuple[AuditEntry, ...]) -> tuple[AuditEntry, ...]:
    if pair_name is None:
        return entries
    pairs = [one.pair for one in store.list_deployments(pair_name)] or [store.get_pair(pair_name)]
    hosts = {pair.host(side).address for pair in pairs for side in Side}
    hosts.update(node.host.address for pair in pairs for node in pair.nodes.values())
    return tuple(entry for entry in entries if entry.host in hosts)


def audit_text(store: Store, path: Path, pair_name: str | None) -> str:
    """Return all of the audit log as it goes to a file.

    Raises:
        InvalidFile: Its ending is neither .csv nor .json.
        NotFound: There is no such pair.
    """
    make = _TEXTS.get(path.suffix)
    if make is None:
        raise InvalidFile(AUDIT_FORMAT(file=path.name, stem=path.stem))
    return make(_of_pair(store, pair_name, store.list_audit(limit=None)))
