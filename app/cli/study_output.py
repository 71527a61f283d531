"""Outcome of a study that was run: figures as JSON, a table on the terminal, a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.files import write_text
from app.wording.language import tr


def hand_out(
    context: CommandContext,
    data: Mapping[str, object],
    *,
    show: Callable[[], None],
    report: Path | None,
    write: Callable[[Path], object],
) -> None:
    """Write and print what the options ask for.

    Args:
        data: Figures for `--json`.
        show: Prints figures; left out where the JSON goes to stdout.
        report: File of the report; None for none.
        write: Writes the report.
    """
    options = context.options
    if options.json:
        write_text(options.json, json.dumps(data, indent=2))
    if options.json != "-":
        show()
    if report is not None:
        write(report)
        context.err.print(tr("Report: {path}").format(path=report), markup=False)
