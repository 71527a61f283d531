"""Progress on stderr while a comparison or a census runs."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from sample_records import sample_record

from app.cli.census import CensusDisplay, cancelled_text
from app.cli.progress import STAGE_WORDS, CampaignDisplay, JobProgress
from app.cli.terminal import CleanConsole
from app.domain.events import (
    AttemptEnded,
    AttemptStarted,
    CampaignStarted,
    Event,
    LogLevel,
    LogLine,
    Progress,
    Stage,
    StageStarted,
    UnderlayChanged,
)
from app.domain.profiles import ADAPTIVE_PROFILE
from app.domain.results import AttemptKey
from app.measurement.comparison.attempt import not_run

KEY = AttemptKey(0, "wireguard", "default", "as-found", 1)


def console_of(*, is_terminal: bool) -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return CleanConsole(file=written, force_terminal=is_terminal, width=100, color_system=None), written


@pytest.mark.parametrize("kind", [CampaignDisplay, CensusDisplay])
def test_without_a_terminal_there_are_warnings_and_no_bar(kind: type[CampaignDisplay | CensusDisplay]) -> None:
    console, written = console_of(is_terminal=False)
    with kind(console) as display:
        display.handle(Progress(0.25, 90.0, "[bold] AES-128-CBC"))
        display.handle(LogLine(LogLevel.INFO, "Only for the log."))
        display.handle(LogLine(LogLevel.WARNING, "[red] A doubt."))
    assert [line.strip() for line in written.getvalue().splitlines()] == ["[red] A doubt."]


HOSTILE = "\x1b]0;pwned\x07 \x1b[2J [bold]x"


def assert_is_verbatim(written: str) -> None:
    assert "[bold]x" in written
    assert not [one for one in ("\x1b]", "\x07", "\x1b[2J") if one in written]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_hosts_words_steer_no_terminal(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal has no bars
    console, written = console_of(is_terminal=is_terminal)
    with JobProgress(console) as bars:
        bars.update("first", None)
        bars.update(HOSTILE, 0.5)
    assert_is_verbatim(written.getvalue())
    console, written = console_of(is_terminal=is_terminal)
    with JobProgress(console) as bars:
        bars.update(HOSTILE, None)
    assert_is_verbatim(written.getvalue())


def test_a_hosts_words_beside_the_bar_of_a_comparison_steer_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    console, written = console_of(is_terminal=True)
    with CampaignDisplay(console) as display:
        display.handle(CampaignStarted(1, sample_record().plan, ()))
        display.handle(StageStarted(KEY, Stage.PREFLIGHT, HOSTILE))
    assert_is_verbatim(written.getvalue())


STEPS = (
    StageStarted(KEY, Stage.PREFLIGHT, "gateway-a"),
    StageStarted(KEY, Stage.PREFLIGHT, "gateway-b"),
    StageStarted(KEY, Stage.LATENCY, "60 B"),
    StageStarted(KEY, Stage.LATENCY, "128 B"),
    LogLine(LogLevel.INFO, "Only for the log."),
)


def test_a_cancelled_census_can_be_resumed_only_where_an_option_is_left() -> None:
    assert cancelled_text(is_complete=False).endswith("It can be resumed.")
    assert "resumed" not in cancelled_text(is_complete=True)


def test_without_a_terminal_each_stage_is_one_plain_line() -> None:
    assert shown(*STEPS) == ["preflight checks", "measuring latency"]
    assert set(STAGE_WORDS) == set(Stage)


def test_a_stage_of_the_next_attempt_is_a_line_again() -> None:
    again = AttemptStarted(replace(KEY, position=1), "WireGuard")
    assert shown(STEPS[0], again, STEPS[0])[::2] == ["preflight checks", "preflight checks"]


def test_stages_of_candidates_that_are_set_up_side_by_side_have_one_line_in_each_round() -> None:
    record = sample_record(rounds=2)
    plan = replace(record.plan, profile=ADAPTIVE_PROFILE)
    other = replace(KEY, position=1, solution="openvpn-udp", suite="aes-256-gcm")
    stages = (Stage.IDENTITY, Stage.APPLY)
    side_by_side = [StageStarted(key, stage) for key in (KEY, other) for stage in stages]
    second = [replace(one, key=replace(one.key, round=2)) for one in side_by_side]
    lines = shown(
        CampaignStarted(7, plan, ()),
        AttemptStarted(KEY, "WireGuard"),
        AttemptStarted(other, "OpenVPN over UDP"),
        *side_by_side,
        AttemptStarted(replace(KEY, round=2), "WireGuard"),
        *second,
    )
    words = [STAGE_WORDS[stage] for stage in stages]
    assert [line for line in lines if line in words] == [*words, *words]
    assert lines[0].endswith(" min.")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_verbose_gives_each_step_a_line(is_terminal: bool) -> None:
    console, written = console_of(is_terminal=is_terminal)
    with CampaignDisplay(console, is_verbose=True) as display:
        for event in STEPS:
            display.handle(event)
    for words in ("preflight checks: gateway-b", "measuring latency: 128 B", "Only for the log."):
        assert words in written.getvalue()


def test_a_terminal_gets_a_bar_instead_of_lines() -> None:
    console, written = console_of(is_terminal=True)
    with CensusDisplay(console) as display:
        display.handle(Progress(0.25, 90.0, "[bold] AES-128-CBC"))
    assert "25%" in written.getvalue()
    assert "[bold] AES-128-CBC" in written.getvalue()
    assert "1:30 left" in written.getvalue()
    assert "1:30 left:" not in written.getvalue()


def test_a_stage_before_the_bar_is_there_is_not_shown() -> None:
    console, written = console_of(is_terminal=True)
    with CampaignDisplay(console) as display:
        display.handle(StageStarted(KEY, Stage.PREFLIGHT, "both hosts"))
    assert "both hosts" not in written.getvalue()


def shown(*seen: Event) -> list[str]:
    console, written = console_of(is_terminal=False)
    with CampaignDisplay(console) as display:
        for event in seen:
            display.handle(event)
    return [" ".join(line.split()) for line in written.getvalue().replace("\n      ", "\n").splitlines()]


def test_a_dead_link_is_reported_once_and_not_again_for_each_attempt_that_was_not_run() -> None:
    down = UnderlayChanged(is_up=False, text="The link carries nothing any more.")
    left = [
        not_run(replace(KEY, position=nth), "underlay-down", "The link carries nothing any more.") for nth in (1, 2)
    ]
    assert shown(down, *map(AttemptEnded, left)) == ["The link carries nothing any more."]
    assert shown(UnderlayChanged(is_up=True, text="It carries frames again.")) == ["It carries frames again."]


def test_why_the_rest_of_a_plan_was_not_run_is_reported_once() -> None:
    left = [not_run(replace(KEY, position=nth), "host-unreachable", "gateway-b stays away.") for nth in (1, 2, 3)]
    assert shown(*map(AttemptEnded, left)) == ["not run: gateway-b stays away."]


def test_a_census_shows_a_dead_link() -> None:
    console, written = console_of(is_terminal=False)
    with CensusDisplay(console) as display:
        display.handle(UnderlayChanged(is_up=False, text="The link carries nothing any more."))
    assert written.getvalue().strip() == "The link carries nothing any more."
