"""Entry of the command line: parse, run, and turn errors into sentences and exit statuses."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from rich.console import Console

from app.cli.context import CommandContext, is_colourless, verbosity
from app.cli.exit_codes import ExitCode
from app.cli.parser import parse
from app.cli.terminal import make_console
from app.domain.errors import Bug, Cancelled, InputFault, PairLocked, TunnelmarkError
from app.domain.paths import find_paths
from app.domain.plain_text import plain_text
from app.wording.language import tr
from app.wording.language_choice import choose_language, system_languages
from app.wording.messages import local_hint, local_text

_LOG_LEVELS = (logging.ERROR, logging.INFO, logging.DEBUG)


class _PlainFormatter(logging.Formatter):
    """Log lines without control characters: what a host sent may be in them."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return plain_text(super().format(record))


def main(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: Without the program's name.

    Returns:
        An exit status, see `ExitCode`.
    """
    choose_language(find_paths().settings, system_languages())
    options = parse(argv)
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(_PlainFormatter("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[log])
    logging.getLogger("app").setLevel(_LOG_LEVELS[min(verbosity(options), len(_LOG_LEVELS) - 1)])
    console = make_console(is_for_errors=True, has_colour=not is_colourless(options))
    handler: Callable[[CommandContext], int] = options.handler
    try:
        return handler(CommandContext.of(options))
    except (Cancelled, KeyboardInterrupt):
        console.print(tr("Cancelled."))
        return ExitCode.CANCELLED
    except BrokenPipeError:
        # The reader of the output has gone; Python must not complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    except TunnelmarkError as error:
        show_error(console, error)
        return _status(error)
    except Exception:  # noqa: BLE001 - the edge of the program
        console.print(traceback.format_exc())
        console.print(tr("This is a fault of Tunnelmark itself. Report it with the lines above."))
        return ExitCode.BUG


def show_error(console: Console, error: TunnelmarkError) -> None:
    """Print message, hint and the host's own words."""
    console.print(tr("Error: {message}").format(message=local_text(error.message)))
    if error.hint:
        console.print(local_hint(error))
    # The message and the hint of a lock name its owner and its age already.
    for name, text in error.context.items() if not isinstance(error, PairLocked) else ():
        if text:
            console.print(f"  {name}: {text}")


def _status(error: TunnelmarkError) -> ExitCode:
    if isinstance(error, InputFault):
        return ExitCode.INVALID
    return ExitCode.BUG if isinstance(error, Bug) else ExitCode.FAILED
