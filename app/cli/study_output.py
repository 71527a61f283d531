"""Output of a study that is shown or was run: figures as JSON, a table on the terminal, a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.files import STDOUT, check_text, report_paths, write_json
from app.wording.language import tr


def asked_report(context: CommandContext) -> Path | None:
    """Return where the report is to be written; None for none.

    Nothing is measured before the files that are asked for can be written.

    Raises:
        InvalidOption: A path cannot be written to, is a file that must not be replaced, or is no HTML file.
    """
    options = context.options
    check_text(context, options.json)
    return next(iter(report_paths(context, {".html": options.report})), None)


def hand_out(
    context: CommandContext,
    data: Mapping[str, object],
    *,
    show: Callable[[], None],
    report: Path | None = None,
    write: Callable[[Path], object] | None = None,
) -> None:
    """Write and print what the options ask for.

    Args:
        data: Figures for `--json`.
        show: Prints figures; left out where the JSON goes to stdout.
        report: File of the report; None for none.
        write: Writes the report; None where a command has none.
    """
    options = context.options
    if options.json:
        write_json(options.json, data)
    if options.json != STDOUT:
        show()
    if report is not None and write is not None:
        write(report)
        context.err.print(tr("Report: {path}").format(path=report), soft_wrap=True)
