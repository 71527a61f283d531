"""The bare link as hosts tell of it, and the script that asks them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from fake_pair import FakePair

from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed, ConnectionLost, PrivilegeMissing, TunnelmarkError, UnderlayDown
from app.domain.events import LogLine, UnderlayChanged
from app.domain.hosts import Privilege, Side
from app.domain.link import Link
from app.domain.messages import MessageForm
from app.probes import UnderlayGuard, UnderlayWatch, underlay
from app.probes.messages import LINK_DEAD, LINK_DIED, LINK_NAME
from app.probes.underlay import PINGS, Crossing, probe_underlay
from support.message_checks import has_message

LINK = Link("192.0.2.1", "192.0.2.2")


def watch_of(pair: FakePair, *, has_answered: bool = False) -> UnderlayWatch:
    return UnderlayWatch(pair.sessions(), LINK, has_answered=has_answered)


def check(a: str, b: str, *, has_answered: bool = False) -> UnderlayDown | None:
    return watch_of(FakePair(pings={"a": [a], "b": [b]}), has_answered=has_answered).check(token=CancelToken())


def test_each_host_pings_the_other_one() -> None:
    pair = FakePair(pings={"a": ["pings 3 2"], "b": ["pings 3 0, cut"]})
    sessions = pair.sessions()

    seen = probe_underlay(sessions, LINK, token=CancelToken())

    assert seen == {Side.A: Crossing(3, 2, is_cut=False), Side.B: Crossing(3, 0, is_cut=True)}
    assert pair.a.commands[0].argv[-2:] == ("192.0.2.2", str(PINGS))
    assert pair.b.commands[0].argv[-2:] == ("192.0.2.1", str(PINGS))


@pytest.mark.parametrize(("privilege", "is_root"), [(Privilege.NONE, False), (Privilege.SUDO, True)])
def test_root_is_asked_for_where_it_can_be_had(privilege: Privilege, *, is_root: bool) -> None:
    pair = FakePair()
    sessions = pair.sessions()
    pair.a.privilege = privilege
    probe_underlay(sessions, LINK, token=CancelToken())

    assert pair.a.commands[0].is_root is is_root


@pytest.mark.parametrize(
    ("a", "b", "has_answered", "form", "sent"),
    [
        ("pings 1 1", "pings 1 1", False, None, 0),
        ("pings 2 1", "pings 3 0", True, None, 0),  # a reply has come back, so frames cross both ways
        ("pings 3 0", "pings 3 0", False, None, 0),  # a firewall may have dropped them from the first on
        ("pings 3 0", "pings 3 0", True, LINK_DIED, 6),
        ("pings 3 0, cut", "pings 3 0", False, LINK_DEAD, 6),
        ("pings 0 0", "pings 3 0", True, LINK_DIED, 3),  # A has no ping
        ("pings 0 0, cut", "pings 0 0", True, None, 0),
        ("pings 9 9", "pings 3 0", True, None, 0),
    ],
)
def test_what_is_called_dead(a: str, b: str, has_answered: bool, form: MessageForm | None, sent: int) -> None:
    down = check(a, b, has_answered=has_answered)
    if form is None:
        assert down is None
    else:
        assert down is not None
        assert has_message(form, sent=sent)(down)
        assert has_message(LINK_NAME, a="gateway-a", b="gateway-b")(down)


def test_a_link_that_answered_once_is_remembered() -> None:
    watch = watch_of(FakePair(pings={side: ["pings 1 1", "pings 3 0"] for side in "ab"}))

    assert watch.check(token=CancelToken()) is None
    assert watch.check(token=CancelToken()) is not None


# --- the guard -------------------------------------------------------------------------------------------------------


def guard_of(pair: FakePair) -> tuple[UnderlayGuard, list[UnderlayChanged | LogLine]]:
    seen: list[UnderlayChanged | LogLine] = []
    return UnderlayGuard(watch_of(pair, has_answered=True), healer=None, emit=seen.append), seen


def asked(pair: FakePair) -> int:
    return len(pair.a.commands)


def test_the_link_is_asked_for_at_first_and_then_after_trouble_only() -> None:
    pair = FakePair()
    guard, seen = guard_of(pair)
    for _ in range(3):
        guard.ensure(token=CancelToken())
    assert asked(pair) == 1
    assert not guard.has_died(token=CancelToken())
    guard.ensure(token=CancelToken())
    assert asked(pair) == 2
    assert seen == []


@pytest.mark.parametrize("error", [ConnectionLost("The connection broke."), CommandFailed("No channel is left.")])
def test_a_host_that_could_not_be_asked_leaves_the_doubt(error: TunnelmarkError) -> None:
    pair = FakePair()
    guard, _ = guard_of(pair)
    guard.ensure(token=CancelToken())

    def break_off(_side: str, _command: object) -> None:
        raise error

    pair.interfere = break_off
    assert not guard.has_died(token=CancelToken())
    with pytest.raises(type(error)):
        guard.ensure(token=CancelToken())
    pair.interfere = lambda _side, _command: None
    guard.ensure(token=CancelToken())
    assert asked(pair) == 4


def test_a_host_that_refuses_to_be_asked_is_not_asked_again() -> None:
    pair = FakePair()
    guard, _ = guard_of(pair)

    def refuse(_side: str, _command: object) -> None:
        raise PrivilegeMissing("sudo asks for a password.")

    pair.interfere = refuse
    guard.ensure(token=CancelToken())
    assert not guard.has_died(token=CancelToken())
    guard.ensure(token=CancelToken())
    assert asked(pair) == 2


# --- the script ------------------------------------------------------------------------------------------------------

FAKE_IP = """#!/bin/sh
case $1 in
    route) exit {route} ;;
    neigh) echo "{neighbour}" ;;
esac
"""


@pytest.mark.parametrize(
    ("ping", "route", "neighbour", "printed"),
    [
        ("exit 0", 0, "192.0.2.2 dev eth1 lladdr 02:00:00:00:00:01 REACHABLE", "pings 1 1\n"),
        ("exit 1", 0, "192.0.2.2 dev eth1 lladdr 02:00:00:00:00:01 STALE", "pings 3 0\n"),
        ("exit 1", 0, "", "pings 3 0\n"),
        ("exit 1", 0, "192.0.2.2 dev eth1 FAILED", "pings 3 0\ncut\n"),
        ("exit 1", 0, "192.0.2.2 dev eth1  used 0/0/0 probes 3 INCOMPLETE", "pings 3 0\ncut\n"),
        ("exit 2", 2, "", "pings 3 0\ncut\n"),
        ("echo one >>count; [ $(wc -l <count) -eq 2 ]", 0, "", "pings 2 1\n"),
        (None, 0, "", "pings 0 0\n"),
    ],
)
def test_what_the_script_prints(tmp_path: Path, ping: str | None, route: int, neighbour: str, printed: str) -> None:
    programs = {"ip": FAKE_IP.format(route=route, neighbour=neighbour)}
    if ping is not None:
        programs["ping"] = f"#!/bin/sh\n{ping}\n"
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    if ping is not None and "wc" in ping:
        (tmp_path / "wc").symlink_to("/usr/bin/wc")
    argv = ["/bin/sh", "-c", underlay._SCRIPT, "tunnelmark", "192.0.2.2", str(PINGS)]
    done = subprocess.run(
        argv, capture_output=True, text=True, check=True, cwd=tmp_path, env={**os.environ, "PATH": str(tmp_path)}
    )
    assert done.stdout == printed
