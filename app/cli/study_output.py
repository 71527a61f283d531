"""Output of a study that is shown or was run: figures as JSON, a table on the terminal, a report."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, check_text, report_paths, write_json
from app.cli.messages import STUDY_GOES_ON, STUDY_INCOMPLETE, STUDY_LEFT_HOSTS
from app.domain.errors import Cancelled, TunnelmarkError
from app.domain.messages import sentences
from app.domain.topology import NodeKind
from app.wording.language import tr
from app.wording.messages import local_text


def asked_report(context: CommandContext) -> Path | None:
    """Return where the report is to be written; None for none.

    Nothing is measured before the files that are asked for can be written.

    Raises:
        InvalidOption: A path cannot be written to, is a file that must not be replaced, or is no HTML file.
    """
    options = context.options
    check_text(context, options.json)
    return next(iter(report_paths(context, {".html": options.report})), None)


@contextmanager
def explained_end(context: CommandContext, pair: str) -> Iterator[None]:
    """Print how to go on, and how to restore hosts, where a `with` block in which a study is measured ends early.

    Args:
        pair: Name of the pair.
    """
    try:
        yield
    except Cancelled:
        context.err.print(local_text(STUDY_GOES_ON(command=_command(context, pair))), soft_wrap=True)
        raise
    except TunnelmarkError as error:
        if error.left:
            restore = STUDY_LEFT_HOSTS(pair=pair, command=_command(context, pair))
            error.hint = sentences((error.hint, restore))
        raise


def study_status(context: CommandContext, pair: str, *, missing: int, total: int) -> ExitCode:
    """Return the exit status of a study; where measurements have no result, print how they are made again.

    Args:
        pair: Name of the pair.
    """
    if not missing:
        return ExitCode.OK
    form = STUDY_INCOMPLETE(missing=missing, total=total, command=_command(context, pair))
    context.err.print(local_text(sentences((form, form.hint))), soft_wrap=True)
    return ExitCode.INCOMPLETE


def _command(context: CommandContext, pair: str) -> str:
    """Return the command that measures what a run has left."""
    options = context.options
    words = ["tunnelmark", "study", "run", options.study, pair, "--part", options.part]
    words += ["--solutions", options.solutions] if options.solutions is not None else []
    words += ["--within", f"{options.within}"] if options.within is not None else []
    words += ["--nodes", options.nodes] if NodeKind(options.nodes) is NodeKind.MACHINES else []
    return shlex.join(words)


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
