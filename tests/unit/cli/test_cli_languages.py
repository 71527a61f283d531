"""Help and errors of the command line in another language: none of it is left in English, and it fits a terminal."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest
from pseudo_language import brackets, unbracketed
from test_cli_help import commands

from app.cli.examples import EXAMPLES
from app.cli.main import main
from app.cli.man import man
from app.cli.parser import make_parser
from app.domain.linting import ConfigKind
from app.wording.language import VARIABLE, current_language, use_language

_WORD = re.compile(r"[A-Za-z]{2,}")
_DATA = frozenset({"tunnelmark", "lab", "PLATFORM", *map(str, ConfigKind)})


@pytest.fixture(autouse=True)
def language_is_restored() -> Iterator[None]:
    before = current_language()
    yield
    use_language(before)


def _parsers() -> dict[str, argparse.ArgumentParser]:
    top = make_parser()
    return {"": top, **{one.prog.removeprefix("tunnelmark "): one for one in commands(top)}}


def _names(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Give the words of a parser that are names: options, places of values, and choices."""
    for action in parser._actions:
        yield from action.option_strings
        yield from [action.metavar] if isinstance(action.metavar, str) else action.metavar or [action.dest.upper()]
        yield from map(str, action.choices or ())


def test_no_help_has_words_that_are_not_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10000")
    with brackets():
        texts = {words: (parser, parser.format_help()) for words, parser in _parsers().items()}
    assert len(texts) > 40
    faults = {}
    for words, (parser, text) in texts.items():
        rest = unbracketed(text.replace(EXAMPLES.get(words, "\0"), ""))
        known = {*_DATA, *_WORD.findall(words), *(part for name in _names(parser) for part in _WORD.findall(name))}
        left = [word for word in _WORD.findall(rest) if word not in known]
        if left:
            faults[words] = left
    assert faults == {}


def test_german_help_fits_into_80_columns_but_for_the_command_of_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    use_language("de")
    wide = {
        (words, line)
        for words, parser in _parsers().items()
        for line in parser.format_help().splitlines()
        if len(line) > 80 and not line.startswith("  tunnelmark ")
    }
    assert wide == set()


def test_german_help_says_nothing_as_the_english_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    english = {words: _texts(parser) for words, parser in _parsers().items()}
    use_language("de")
    german = {words: _texts(parser) for words, parser in _parsers().items()}
    assert english.keys() == german.keys()
    same = {text for words, texts in english.items() for text in texts & german[words]}
    assert same - {"Host A", "Host B"} == set()


def _texts(parser: argparse.ArgumentParser) -> set[str]:
    groups = {group.title for group in parser._action_groups}
    return {text for text in (parser.description, *groups, *(action.help for action in parser._actions)) if text}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("compar", "Fehler: es gibt keinen Befehl compar. Ist compare gemeint? Siehe tunnelmark --help."),
        ("rank --wieghts", "Fehler: unbekannt: --wieghts. Ist --weights gemeint? Siehe tunnelmark rank --help."),
        ("rank --campaign seven", "Argument --campaign: seven ist keine ganze Zahl"),
        ("report --html", "Argument --html: ein Wert erwartet"),
        ("completion", "diese Argumente fehlen: shell (eines von bash, zsh, fish)"),
        ("completion tcsh", "tcsh ist keines von bash, zsh, fish."),
        ("status north --max-loss-pct 101", "101 liegt nicht zwischen 0 und 100"),
        ("history --note 3", "Argument --note: 2 Werte erwartet"),
        ("history --json --delete 3", "nicht zusammen mit Argument --json möglich"),
        ("compare north --pings 3", "--pings 3 ist außerhalb des zulässigen Bereichs.\n10 bis 1000000 wählen."),
        ("deploy north wiregard", "Es gibt keine Lösung namens wiregard. Ist wireguard gemeint?"),
    ],
)
def test_errors_are_german(
    line: str, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "de")
    monkeypatch.setenv("COLUMNS", "200")
    assert _status(line) == 2
    assert expected in capsys.readouterr().err


def _status(line: str) -> object:
    try:
        return main(line.split())
    except SystemExit as error:  # argparse ends by itself
        return error.code


def test_the_man_page_is_english_in_every_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    pages = []
    for code in ("en", "de"):
        use_language(code)
        man(None)  # type: ignore[arg-type]
        pages.append(capsys.readouterr().out)
    assert pages[0] == pages[1]
    assert "list stored pairs and running labs" in pages[0].replace("\n", " ").lower()


def test_limits_are_written_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "north", "--pings", "-5"]) == 2
    assert "--pings -5 is out of range.\nChoose 10 to 1000000." in capsys.readouterr().err
