"""Argument parser that names what was probably meant where a command, an option or a value is mistyped."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from app.cli.argparse_texts import MISSING, translate_argparse
from app.cli.messages import NO_WHOLE_NUMBER, SEE_HELP, UNKNOWN_ARGUMENTS, UNKNOWN_CHOICE, UNKNOWN_COMMAND
from app.cli.names import meant
from app.domain.messages import sentences
from app.wording.language import tr
from app.wording.messages import local_text

translate_argparse()


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
        """Report what is wrong; of a missing argument also what it can be."""
        before, missing, names = message.partition(tr(MISSING).removesuffix("%s"))
        super().error(f"{missing}{', '.join(map(self._with_choices, names.split(', ')))}" if not before else message)

    def _with_choices(self, name: str) -> str:
        for action in self._actions:
            if name in (action.dest, action.metavar) and action.choices is not None and not action.option_strings:
                known = {str(choice).lower(): str(choice) for choice in reversed(list(action.choices))}
                return tr("{name} (one of {choices})").format(name=name, choices=", ".join(reversed(known.values())))
        return name

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        known = [option for action in self._actions for option in action.option_strings]
        guesses = (meant(word.partition("=")[0], known) for word in unknown if word.startswith("-"))
        guess = next(filter(None, guesses), "")
        self.error(
            local_text(sentences([UNKNOWN_ARGUMENTS(words=" ".join(unknown)), guess, SEE_HELP(program=self.prog)]))
        )

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError as error:
            if action.type is int:
                raise argparse.ArgumentError(action, local_text(NO_WHOLE_NUMBER(text=arg_string))) from error
            raise

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        guess = meant(str(value), known)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no public name for it
            unknown = sentences([UNKNOWN_COMMAND(command=str(value)), guess, SEE_HELP(program=self.prog)])
            raise argparse.ArgumentError(None, local_text(unknown))
        raise argparse.ArgumentError(
            action, local_text(UNKNOWN_CHOICE(value=str(value), known=tuple(known), guess=guess))
        )
