"""Conditions of a lab's link in its supervisor: the one that lasts, and the one that a process holds."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from app.lab.supervisor import _Conditions

FIRST, SECOND, USUAL = ({"name": name} for name in ("first", "second", "usual"))


class Link:
    """Notes the condition in force."""

    is_emulated = True
    in_force: dict[str, Any] | None = None

    def set_condition(self, condition: dict[str, Any] | None) -> None:
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
