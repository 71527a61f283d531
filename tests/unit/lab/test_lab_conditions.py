"""Conditions of a lab's link in its supervisor: the one that lasts, and the one that a process holds."""

from __future__ import annotations

import errno
import os
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.domain.conditions import Condition, LinkDirection
from app.lab.conditions import lab_condition, settings_of
from app.lab.control import give_order, set_condition
from app.lab.supervisor import CONDITION_FILE, CONTROL_SOCKET, Supervisor, _Conditions, _Link

SETTINGS = {"a_to_b": {}, "b_to_a": {}, "seed": 1}
FIRST, SECOND, USUAL = ({"name": name} for name in ("first", "second", "usual"))


class Link:
    """Notes the condition in force."""

    is_emulated = True
    in_force: dict[str, Any] | None = None
    is_disk_full = False

    def set_condition(self, condition: dict[str, Any] | None) -> None:
        if self.is_disk_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.in_force = condition


@pytest.fixture
def selector() -> Iterator[selectors.BaseSelector]:
    with selectors.DefaultSelector() as selector:
        yield selector


@pytest.fixture
def held(selector: selectors.BaseSelector) -> Iterator[tuple[_Conditions, Link]]:
    """Conditions of which this process holds the first."""
    link = Link()
    conditions = _Conditions(link, selector)  # type: ignore[arg-type]
    conditions.set(USUAL)
    conditions.hold(FIRST, os.getpid())
    yield conditions, link
    conditions.release()
    assert not selector.get_map()
    assert link.in_force == USUAL


def test_a_process_that_has_ended_takes_no_condition_from_another(held: tuple[_Conditions, Link]) -> None:
    conditions, link = held
    with subprocess.Popen(["true"]) as ended:
        pass
    with pytest.raises(ProcessLookupError):
        conditions.hold(SECOND, ended.pid)
    report = conditions.report()
    assert (report["in_force"], report["holder"]) == (FIRST, os.getpid())
    assert link.in_force == FIRST


def test_the_end_of_an_earlier_holder_leaves_the_condition_of_the_one_after_it(
    held: tuple[_Conditions, Link], selector: selectors.BaseSelector
) -> None:
    conditions, link = held
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as holder:
        conditions.hold(FIRST, holder.pid)
    events = selector.select(timeout=60.0)
    assert len(events) == 1
    conditions.hold(SECOND, os.getpid())  # an order that is carried out before the events of the same moment
    for key, _ in events:
        key.data(key.fileobj)
    assert conditions.report()["in_force"] == link.in_force == SECOND


def test_only_the_holder_releases_its_condition(held: tuple[_Conditions, Link]) -> None:
    conditions, link = held
    conditions.release(pid=os.getppid())
    assert conditions.report()["in_force"] == link.in_force == FIRST
    conditions.release(pid=os.getpid())
    assert conditions.report()["in_force"] == link.in_force == USUAL


def test_a_condition_that_cannot_be_set_leaves_the_one_before(held: tuple[_Conditions, Link]) -> None:
    conditions, link = held
    files = len(list(Path("/proc/self/fd").iterdir()))
    link.is_disk_full = True
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other, pytest.raises(OSError, match="No space"):
        conditions.hold(SECOND, other.pid)
    assert len(list(Path("/proc/self/fd").iterdir())) == files
    report = conditions.report()
    assert (report["in_force"], report["holder"], link.in_force) == (FIRST, os.getpid(), FIRST)
    link.is_disk_full = False
    conditions.release()
    link.is_disk_full = True
    with pytest.raises(OSError, match="No space"):
        conditions.set(SECOND)
    assert conditions.report()["lasting"] == USUAL
    link.is_disk_full = False


def test_a_full_disk_leaves_what_is_held_until_another_is_set(
    held: tuple[_Conditions, Link], selector: selectors.BaseSelector
) -> None:
    conditions, link = held
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as holder:
        conditions.hold(SECOND, holder.pid)
        link.is_disk_full = True
        with pytest.raises(OSError, match="No space"):
            conditions.release(pid=holder.pid)
        assert conditions.report()["holder"] == holder.pid
    for key, _ in selector.select(timeout=60.0):
        key.data(key.fileobj)
    assert not selector.get_map(), "its end is reported once"
    report = conditions.report()
    assert (report["in_force"], report["lasting"], report["holder"]) == (SECOND, USUAL, None)
    link.is_disk_full = False
    conditions.set(USUAL)
    assert conditions.report()["in_force"] == USUAL


def test_a_full_disk_takes_nothing_from_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    link = _Link(["a", "b"])
    link.connect()
    a, b = link.ends.values()
    try:
        link.set_condition(SETTINGS)
        Path(f"{CONDITION_FILE}.part").symlink_to("/dev/full")
        with pytest.raises(OSError, match="No space"):
            link.set_condition(SETTINGS)
        assert_joined(link)
    finally:
        link.close()
        for end in (a, b):
            end.close()


@pytest.mark.parametrize("before", [SETTINGS, None])
def test_an_emulator_that_does_not_start_takes_nothing_from_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: dict[str, Any] | None
) -> None:
    monkeypatch.chdir(tmp_path)
    link = _Link(["a", "b"])
    link.connect()
    try:
        link.set_condition(before)
        with monkeypatch.context() as no_python:
            no_python.setattr(sys, "executable", "/nonexistent")
            with pytest.raises(FileNotFoundError):
                link.set_condition({**SETTINGS, "seed": 2})
        assert link.in_force == before
        assert_joined(link, is_emulated=before is not None)
        link.set_condition({**SETTINGS, "seed": 3})
        assert_joined(link)
    finally:
        link.close()
        for end in link.ends.values():
            end.close()


def assert_joined(link: _Link, *, is_emulated: bool = True) -> None:
    assert link.is_emulated == is_emulated
    a, b = link.ends.values()
    b.settimeout(60.0)
    a.send(b"frame")
    assert b.recv(9) == b"frame"


def test_orders_and_answers_have_room_for_recorded_traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = LinkDirection(trace_ms=tuple(number / 997 for number in range(36_000)))  # an hour in steps of 0.1 s
    condition = Condition("hour", "An hour", a_to_b=way, b_to_a=way)
    usual: list[Any] = [None]

    def obey(order: dict[str, Any]) -> dict[str, Any]:
        usual[0] = order.get("condition", usual[0])
        return {"pids": {}, "link": {"in_force": usual[0], "lasting": usual[0]}}

    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(CONTROL_SOCKET)
        listener.listen()

        def serve() -> None:
            with suppress(OSError):  # it is shut down
                while True:
                    Supervisor._accept(SimpleNamespace(_obey=obey), listener)  # type: ignore[arg-type]

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        try:
            set_condition(tmp_path, settings_of(condition))
            found = lab_condition(give_order(tmp_path, "status").link)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            server.join(60)
    assert (found.in_force, found.usual) == (condition, condition)
