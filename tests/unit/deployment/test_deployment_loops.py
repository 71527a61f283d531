"""Whether two LAN ports are joined already, before a tunnel joins them once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.loop_test import are_joined
from app.deployment.lan.messages import (
    LANS_JOINED_ALREADY,
    LOOP_TOOLS_MISSING,
    LOOP_UNKNOWN,
    PORT_FAULT,
    WOULD_MAKE_LOOP,
)
from app.deployment.lan.ports import SlotDeployments, loop_obstacles
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.hosts import Side
from support.message_checks import has_message

HEARD, SILENT, NO_PORT, NO_TCPDUMP, NO_LINK = 0, 124, 103, 104, 105
NO_USER, PING_FAILED, VIA_ROUTER = 1, 2, 106


@dataclass(frozen=True)
class Spec:
    label: str


@dataclass
class Host:
    """Answers every command with one exit status."""

    spec: Spec
    exit_status: int
    asked: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        self.asked.append(command)
        return CommandResult(command.argv, self.exit_status, "", "", 0.1)


def hosts(listening: int, asking: int = NO_USER) -> tuple[SessionPair, Host, Host]:
    a, b = Host(Spec("gateway-a"), asking), Host(Spec("gateway-b"), listening)
    return SessionPair(a, b), a, b  # type: ignore[arg-type]  # the part of a session that is used


NOTHING = SlotDeployments({}, {})
BRIDGING: Mapping[Side, Bridging] = {
    Side.A: Bridging("tmlbr0", "eth2"),
    Side.B: Bridging("tmlbr0", "eth5"),
}


@pytest.mark.parametrize(
    ("listening", "asking", "expected", "why"),
    [
        (HEARD, NO_USER, True, ""),
        (HEARD, 0, True, ""),
        (SILENT, NO_USER, False, ""),
        (NO_PORT, NO_USER, None, "eth5 on gateway-b: it is not there"),
        (NO_TCPDUMP, NO_USER, None, "eth5 on gateway-b: tcpdump or timeout is missing there"),
        (NO_LINK, NO_USER, None, "eth5 on gateway-b: it has no link"),
        # Silence says nothing where no host was asked.
        (SILENT, NO_LINK, None, "eth2 on gateway-a: it has no link"),
        (SILENT, PING_FAILED, None, "eth2 on gateway-a: ping failed"),
        (SILENT, VIA_ROUTER, None, "eth2 on gateway-a: a route leads"),
        (SILENT, 0, None, "eth2 on gateway-a: ping failed"),
    ],
)
def test_silence_counts_only_where_the_question_was_asked(
    listening: int, asking: int, expected: bool | None, why: str
) -> None:
    sessions, a, b = hosts(listening, asking)
    found = are_joined(sessions, "eth2", "eth5", token=CancelToken())
    assert found.is_joined is expected
    assert found.why.startswith(why)
    (asked,), (heard,) = a.asked, b.asked
    port, address = asked.argv[4:6]
    assert port == "eth2"
    assert address.startswith("203.0.113.")
    assert heard.argv[4:6] == ("eth5", address), "B listens at its port for the very address that A asks for"
    assert heard.is_root


def test_two_lans_that_are_joined_already_are_refused_with_a_reason() -> None:
    sessions, _, _ = hosts(HEARD)
    (one,) = loop_obstacles(sessions, BRIDGING, NOTHING, token=CancelToken())
    assert one.is_blocking
    assert has_message(LANS_JOINED_ALREADY)(one.what)
    assert has_message(WOULD_MAKE_LOOP)(one.hint)


def test_what_cannot_be_found_out_is_a_warning_and_what_is_apart_is_none() -> None:
    sessions, _, _ = hosts(NO_TCPDUMP)
    (one,) = loop_obstacles(sessions, BRIDGING, NOTHING, token=CancelToken())
    assert not one.is_blocking
    assert one.what == LOOP_UNKNOWN(why=PORT_FAULT(port="eth5", host="gateway-b", why=LOOP_TOOLS_MISSING()))
    sessions, _, _ = hosts(SILENT)
    assert list(loop_obstacles(sessions, BRIDGING, NOTHING, token=CancelToken())) == []
