"""A flood of key exchanges: what clients and hub print, and what counts as a success."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, LineSink, SessionPair, Stream
from app.domain.errors import ProbeFailed
from app.domain.hub_study import HubBound, HubWindow
from app.domain.hubs import FloodRequest
from app.domain.link import Link
from app.domain.results import CpuUsage
from app.probes.hub_flood import flood, number_of_attempts, parse_flood, parse_sight
from app.probes.messages import FLOOD_UNREAD, HUB_UNREAD
from support.message_checks import has_message
from vpn_adapters.registry import HUBS

REQUEST = FloodRequest(2.0, 2)
PRINTED = "@begin\n= 0.00 0.01 0.05\n= 1.00 0.00 0.03\n= 0.50 0.02 -\n= 1.50 0.75 0.04\n@alive 2\n"


def test_attempts_without_a_line_count_as_failed() -> None:
    found = parse_flood(PRINTED, REQUEST)
    assert (found.attempts, found.by_clients, found.lag_s) == (4, 3, 0.75)
    assert found.duration_s == pytest.approx(0.04)
    assert parse_flood("@begin\n", REQUEST).attempts == 4
    assert parse_flood("@begin\n", REQUEST).duration_s is None


@pytest.mark.parametrize(("rate_s", "number"), [(2.0, 4), (2.1, 5), (1.75, 4), (0.3, 1)])
def test_attempts_are_those_that_are_due_before_the_end(rate_s: float, number: int) -> None:
    assert number_of_attempts(FloodRequest(rate_s, 2)) == number


def test_limiters_are_the_programs_own_words_and_no_longer_than_a_line() -> None:
    found = parse_sight("clock 5\nseen 9\nlimiter 3 rate limit exceeded\x1b[2J\n")
    assert (found.clock_s, found.seen, found.fresh) == (5, 9, None)
    assert found.limiters == {"rate limit exceeded[2J": 3}
    with pytest.raises(ProbeFailed):
        parse_sight("clock 5\n")


@dataclass
class _Host:
    """Answers one command after another."""

    outputs: list[str]
    statuses: list[int] = field(default_factory=list)
    is_truncated: bool = False
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        token.raise_if_cancelled()
        self.asked.append(command.argv)
        text = self.outputs.pop(0)
        for line in text.splitlines():
            if on_line is not None:
                on_line(Stream.STDOUT, line)
        status = self.statuses.pop(0) if self.statuses else 0
        return CommandResult(command.argv, status, text, "", 0.1, is_truncated=self.is_truncated)


def flooded(clients: _Host | str, *hub: str, statuses: tuple[int, ...] = ()) -> HubWindow:
    b = _Host([clients]) if isinstance(clients, str) else clients
    sessions = SessionPair(_Host(list(hub), list(statuses)), b)  # type: ignore[arg-type]
    link = Link("192.0.2.1", "192.0.2.2")
    return flood(sessions, HUBS["wireguard"], link, 4, REQUEST, token=CancelToken()).window


def test_the_hubs_own_count_is_what_came_meanwhile() -> None:
    found = flooded(
        PRINTED, "clock 100\nseen 40\nlimiter 2 old\n", "clock 103\nseen 43\nfresh 3\nlimiter 2 old\nlimiter 1 new"
    )
    assert (found.by_hub, found.fresh, found.limiters) == (3, 3, ("new",))


def test_clients_that_never_began_are_no_measurement() -> None:
    with pytest.raises(ProbeFailed, check=has_message(FLOOD_UNREAD)):
        flooded("Cannot open network namespace\n", "clock 100\nseen 40\n", "clock 103\nseen 40\n")


SIGHTS = "clock 100\nseen 40\n", "clock 103\nseen 43\nfresh 3\n"


@pytest.mark.parametrize("clients", [_Host([PRINTED], [2]), _Host([PRINTED], is_truncated=True)], ids=["failed", "cut"])
def test_a_flood_whose_program_failed_or_of_which_lines_are_missing_is_no_result(clients: _Host) -> None:
    with pytest.raises(ProbeFailed, check=has_message(FLOOD_UNREAD)):
        flooded(clients, *SIGHTS)


def test_a_flood_that_does_not_end_in_time_is_a_rate_that_fails() -> None:
    assert flooded(_Host([f"{PRINTED}@limit 24\n"], [143]), *SIGHTS).by_clients == 3


def test_counters_that_the_hub_cannot_read_are_no_result() -> None:
    with pytest.raises(ProbeFailed, check=has_message(HUB_UNREAD)):
        flooded(PRINTED, *SIGHTS, statuses=(0, 1))


WHOLE = HubWindow(10.0, 5, 50, 50, 50, fresh=4, lag_s=0.1)


@pytest.mark.parametrize(
    ("window", "is_whole"),
    [
        (WHOLE, True),
        (replace(WHOLE, fresh=None, by_hub=51), True),
        (replace(WHOLE, by_clients=49), False),
        (replace(WHOLE, by_hub=49), False),
        (replace(WHOLE, fresh=3), False),
        (replace(WHOLE, lag_s=0.31), False),
        (replace(WHOLE, attempts=0, by_clients=0, by_hub=0, fresh=0), False),
    ],
)
def test_all_succeed_only_if_clients_and_hub_agree_and_none_is_late(window: HubWindow, *, is_whole: bool) -> None:
    assert window.has_all(4) is is_whole


def busy(percent: float) -> CpuUsage:
    return CpuUsage(percent, percent, 0.0, 0.0, 0.0, 5.0)


@pytest.mark.parametrize(
    ("hub", "clients", "limiters", "bound"),
    [
        (50.0, 91.0, (), HubBound.CLIENTS),
        (95.0, 95.0, (), HubBound.CLIENTS),
        (95.0, 89.0, (), HubBound.HUB),
        (50.0, 50.0, (), HubBound.NONE),
        (50.0, 95.0, ("limit",), HubBound.LIMITER),
    ],
)
def test_the_limit_is_the_clients_where_they_are_less_than_a_tenth_idle(
    hub: float, clients: float, limiters: tuple[str, ...], bound: HubBound
) -> None:
    assert replace(WHOLE, hub=busy(hub), clients=busy(clients), limiters=limiters).bound is bound
