"""Every command and option is in the user guide."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.parser import make_parser

GUIDE = (Path(__file__).parents[2] / "docs" / "user-guide.md").read_text(encoding="utf-8")


def commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield " ".join(words), parser
    for action in inner:
        for name, child in action.choices.items():
            yield from commands(child, (*words, name))


ALL = list(commands(make_parser()))


@pytest.mark.parametrize(("words", "parser"), ALL, ids=[words for words, _ in ALL])
def test_command_and_its_options_are_in_the_user_guide(words: str, parser: argparse.ArgumentParser) -> None:
    assert f"tunnelmark {words}" in GUIDE
    options = [
        option for action in parser._actions for option in action.option_strings if option not in ("-h", "--help")
    ]
    assert [option for option in options if f"`{option}" not in GUIDE and f" {option}" not in GUIDE] == []


@pytest.mark.parametrize("code", list(ExitCode))
def test_exit_status_is_in_the_user_guide(code: ExitCode) -> None:
    assert f"| {int(code)} |" in GUIDE
