"""Help, colours, verbosity and exit statuses, for every command alike."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from sample_records import sample_record

from app.cli.context import CommandContext
from app.cli.examples import EXAMPLES
from app.cli.exit_codes import EXIT_STATUSES, ExitCode
from app.cli.main import main
from app.cli.messages import NO_LAB
from app.cli.parser import make_parser, parse
from app.cli.terminal import make_console
from app.domain.audit import AuditEntry
from app.domain.condition_files import presets
from app.domain.deployment import CONFIRM_WITHIN_S
from app.domain.messages.inputs import CONDITION_UNKNOWN
from app.domain.paths import find_paths
from app.domain.sides import Side
from app.domain.user import this_user
from app.lab.conditions import LabCondition
from app.lab.messages import LAB_UNKNOWN
from app.storage import Store
from support.message_checks import shows


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Give every command, and every group of commands."""
    if " " in parser.prog:
        yield parser
    for action in [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]:
        for child in action.choices.values():
            yield from commands(child)


ALL = {parser.prog.removeprefix("tunnelmark "): parser for parser in commands(make_parser())}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.mark.parametrize("words", list(ALL))
def test_help_has_one_example_that_is_understood(words: str) -> None:
    text = ALL[words].format_help()
    assert text.count("example:") == 1
    example = EXAMPLES[words]
    assert f"  {example}\n" in text
    assert ALL[words].prog in example
    assert (ALL[words].description or "").endswith("."), "a sentence says what it is for"
    assert parse(example.partition(" > ")[0].split()[1:]).handler


@pytest.mark.parametrize("words", ["", *ALL])
def test_help_fits_into_80_columns_but_for_the_command_of_an_example(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = ALL[words] if words else make_parser()
    wide = [line for line in parser.format_help().splitlines() if len(line) > 80]
    assert [line for line in wide if not line.startswith("  tunnelmark ")] == []


@pytest.mark.parametrize(
    ("option", "metavars"),
    [("--suite", {"SUITE"}), ("--solutions", {"A,B"}), ("--bridge", {"A=PORT"}), ("--load-cap", {"MBIT"})],
)
def test_an_option_of_several_commands_takes_the_same_words(option: str, metavars: set[str]) -> None:
    actions = [one for parser in ALL.values() for one in parser._actions if option in one.option_strings]
    assert len(actions) > 1
    assert {one.metavar for one in actions} == metavars


def test_the_example_that_joins_two_lans_waits_for_the_user_as_the_window_does() -> None:
    options = parse(EXAMPLES["deploy"].split()[1:])
    assert options.bridge
    assert options.confirm_within == CONFIRM_WITHIN_S
    assert f"the window suggests {CONFIRM_WITHIN_S:.0f} s" in " ".join(ALL["deploy"].format_help().split())


def test_exit_statuses_are_in_the_top_level_help_and_nowhere_else() -> None:
    top = make_parser().format_help()
    assert set(EXIT_STATUSES) == set(ExitCode)
    for code, text in EXIT_STATUSES.items():
        assert f"  {int(code):<4} {text}\n" in top
        assert not [words for words, parser in ALL.items() if text in parser.format_help() and len(text) > 10]


@pytest.mark.parametrize("line", ["--no-color -v history", "history --no-color -v", "-v history --no-color"])
def test_common_options_count_before_and_after_the_command(line: str) -> None:
    options = parse(line.split())
    assert (options.no_color, options.verbose) == (True, 1)
    assert not hasattr(parse(["history"]), "no_color")


def test_no_color_and_the_variable_take_colours_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not make_console(is_for_errors=False).no_color
    assert make_console(is_for_errors=False, has_colour=False).no_color
    monkeypatch.setenv("NO_COLOR", "1")
    assert make_console(is_for_errors=False).no_color


@pytest.mark.parametrize(("flags", "level"), [([], logging.ERROR), (["-v"], logging.INFO), (["-vv"], logging.DEBUG)])
def test_verbose_shows_more_of_the_log(flags: list[str], level: int) -> None:
    before = logging.getLogger("app").level
    try:
        assert main([*flags, "history"]) == ExitCode.OK
        assert logging.getLogger("app").level == level
    finally:
        logging.getLogger("app").setLevel(before)


def test_taking_down_a_lab_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "down", "--name", "nosuch"]) == ExitCode.INVALID
    reported = capsys.readouterr()
    assert NO_LAB(name="nosuch") in reported.err
    assert "is down" not in reported.out


def test_audit_names_who_changed_a_host_for_a_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    paths = find_paths()
    paths.data_dir.mkdir(parents=True, exist_ok=True)
    with Store.open(paths.database) as store:
        store.save_pair(sample_record().plan.pair)
        store.audit(AuditEntry(datetime(2026, 3, 6, tzinfo=UTC), "10.0.0.1", None, "ip link add tm0", 0, "Make it"))
        store.audit(AuditEntry(datetime(2026, 3, 7, tzinfo=UTC), "127.0.0.1", Side.B, "ip link del tm0", 0, "End it"))
    assert main(["audit"]) == ExitCode.OK
    reported = capsys.readouterr().out
    assert f"{this_user()} 10.0.0.1 [0] Make it" in reported
    assert f"{this_user()} 127.0.0.1 (B) [0] End it" in reported


def test_again_means_one_thing() -> None:
    with_again = [words for words, parser in ALL.items() if "--again" in parser.format_help()]
    assert with_again == ["deploy"]


def test_conditions_are_listed_and_an_unknown_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "condition"]) == ExitCode.OK
    assert "geo: Geostationary satellite, round trip 500 ms; 10.0 Mbit/s, no loss in each direction" in (
        " ".join(capsys.readouterr().out.split())
    )
    assert main(["lab", "condition", "moon"]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, CONDITION_UNKNOWN.text, name="moon")
    assert main(["lab", "condition", "geo", "--name", "nosuch"]) == ExitCode.INVALID
    assert LAB_UNKNOWN(lab="nosuch") in capsys.readouterr().err


@pytest.mark.parametrize(("holder", "in_force"), [(None, "geo"), (17, None)])
def test_a_condition_that_waits_for_a_process_is_not_called_in_force(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], holder: int | None, in_force: str | None
) -> None:
    geo = presets()["geo"]
    now = LabCondition(presets()[in_force] if in_force else None, geo, holder, is_emulated=in_force is not None)
    labs = SimpleNamespace(set_condition=lambda *_: None, condition_of=lambda _name: now)
    monkeypatch.setattr(CommandContext, "labs", lambda _self: labs)
    assert main(["lab", "condition", "geo"]) == ExitCode.OK
    out, err = (" ".join(text.split()) for text in capsys.readouterr())
    assert ("is now: " in out, "once process 17 releases it" in out) == (holder is None, holder is not None)
    assert ("Until then it is: as found." in err) is (holder is not None)
