"""What is shown on stderr while a comparison or a census runs."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from app.campaign.attempt import not_run
from app.cli.census import CensusDisplay
from app.cli.progress import CampaignDisplay, EventDisplay
from app.domain.events import (
    AttemptEnded,
    Event,
    LogLevel,
    LogLine,
    Progress,
    Stage,
    StageStarted,
    UnderlayChanged,
)
from app.domain.results import AttemptKey

KEY = AttemptKey(0, "wireguard", "default", "as-found", 1)


def console_of(*, is_terminal: bool) -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return Console(file=written, force_terminal=is_terminal, width=100, color_system=None), written


@pytest.mark.parametrize("kind", [CampaignDisplay, CensusDisplay])
def test_without_a_terminal_there_is_a_line_now_and_then(kind: type[CampaignDisplay | CensusDisplay]) -> None:
    console, written = console_of(is_terminal=False)
    with kind(console) as display:
        display.handle(Progress(0.25, 10.0, 90.0, "[bold] AES-128-CBC"))
        display.handle(Progress(0.5, 20.0, 60.0, "too soon for another line"))
        display.handle(LogLine(LogLevel.INFO, "Only for the log."))
        display.handle(LogLine(LogLevel.WARNING, "[red] A doubt."))
    lines = [line.strip() for line in written.getvalue().splitlines()]
    assert lines == ["25%, 1:30 left: [bold] AES-128-CBC", "[red] A doubt."]


def test_another_line_comes_when_it_is_time() -> None:
    console, written = console_of(is_terminal=False)
    display = EventDisplay(console, plain_every_s=0.0)
    display._progress(Progress(0.25, 10.0, 90.0, "first"))
    display._progress(Progress(0.5, 20.0, 60.0, "second"))
    assert [line.rpartition(" ")[2] for line in written.getvalue().splitlines()] == ["first", "second"]


def test_a_terminal_gets_a_bar_instead_of_lines() -> None:
    console, written = console_of(is_terminal=True)
    with CensusDisplay(console) as display:
        display.handle(Progress(0.25, 10.0, 90.0, "[bold] AES-128-CBC"))
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


def test_a_dead_link_is_said_once_and_not_again_for_each_attempt_that_was_not_run() -> None:
    down = UnderlayChanged(is_up=False, text="The link carries nothing any more.")
    left = [
        not_run(replace(KEY, position=nth), "underlay-down", "The link carries nothing any more.") for nth in (1, 2)
    ]
    assert shown(down, *map(AttemptEnded, left)) == ["The link carries nothing any more."]
    assert shown(UnderlayChanged(is_up=True, text="It carries frames again.")) == ["It carries frames again."]


def test_why_the_rest_of_a_plan_was_not_run_is_said_once() -> None:
    left = [not_run(replace(KEY, position=nth), "host-unreachable", "gateway-b stays away.") for nth in (1, 2, 3)]
    assert shown(*map(AttemptEnded, left)) == ["not-run: gateway-b stays away."]


def test_a_census_shows_a_dead_link() -> None:
    console, written = console_of(is_terminal=False)
    with CensusDisplay(console) as display:
        display.handle(UnderlayChanged(is_up=False, text="The link carries nothing any more."))
    assert written.getvalue().strip() == "The link carries nothing any more."
