"""Argument parser that names what was probably meant where a command, an option or a value is mistyped."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from app.cli.names import meant

_MISSING = "the following arguments are required: "
"""Source: argparse of Python 3.11, parse_known_args."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps descriptions line by line: lists keep their lines, examples remain as they are typed."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + made for line in text.splitlines() for made in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    if line.startswith("  tunnelmark "):
        return [line]
    head = _LIST_HEAD.match(line)
    return textwrap.wrap(line, width, subsequent_indent=" " * (head.end() if head else 0)) or [""]


_LIST_HEAD = re.compile(r"  \S+\s+")
"""Beginning of a line of a list: its item, and the blanks before its text."""


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` for commands; its subparsers are of the same class."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and refuse in the command that it was given to what this does not know."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown)
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Say what is wrong; of a missing argument also what it can be."""
        before, mark, names = message.partition(_MISSING)
        super().error(f"{mark}{', '.join(map(self._with_choices, names.split(', ')))}" if not before else message)

    def _with_choices(self, name: str) -> str:
        for action in self._actions:
            if name in (action.dest, action.metavar) and action.choices is not None and not action.option_strings:
                known = {str(choice).lower(): str(choice) for choice in reversed(list(action.choices))}
                return f"{name} (one of {', '.join(reversed(known.values()))})"
        return name

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        known = [option for action in self._actions for option in action.option_strings]
        guesses = (meant(word.partition("=")[0], known) for word in unknown if word.startswith("-"))
        self.error(f"unknown: {' '.join(unknown)}.{next(filter(None, guesses), '')} See {self.prog} --help.")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            if action.type is int:
                raise argparse.ArgumentError(action, f"{arg_string} is not a whole number") from error
            raise

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        guess = meant(str(value), known)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
            raise argparse.ArgumentError(None, f"there is no command {value}.{guess} See {self.prog} --help.")
        raise argparse.ArgumentError(action, f"{value} is none of {', '.join(known)}.{guess}")
