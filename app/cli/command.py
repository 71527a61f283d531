"""Building blocks of the parser: a command, a group of them, and the options that several share."""

from __future__ import annotations

import argparse
import functools
import importlib
import math
from collections.abc import Callable
from typing import TypeAlias

from app.cli.arguments import HelpFormatter
from app.cli.context import CommandContext
from app.cli.examples import epilog_of
from app.cli.files import STDOUT
from app.cli.messages import NOT_ABOVE_0
from app.wording.language import current_language, tr
from app.wording.messages import local_text

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - no public name
"""Commands of the program, or of one of its groups."""

Handler = Callable[[CommandContext], int]


def add_group(commands: Commands, name: str, text: str, description: str) -> Commands:
    """Add a command that has commands of its own; return these."""
    parser = commands.add_parser(name, help=text, description=description, formatter_class=HelpFormatter)
    parser.epilog = epilog_of(parser.prog)
    return parser.add_subparsers(title=tr("commands"), metavar="COMMAND", required=True)


def add_command(
    commands: Commands,
    name: str,
    handler: str,
    text: str,
    *,
    has_pair: bool = False,
    is_pair_optional: bool = False,
) -> argparse.ArgumentParser:
    """Add a command.

    Args:
        commands: Where to.
        name: As it is typed.
        handler: Module in app.cli and function, as in `doctor.doctor`.
        text: Its line in the list of commands, and the first sentence of its help.
        has_pair: Whether it takes a PAIR and connects to its hosts.
        is_pair_optional: Whether the PAIR may be left out.
    """
    parser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        formatter_class=HelpFormatter,
        parents=[common_options()],
    )
    parser.epilog = epilog_of(parser.prog)
    parser.set_defaults(handler=handler_of(handler))
    if has_pair:
        pair_help = tr(
            "a stored pair, lab:NAME (a running lab), or lab:PLATFORM (started for this command unless one is up): "
            "lab:debian-13, lab:debian-11, lab:debian-12-legacy, lab:debian-13-libreswan, lab:A=debian-11,B=debian-13"
        )
        parser.add_argument("pair", metavar="PAIR", nargs="?" if is_pair_optional else None, help=pair_help)
        add_host_keys(parser)
    return parser


def common_options() -> argparse.ArgumentParser:
    """Return options of every command, which all parsers share; they count before its name and after it."""
    return _common_options(current_language())


@functools.cache
def _common_options(_language: str) -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--no-color", action="store_true", help=tr("no colours; so does the variable NO_COLOR"))
    common.add_argument(
        "-v", "--verbose", action="count", help=tr("report more on stderr; twice: every command that is run on a host")
    )
    return common


def positive(text: str) -> float:
    """Read a number above 0, as argparse's `type`."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(local_text(NOT_ABOVE_0(text=text)))
    return number


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the option by which files are replaced."""
    parser.add_argument(
        "--force", action="store_true", help=tr("replace files that are there already (asked about at a terminal)")
    )


def add_json(parser: argparse.ArgumentParser, text: str) -> None:
    """Add `--json [FILE]`, the same for every command that has results: to stdout without a file.

    Args:
        parser: The command.
        text: Its content, as in `write every result as JSON`.
    """
    parser.add_argument(
        "--json", nargs="?", const=STDOUT, metavar="FILE", help=tr("{text}; to stdout without FILE").format(text=text)
    )


def add_platform(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a practice lab's platform."""
    text = tr(
        "debian-13 (default), debian-11, debian-12-legacy, debian-13-libreswan, or one for each side: "
        "A=debian-11,B=debian-13"
    )
    parser.add_argument("--platform", default="debian-13", metavar="PLATFORM", help=text)


def add_host_keys(parser: argparse.ArgumentParser) -> None:
    """Add the option by which unknown host keys are accepted."""
    parser.add_argument(
        "--accept-host-key",
        action="append",
        metavar="HOST=SHA256:…",
        help=tr("accept an unknown key of this host with this fingerprint (may be given for several hosts)"),
    )


def handler_of(name: str) -> Handler:
    """Return a function that imports a command's module when it is called: `rank` must not wait for SSH and the lab."""

    def handle(context: CommandContext) -> int:
        module, _, function = name.partition(".")
        command: Handler = getattr(importlib.import_module(f"app.cli.{module}"), function)
        return command(context)

    return handle
