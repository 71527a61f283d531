"""`tunnelmark man` and `completion`: what shells and man(1) know of the commands, out of the argument parser."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from app.cli.context import CommandContext
from app.cli.examples import EXAMPLES
from app.cli.exit_codes import EXIT_STATUSES, ExitCode
from app.wording.language import source_language

_ENVIRONMENT = {
    "NO_COLOR": "No colours, whatever its value is.",
    "PAGER, LESS": "The pager of long lists at a terminal, and its options.",
    "TUNNELMARK_HOME": "The folder for everything that is stored, instead of the usual ones.",
    "COLUMNS": "The width of help texts, and of paragraphs in a pipe or a file; tables are always whole there.",
}


_END_OF_HEAD = "\n\n"


def completion(context: CommandContext) -> int:
    """Print the completion of a shell."""
    import shtab

    from app.cli.parser import make_parser

    with source_language():
        parser = make_parser()
    for _, command in commands_of(parser):
        for action in command._actions:  # noqa: SLF001 - argparse has no public name for it
            name = action.metavar if isinstance(action.metavar, str) else ""
            if name.startswith("FILE"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif name == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    text = shtab.complete(parser, shell=context.options.shell)
    if context.options.shell == "bash":  # its head names another folder than the one that bash reads
        text = f"# {EXAMPLES['completion']}\n\n{text.partition(_END_OF_HEAD)[2]}"
    print(text)  # noqa: T201 - the result of the command
    return ExitCode.OK


def man(_context: CommandContext) -> int:
    """Print the man page."""
    from app.cli.parser import make_parser
    from app.domain.version import tunnelmark_version

    with source_language():
        page = man_page(make_parser(), tunnelmark_version(), _today())
    print(page, end="")  # noqa: T201 - the result of the command
    return ExitCode.OK


def commands_of(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Give each parser that has no commands of its own, with its words."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001 - the same
    if not groups:
        yield parser.prog, parser
    for group in groups:
        for child in group.choices.values():
            yield from commands_of(child)


def man_page(parser: argparse.ArgumentParser, version: str, date: str) -> str:
    """Return the man page of a program with commands.

    Source: man(7) of groff 1.22 and of mandoc 1.14: the macros that both have.

    Args:
        date: YYYY-MM-DD.
    """
    prog = parser.prog
    lines = [
        f'.TH {prog.upper()} 1 "{date}" "{_roff(f"{prog.capitalize()} {version}")}" "User commands"',
        ".ad l",
        ".nh",
        ".SH NAME",
        rf"{prog} \- compare, verify and deploy layer\-2 VPNs between two gateways",
        ".SH SYNOPSIS",
        rf"\fB{prog}\fR [\fIoptions\fR] [\fIcommand\fR ...]",
        ".SH DESCRIPTION",
        _roff(parser.description or ""),
        ".SH OPTIONS",
        *_options(parser),
        ".SH COMMANDS",
    ]
    for words, command in commands_of(parser):
        lines += _command(words, command)
    lines += [".SH EXIT STATUS", *_pairs({str(int(code)): f"{text}." for code, text in EXIT_STATUSES.items()})]
    lines += [".SH ENVIRONMENT", *_pairs(_ENVIRONMENT)]
    lines += [".SH SEE ALSO", r"\fBssh_config\fR(5), \fBsudoers\fR(5)"]
    return "\n".join(lines) + "\n"


def _command(words: str, command: argparse.ArgumentParser) -> list[str]:
    usage = " ".join(command.format_usage().split()).removeprefix(f"usage: {words}").strip()
    lines = [f'.SS "{_roff(words)}"', _roff(command.description or ""), ".PP", rf"\fB{_roff(words)}\fR {_roff(usage)}"]
    lines += _options(command)
    example = EXAMPLES.get(words.partition(" ")[2])
    return [*lines, ".PP", "Example:", ".PP", ".nf", _roff(f"    {example}"), ".fi"] if example else lines


def _options(parser: argparse.ArgumentParser) -> list[str]:
    formatter = parser._get_formatter()  # noqa: SLF001 - what --help uses
    lines = []
    for action in parser._actions:  # noqa: SLF001 - the same
        if action.help is argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - the same
            continue
        head = formatter._format_action_invocation(action)  # noqa: SLF001 - the same
        text = formatter._expand_help(action) if action.help else ""  # noqa: SLF001 - the same
        lines += [".TP", rf"\fB{_roff(head)}\fR", _roff(text)]
    return lines


def _pairs(rows: dict[str, str]) -> list[str]:
    return [line for head, text in rows.items() for line in (".TP", rf"\fB{_roff(head)}\fR", _roff(text))]


def _roff(text: str) -> str:
    """Return a text with nothing in it that roff would take for a request or an escape."""
    escaped = " ".join(text.split("\n")).replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    escaped = re.sub(r",(?=\S)", r",\\:", escaped)  # a line may be broken in a long list of choices
    ascii_only = "".join(one if one.isascii() else rf"\[u{ord(one):04X}]" for one in escaped)
    return rf"\&{ascii_only}" if ascii_only.startswith((".", "'", " ")) else ascii_only


def _today() -> str:
    """Return today, or the day of SOURCE_DATE_EPOCH. Source: reproducible-builds.org, specification 1.1."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch and epoch.isdecimal() else datetime.now(UTC)
    return f"{now:%Y-%m-%d}"
