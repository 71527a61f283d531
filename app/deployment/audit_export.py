"""The audit log as a text, by the ending of the file that it goes to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence

from app.domain.audit import AuditEntry
from app.domain.plain_text import formula_safe
from app.storage.codec import to_data

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


AUDIT_TEXTS: Mapping[str, Callable[[Sequence[AuditEntry]], str]] = {".json": _as_json, ".csv": _as_csv}
