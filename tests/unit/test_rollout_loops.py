"""Whether two LAN ports are joined already, before a tunnel joins them once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from app.compose.rollout_choice import loop_obstacles
from app.deploy.bridging import Bridging
from app.deploy.loops import are_joined
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.hosts import Side

HEARD, SILENT, NO_PORT, NO_TCPDUMP = 0, 124, 3, 4


@dataclass
class Host:
    """Answers every command with one exit status."""

    exit_status: int
    asked: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        self.asked.append(command)
        return CommandResult(command.argv, self.exit_status, "", "", 0.1)


def hosts(listening: int) -> tuple[SessionPair, Host, Host]:
    # Nobody answers the question, which ping tells by its exit status; that says nothing.
    a, b = Host(1), Host(listening)
    return SessionPair(a, b), a, b  # type: ignore[arg-type]  # the part of a session that is used


BRIDGING: Mapping[Side, Bridging] = {
    Side.A: Bridging("tmlbr0", "eth2"),
    Side.B: Bridging("tmlbr0", "eth5"),
}


@pytest.mark.parametrize(
    ("listening", "expected"), [(HEARD, True), (SILENT, False), (NO_PORT, None), (NO_TCPDUMP, None)]
)
def test_what_the_other_port_hears_decides(listening: int, expected: bool | None) -> None:
    sessions, a, b = hosts(listening)
    assert are_joined(sessions, "eth2", "eth5", token=CancelToken()) is expected
    (asked,), (heard,) = a.asked, b.asked
    assert asked.argv[0] == "ping"
    assert asked.argv[asked.argv.index("-I") + 1] == "eth2"
    address = asked.argv[-1]
    assert address.startswith("203.0.113.")
    assert {address, "eth5"} <= set(heard.argv), "B listens at its port for the very address that A asks for"
    assert heard.is_root


def test_two_lans_that_are_joined_already_are_refused_with_a_reason() -> None:
    sessions, _, _ = hosts(HEARD)
    (one,) = loop_obstacles(sessions, BRIDGING, token=CancelToken())
    assert one.is_blocking
    assert "joined already" in one.what
    assert "would make a loop" in one.hint


def test_what_cannot_be_found_out_is_a_warning_and_what_is_apart_is_none() -> None:
    sessions, _, _ = hosts(NO_TCPDUMP)
    (one,) = loop_obstacles(sessions, BRIDGING, token=CancelToken())
    assert not one.is_blocking
    assert "could not be found out" in one.what
    sessions, _, _ = hosts(SILENT)
    assert list(loop_obstacles(sessions, BRIDGING, token=CancelToken())) == []
