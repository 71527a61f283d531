"""Judgement of hosts by `make faults`: before any Tunnelmark touches them, and by the clock."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from faults.cells import (
    AS_BEFORE,
    CLEANED,
    HEALTHY_S,
    LEASE_S,
    UNDO_S,
    WATCHER_S,
    Cell,
    CellPlan,
    CellResult,
    Unsettled,
)
from faults.fields import Field, NoIntruder
from faults.leftovers import difference
from faults.strikes import Healer, Struck

from app.deployment.boot_bundle import PATIENCE_S
from app.domain.hosts import Side
from app.domain.script_files import host_script
from app.host.snapshots import HostSnapshot, SnapshotDepth
from support.net_desk import Ran

PLACE = "/etc/tunnelmark/0123abcd"
ETC = "drwxr-xr-x root:root 720 1.0"
LEFT_FILES = {
    "/etc/tunnelmark": "drwx------ root:root 60 2.0",
    PLACE: "drwx------ root:root 80 2.0",
    f"{PLACE}/start.sh": "-rw------- root:root 9 2.0",
    f"{PLACE}/times": "drwx------ root:root 60 2.0",
    f"{PLACE}/times/1.before": "-rw------- root:root 0 1.0",
}
EMPTY = hashlib.sha256(b"").hexdigest()
LEFT_SUMS = {
    f"{PLACE}/start.sh": hashlib.sha256(host_script("start.sh").encode()).hexdigest(),
    f"{PLACE}/times/1.before": EMPTY,
}
IDS = dict.fromkeys(Side, "")


def snapshot(files: dict[str, str] | None = None, sums: dict[str, str] | None = None, etc: str = ETC) -> HostSnapshot:
    parts = {"file": {"/etc": etc, **(files or {})}, "content of": {"/etc/hosts": "x", **(sums or {})}}
    return HostSnapshot(SnapshotDepth.THOROUGH, parts)


BEFORE = snapshot()
BROKEN_OFF = snapshot(LEFT_FILES, LEFT_SUMS, ETC.replace("720 1.0", "740 2.0"))


@dataclass
class FakeHost:
    """A host with the snapshot that a test gives it."""

    shown: HostSnapshot
    left_there: list[str]
    events: list[str]

    def inspect(self) -> HostSnapshot:
        self.events.append("inspect")
        return self.shown

    def left(self) -> list[str]:
        return self.left_there


@dataclass
class FakeField:
    """Two hosts; the first contact removes what a broken-off installing left, and more."""

    reports: str = "nothing is deployed"
    pair: str = "pair-1"
    events: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hosts = {side: FakeHost(BEFORE, [], self.events) for side in Side}

    def host(self, side: Side) -> FakeHost:
        return self.hosts[side]

    def intruder(self) -> NoIntruder:
        return NoIntruder()

    def desk(self, folder: Path) -> FakeField:
        return self

    def tunnelmark(self, *words: str) -> Ran:
        self.events.append(words[0])
        for host in self.hosts.values():
            host.shown, host.left_there = BEFORE, []
        return Ran(0, self.reports, "", 0.0)


def cell(fake: FakeField, fault: str) -> Cell:
    made = Cell(cast("Field", fake), CellPlan(fault, "confirm", "7", has_bridge=False), Path("/nowhere"))
    made._ended_s = time.monotonic()
    fake.events.clear()
    return made


def test_hosts_that_rolled_back_are_compared_before_any_contact() -> None:
    fake, result = FakeField(), CellResult(CellPlan("Tunnelmark killed", "confirm", "7", has_bridge=False))
    cell(fake, "Tunnelmark killed")._judge(IDS, result)
    assert fake.events == ["inspect", "inspect", "status", "inspect", "inspect"]
    assert (result.outcome, result.healthy_s) == (AS_BEFORE, None)


@pytest.mark.parametrize("side", Side)
def test_what_only_the_next_contact_puts_right_is_no_rollback(side: Side) -> None:
    fake, result = FakeField(), CellResult(CellPlan("Tunnelmark killed", "confirm", "7", has_bridge=False))
    judging = cell(fake, "Tunnelmark killed")
    fake.hosts[side].shown, fake.hosts[side].left_there = BROKEN_OFF, ["/etc/tunnelmark"]
    with pytest.raises(Unsettled, match=r"not as before: .*start\.sh"):
        judging._judge(IDS, result)
    assert "status" not in fake.events


def test_what_a_loss_of_power_left_until_contact_is_named_and_only_on_the_host_that_lost_it() -> None:
    fake, result = FakeField(), CellResult(CellPlan("power loss of A", "confirm", "7", has_bridge=False))
    judging = cell(fake, "power loss of A")
    fake.hosts[Side.A].shown, fake.hosts[Side.A].left_there = BROKEN_OFF, ["/etc/tunnelmark"]
    judging._judge(IDS, result)
    assert result.outcome == CLEANED
    assert f"left on A until contact: /etc/tunnelmark, {PLACE}, {PLACE}/start.sh" in result.what
    judging = cell(fake, "power loss of A")
    fake.hosts[Side.B].shown = BROKEN_OFF
    with pytest.raises(Unsettled, match="B: The file /etc/tunnelmark was not there before"):
        judging._judge(IDS, result)


def changed(make: Callable[[dict[str, str], dict[str, str]], None], etc: str = "") -> HostSnapshot:
    files, sums = dict(LEFT_FILES), dict(LEFT_SUMS)
    make(files, sums)
    return snapshot(files, sums, etc or BROKEN_OFF.part("file")["/etc"])


@pytest.mark.parametrize(
    "after",
    [
        changed(lambda files, _: files.update({f"{PLACE}/current": "-rw------- root:root 9 2.0"})),
        changed(lambda files, _: files.update({"/etc/init.d/tunnelmark-0123abcd": "-rwxr-xr-x root:root 9 2.0"})),
        changed(lambda files, _: files.update({f"{PLACE}/start.sh": "lrwxrwxrwx root:root 9 2.0 -> /x"})),
        changed(lambda _, sums: sums.update({f"{PLACE}/start.sh": "0" * 64})),
        changed(lambda _, sums: sums.update({f"{PLACE}/times/1.before": "0" * 64})),
        changed(lambda _, sums: sums.update({"/etc/hosts": "y"})),
        changed(lambda *_: None, "drwxrwxrwx root:root 740 2.0"),
        snapshot(etc=ETC.replace("1.0", "2.0")),
    ],
    ids=["it counts", "a service", "a link", "another script", "no note of a time", "a file", "a mode", "a time alone"],
)
def test_nothing_else_is_let_pass_after_a_loss_of_power(after: HostSnapshot) -> None:
    assert difference(BEFORE, BROKEN_OFF, ["/etc/tunnelmark"], may_be_broken_off=True).sentences == ()
    assert difference(BEFORE, after, [], may_be_broken_off=True).sentences != ()
    assert difference(BEFORE, BROKEN_OFF, ["tmlbr0"], may_be_broken_off=True).sentences == ("tmlbr0",)
    unasked = difference(BEFORE, BROKEN_OFF, [], may_be_broken_off=False)
    assert (unasked.broken_off, len(unasked.sentences)) == ((), len(LEFT_FILES) + len(LEFT_SUMS) + 1)


def test_the_time_of_etc_may_be_lost_and_nothing_else_of_it() -> None:
    later = snapshot(etc=ETC.replace("1.0", "2.0"))
    assert difference(BEFORE, later, [], may_be_broken_off=False, is_time_lost=True).sentences == ()
    assert difference(BEFORE, later, [], may_be_broken_off=False).sentences != ()
    for other in (ETC.replace("720", "740"), ETC.replace("root:root", "eve:root")):
        changed_too = snapshot(etc=other.replace("1.0", "2.0"))
        assert difference(BEFORE, changed_too, [], may_be_broken_off=False, is_time_lost=True).sentences != ()


def test_what_is_deployed_is_healthy_in_time_or_it_is_an_exception() -> None:
    assert HEALTHY_S == LEASE_S + UNDO_S + WATCHER_S
    assert max(PATIENCE_S.values()) == WATCHER_S
    fake, result = FakeField(reports="healthy"), CellResult(CellPlan("underlay down", "verify", "7", has_bridge=False))
    judging = cell(fake, "underlay down")
    judging._ended_s -= 10.0
    judging._wait_until_well(result, is_expected=True)
    assert result.healthy_s == pytest.approx(10.0, abs=5.0)
    judging._ended_s -= HEALTHY_S
    with pytest.raises(Unsettled, match=r"healthy only after 9\d s"):
        judging._wait_until_well(result, is_expected=True)
    assert result.healthy_s == pytest.approx(10.0 + HEALTHY_S, abs=5.0)
    fake.reports = "nothing is deployed"
    with pytest.raises(Unsettled, match="status after"):
        judging._wait_until_well(result, is_expected=True)


def test_a_fault_says_when_it_ended_and_that_it_could_not_be_ended() -> None:
    events: list[str] = []
    began_s = time.monotonic()
    at_end = Healer(Struck(lambda: events.append("healed"), None))
    assert events == []
    assert began_s <= at_end.end() <= time.monotonic()
    assert events == ["healed"]

    def fails() -> None:
        raise AssertionError("nsenter: cannot open")

    for after_s in (0.0, None):
        with pytest.raises(AssertionError, match="could not be ended: nsenter"):
            Healer(Struck(fails, after_s)).end()
