"""`tunnelmark status --watch`: its output, notifications and exit status; and what is repaired at a contact."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fake_deployment_values import INSPECTED_AT, with_end
from sample_records import pair
from watched_pair import after, confirmed_deployment, healthy_status

from app.cli.context import CommandContext
from app.cli.deployments import Contact, status
from app.cli.deployments_monitor import Watch
from app.cli.desktop_notification import notify_desktop
from app.cli.messages import WATCH_OPTIONS
from app.cli.parser import parse
from app.cli.terminal import CleanConsole, TerminalPrompts
from app.deployment.events import DeploymentSink
from app.deployment.messages import (
    CANNOT_BE_ASKED,
    LOSS_ABOVE,
    LOSS_AGAIN,
    LOST_BETWEEN,
    NO_ANSWER_ON,
    REPAIR_WITH,
    RTT_ABOVE,
    TUNNEL_LOST,
    UP_AGAIN,
    WATCHING_BEGINS,
)
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.errors import Cancelled, CommandFailed, HostUnreachable, InvalidOption, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.messages.results import REPAIR_BY_DEPLOYMENT, REPAIR_BY_REMOVAL
from support.message_checks import has_message, shows

ONE = confirmed_deployment()
HEALTHY = healthy_status(ONE)
LOST_ON_B = TUNNEL_LOST(why=NO_ANSWER_ON(hosts="gateway-b"))
LOST = with_end(HEALTHY, Side.B, is_up=False, rtt_ms=None, loss_pct=100.0)
HALF = with_end(replace(HEALTHY, state=DeploymentState.HALF_CONFIRMED), Side.B, deployment_id="", is_up=False)


class Desk:
    """A terminal, or files instead of one, and a receiver of notifications."""

    def __init__(self, *words: str, is_terminal: bool = False) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        consoles = [CleanConsole(file=one, width=200, force_terminal=is_terminal) for one in (self.out, self.err)]
        options = parse(["status", "north", "--watch", "--every", "0.001", *words])
        self.context = CommandContext(options, consoles[0], consoles[1], TerminalPrompts(consoles[1]))
        self.notes: list[tuple[str, str]] = []

    def watch(self, *inspections: PairStatus | TunnelmarkError) -> int:
        """Check so often; then the user presses Ctrl-C."""
        left: Iterator[PairStatus | TunnelmarkError] = iter(inspections)

        def read_status(_token: CancelToken) -> PairStatus:
            one = next(left, Cancelled())
            if isinstance(one, BaseException):
                raise one
            return one

        watch = Watch(self.context, "north", read_status, notify=lambda title, text: self.notes.append((title, text)))
        return watch.run()


def clock(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}"


def test_a_loss_is_a_line_a_warning_and_a_notification_and_is_summed_up() -> None:
    desk = Desk()
    assert desk.watch(HEALTHY, after(LOST, 5), after(LOST, 10), after(HEALTHY, 17)) == 1
    lines = desk.out.getvalue().splitlines()
    assert lines[:4] == [
        f"{clock(INSPECTED_AT)} gateway-a: up, 1.4 ms | gateway-b: up, 1.5 ms",
        f"{clock(INSPECTED_AT)} {WATCHING_BEGINS()}",
        f"{clock(INSPECTED_AT + timedelta(seconds=5))} {LOST_ON_B}",
        f"{clock(INSPECTED_AT + timedelta(seconds=17))} {UP_AGAIN(lasted='12 s')}",
    ]
    assert lines[4].endswith("4 checks: 1 loss, 12 s together.")
    assert lines[5].split() == ["lost", "back", "for", "why"]
    lost, back = (clock(INSPECTED_AT + timedelta(seconds=seconds)) for seconds in (5, 17))
    assert lines[7].strip().split("  ")[:3] == [lost, back, "12 s"]
    assert desk.err.getvalue() == f"north: {LOST_ON_B}\n"
    assert desk.notes == [("Tunnelmark: north", LOST_ON_B)]


def test_without_a_loss_it_ends_well() -> None:
    desk = Desk()
    assert desk.watch(HEALTHY, after(HEALTHY, 5)) == 0
    assert desk.out.getvalue().rstrip().endswith("2 checks: nothing was lost.")
    assert desk.notes == []


def test_limits_are_reported_and_make_it_fail() -> None:
    slow = with_end(HEALTHY, Side.A, rtt_ms=30.0, loss_pct=20.0)
    desk = Desk("--max-rtt-ms", "20", "--max-loss-pct", "0")
    assert desk.watch(slow, after(slow, 5), after(HEALTHY, 10)) == 1
    assert [text for _, text in desk.notes] == [RTT_ABOVE(value=30.0, limit=20.0), LOSS_ABOVE(value=20.0, limit=0.0)]
    assert LOSS_AGAIN(value=0.0) in desk.out.getvalue()
    assert Desk().watch(slow) == 0, "without a limit nobody wants to know"


def test_hosts_that_do_not_answer_are_no_end_of_watching() -> None:
    desk = Desk()
    assert desk.watch(HostUnreachable("gateway-a does not answer."), HEALTHY) == 1
    assert CANNOT_BE_ASKED(why="gateway-a does not answer.") in desk.out.getvalue()
    assert shows(desk.out.getvalue(), UP_AGAIN.text)
    desk = Desk()
    assert desk.watch(LOST, after(LOST, 8)) == 1, "it is lost at the end"
    assert "2 checks: 1 loss, 8 s together." in desk.out.getvalue()
    assert "not yet" in desk.out.getvalue()


def test_on_a_terminal_the_bell_rings_and_nothing_is_reported_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal has no bell
    desk = Desk(is_terminal=True)
    desk.watch(HEALTHY, after(LOST, 5))
    assert "\a" in desk.err.getvalue()
    assert not any(shows(desk.err.getvalue(), form.text) for form in (TUNNEL_LOST, LOST_BETWEEN))
    assert LOST_ON_B in desk.out.getvalue()


def test_as_json_every_inspection_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk("--json")
    desk.watch(HEALTHY, after(LOST, 5))
    first, second, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["health"], first["rtt_ms"], first["state"]) == ("up", {"a": 1.42, "b": 1.47}, "confirmed")
    assert second["news"][0]["is_bad"] is True
    assert (last["looks"], last["losses"][0]["lasted_s"]) == (2, None)
    assert desk.out.getvalue() == ""


def test_it_ends_by_itself_after_the_time_that_was_asked_for() -> None:
    desk = Desk("--for", "0.2")
    seen = 0

    def read_status(_token: CancelToken) -> PairStatus:
        nonlocal seen
        seen += 1
        return after(HEALTHY, seen)

    assert Watch(desk.context, "north", read_status, notify=lambda _title, _text: None).run() == 0
    assert seen >= 2


def test_limits_without_watching_are_refused() -> None:
    for words in (["--max-rtt-ms", "5"], ["--max-loss-pct", "0"], ["--for", "60"]):
        desk = Desk()
        desk.context.options.watch = False
        given = parse(["status", "north", *words])
        context = replace(desk.context, options=argparse.Namespace(**vars(given)))
        with pytest.raises(InvalidOption, check=has_message(WATCH_OPTIONS)):
            status(context)
    for wrong in ("-1", "101", "nan", "much"):
        with pytest.raises(SystemExit):
            parse(["status", "north", "--watch", "--max-loss-pct", wrong])


class Services:
    """Services that say one thing after the other, the last one again and again."""

    def __init__(self, *statuses: PairStatus, repair: Callable[[], None] = lambda: None) -> None:
        self._statuses = list(statuses)
        self._repair = repair
        self.repairs = 0

    def status(self, _pair: PairSpec, *, token: CancelToken) -> PairStatus:
        return self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]

    def repair(self, _pair: PairSpec, *, token: CancelToken, emit: DeploymentSink) -> None:
        self.repairs += 1
        self._repair()


def contact(services: Services, *words: str) -> tuple[Contact, Desk]:
    desk = Desk(*words)
    return Contact(desk.context, services, pair()), desk  # type: ignore[arg-type]  # the part that is used


def test_an_inspection_changes_nothing_and_says_once_what_a_repair_would_do() -> None:
    services = Services(HALF)
    one, desk = contact(services)
    for _ in range(3):
        one.read_status(CancelToken())
    assert services.repairs == 0
    reported = " ".join(desk.err.getvalue().split())
    assert reported.count(REPAIR_BY_DEPLOYMENT()) == 1
    assert reported.endswith(REPAIR_WITH(pair=pair().name))


def test_what_one_host_alone_keeps_is_repaired_where_that_is_asked_for() -> None:
    services = Services(HALF, HEALTHY)
    one, desk = contact(services, "--repair")
    assert one.read_status(CancelToken()).is_healthy
    assert REPAIR_BY_DEPLOYMENT() in desk.err.getvalue()
    ending = replace(HALF, deployment=replace(ONE, is_ending=True))
    one, desk = contact(Services(ending, HEALTHY), "--repair")
    one.read_status(CancelToken())
    assert REPAIR_BY_REMOVAL() in desk.err.getvalue()


def test_a_repair_that_fails_is_reported_and_not_tried_again_and_again() -> None:
    def fail() -> None:
        raise CommandFailed("gateway-b has no room.")

    services = Services(HALF, repair=fail)
    one, desk = contact(services, "--repair")
    for _ in range(3):
        assert one.read_status(CancelToken()).state is DeploymentState.HALF_CONFIRMED
    assert services.repairs == 1
    assert "It could not be repaired: gateway-b has no room." in desk.err.getvalue()


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (HALF, []),
        (with_end(HALF, Side.B, is_reachable=False), ["--repair"]),
        (with_end(HALF, Side.B, is_worked_on=True), ["--repair"]),
        (replace(HALF, deployment=None), ["--repair"]),
        (HEALTHY, ["--repair"]),
    ],
)
def test_nothing_is_repaired_that_need_not_or_cannot_be(seen: PairStatus, words: list[str]) -> None:
    services = Services(seen)
    one, _ = contact(services, *words)
    one.read_status(CancelToken())
    assert services.repairs == 0


def test_the_desktop_is_reported_where_there_is_one(tmp_path: Path) -> None:
    program, reported = tmp_path / "notify-send", tmp_path / "told"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {reported}\n")
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "DISPLAY": ":0"}
    assert notify_desktop("Tunnelmark: north", "<b>lost & gone", environment)
    assert reported.read_text().splitlines() == [
        "--app-name=Tunnelmark",
        "--",
        "Tunnelmark: north",
        "&lt;b&gt;lost &amp; gone",
    ]
    assert not notify_desktop("t", "x", {"PATH": str(tmp_path)}), "there is no display"
    assert not notify_desktop("t", "x", {"PATH": str(tmp_path / "none"), "DISPLAY": ":0"})
    program.write_text("#!/bin/sh\nexit 1\n")
    assert not notify_desktop("t", "x", environment)


def test_a_hosts_words_steer_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal has no live line
    desk = Desk(is_terminal=True)
    desk.watch(with_end(HEALTHY, Side.A, label="\x1b]0;pwned\x07 \x1b[2J [bold]x"))
    written = desk.out.getvalue()
    assert "[bold]x: up" in written
    assert not [one for one in ("\x1b]", "\x07", "\x1b[2J") if one in written]
