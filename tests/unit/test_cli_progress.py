"""What is shown on stderr while a comparison or a census runs."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from app.cli.census import CensusDisplay
from app.cli.progress import CampaignDisplay, EventDisplay
from app.domain.events import LogLevel, LogLine, Progress, Stage, StageStarted
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
