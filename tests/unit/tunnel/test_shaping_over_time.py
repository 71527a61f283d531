"""A condition on hosts of the user's own whose values change over time: what is set in turn, and the program."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sample_records as sample

from app.domain.conditions import Condition, LinkDirection
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.domain.solutions import BASELINE
from app.tunnel import shaping
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest
from support.stub_shaping import StubHost
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


def changes_of(way: LinkDirection, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what A sets at first, and what it changes that to in turn; two spaces are between both netems."""
    monkeypatch.setattr(shaping, "underlay_device", lambda *_: "eth1")
    bare, facts = ADAPTERS[BASELINE], (sample.facts(), sample.facts("gw-b"))
    link, condition = Link("192.0.2.1", "192.0.2.2"), Condition("sky", "Handovers", a_to_b=way)
    plan = plan_of(
        DeployRequest(sample.pair(is_lab=False), bare, bare.suites(*facts)[0], link, *facts, shaping=condition)
    )
    assert not any("changes" in file.path for file in plan.b.files)
    added = [file for file in plan.a.files if "changes" in file.path]
    argv = plan.a.steps[0].command.argv
    losses, changes, step_s, *first = argv[argv.index("set") + 4 :]
    assert [file.path for file in added] == ([changes, f"{changes}.pl"] if changes else [])
    assert float(step_s) == way.trace_step_s
    blocks = added[0].content.decode().split("\n\n") if added else []
    lines = [[line.partition(" netem ")[2] for line in block.splitlines()] for block in blocks]
    return ["  ".join(filter(None, (" ".join(first), losses))), *("  ".join(one) for one in lines)]


@pytest.mark.parametrize(
    ("way", "values"),
    [
        (LinkDirection(delay_ms=20.0), ["delay 20000us limit 100000"]),
        (
            # The queue holds what comes in its time and in the longest delay, and a rate keeps the order.
            LinkDirection(delay_ms=5.0, trace_ms=(40.0, 0.0), rate_mbit_s=10.0, queue_ms=100.0),
            ["delay 45000us rate 10000kbit limit 120", "delay 5000us rate 10000kbit limit 120"],
        ),
        (
            LinkDirection(trace_ms=(0.0, 3.0)),
            ["rate 10000000kbit limit 100000", "delay 3000us rate 10000000kbit limit 100000"],
        ),
        (
            LinkDirection(delay_ms=1.0, trace_mbit_s=(4.0, 1.0), queue_ms=120.0, loss_pct=2.0, burst_frames=2.0),
            # Given once more, fixed losses in bursts would begin anew.
            [
                "delay 1000us rate 4000kbit limit 40  loss gemodel 1.0204% 50.0000% limit 100000",
                "delay 1000us rate 4000kbit limit 40",
                "delay 1000us rate 1000kbit limit 10",
            ],
        ),
        (
            LinkDirection(trace_loss_pct=(0.0, 100.0), rate_mbit_s=2.0),
            [
                "rate 2000kbit limit 100000  loss random 0% limit 100000",
                "rate 2000kbit limit 100000  loss random 100% limit 100000",
            ],
        ),
    ],
)
def test_values_that_change_are_set_in_turn(
    way: LinkDirection, values: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *changes = changes_of(way, monkeypatch)
    assert first == values[0]
    assert changes in (values if len(values) > 1 else [], values[1:])


@pytest.fixture(params=["dash", "busybox sh"])
def stub(request: pytest.FixtureRequest, tmp_path: Path) -> StubHost:
    return StubHost(request.param, tmp_path)


CHANGES = [f"qdisc change dev eth1 parent 7e57:4 handle 7e58: netem delay {delay}ms" for delay in (30, 20, 10)]


@pytest.fixture
def changes(stub: StubHost) -> Iterator[str]:
    """Three values that change, with the program that changes them; afterwards that has ended."""
    file = stub.folder / "changes"
    file.write_text("\n\n".join(CHANGES) + "\n")
    Path(f"{file}.pl").write_text(bare_script("tunnel/changes.pl"))
    (stub.folder / "batch").write_text("")
    yield str(file)
    kept = str(stub.folder / "kept.pid")
    try:
        wait_until(lambda: not running(kept), "the end of the program")
    finally:
        for number in running(kept):
            os.kill(number, signal.SIGKILL)


def running(words: str) -> list[int]:
    """Return processes that have some words in their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if words in (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(folder.name))
    return found


def test_a_program_changes_values_in_turn_until_the_interface_is_as_before(stub: StubHost, changes: str) -> None:
    assert stub.run("set", changes=changes, step_s=0.02) == 0
    # Where this computer is held up, some are left out.
    wait_until(lambda: {*stub.read("batch").splitlines()} - {""} == {*CHANGES}, "all changes")
    as_set = stub.read("root")
    stub.write("root", as_set.replace("delay 20ms", "delay 30ms"))
    assert stub.run("check", changes=changes) == 0, "which value holds is the program's"
    stub.write("root", as_set.replace("loss random 1%", "loss random 2%"))
    assert stub.run("check", changes=changes) != 0, "losses are fixed"
    assert stub.run("unset", changes=changes) == 0
    assert running(str(stub.folder / "kept.pid")) == []
    assert sorted(stub.folder.glob("kept*")) == []
    assert stub.run("unset", changes=changes) == 0


def test_without_the_program_the_condition_does_not_hold(stub: StubHost, changes: str) -> None:
    assert stub.run("set", changes=changes) == 0
    os.kill(int(stub.read("kept.pid")), signal.SIGKILL)
    wait_until(lambda: stub.run("check", changes=changes) != 0, "a check that fails")
    assert stub.run("unset", changes=changes) == 0
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"


def test_the_program_ends_where_the_interface_is_shaped_no_more(stub: StubHost, changes: str) -> None:
    assert stub.run("set", changes=changes, step_s=0.02) == 0
    (stub.folder / "kept.pid").unlink()  # killed before it had written that down
    assert stub.run("unset", changes=changes) == 0


def test_losses_that_change_are_not_compared_with_the_first_ones(stub: StubHost, changes: str) -> None:
    losses = [f"qdisc change dev eth1 parent 7e58:1 handle 7e59: netem loss random {pct}%" for pct in (1, 2)]
    Path(changes).write_text("\n\n".join(f"{delay}\n{loss}" for delay, loss in zip(CHANGES, losses, strict=False)))
    assert stub.run("set", changes=changes) == 0
    stub.write("root", stub.read("root").replace("loss random 1%", "loss random 2%"))
    assert stub.run("check", changes=changes) == 0
    stub.write("root", stub.read("root").replace("qdisc netem 7e59:", "qdisc tbf 7e59:"))
    assert stub.run("check", changes=changes) != 0
    assert stub.run("unset", changes=changes) == 0


def test_values_follow_the_time(stub: StubHost, changes: str) -> None:
    step_s = 0.05
    Path(changes).write_text("\n\n".join(f"{CHANGES[0]} {number}" for number in range(10_000)))
    assert stub.run("set", changes=changes, step_s=step_s) == 0

    def late() -> float:
        """Return how many steps the last value is behind the time since this computer was started."""
        lines = stub.read("batch").split("\n")
        due = float(Path("/proc/uptime").read_text().split()[0]) / step_s
        last = next((int(line.split()[-1]) for line in reversed(lines) if line), -1)
        return (due - last) % 10_000

    wait_until(lambda: len(stub.read("batch").splitlines()) > 80, "40 changes")
    # Where this computer is held up, values are left out; those of a clock that is slow by a tenth remain behind.
    wait_until(lambda: late() < 3.0, "the value that is due")
    assert stub.run("unset", changes=changes) == 0


def test_a_value_that_cannot_be_set_fails_the_step(stub: StubHost, changes: str) -> None:
    Path(changes).write_text(f"{CHANGES[0]}\n\n{CHANGES[1]} bad\n")
    assert stub.run("set", changes=changes) != 0
    assert stub.errors == f"{CHANGES[1]} bad"
    assert running(str(stub.folder / "kept.pid")) == []
    assert stub.run("unset", changes=changes) == 0
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"


def test_the_program_is_no_daemon_of_the_tunnel(stub: StubHost, changes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = ("TUNNELMARK_TUNNEL", "TUNNELMARK_MEMBER", "TUNNELMARK_RUN")
    for mark in marks:
        monkeypatch.setenv(mark, "one")
    assert stub.run("set", changes=changes) == 0
    found = Path(f"/proc/{stub.read('kept.pid')}")
    wait_until(lambda: (found / "cwd").readlink() == Path("/"), "the program's own folder")
    environment, words = (found / "environ").read_bytes().decode(), (found / "cmdline").read_bytes().decode()
    assert [mark for mark in marks if mark in environment] == []
    assert changes not in words
    assert stub.run("unset", changes=changes) == 0


def test_a_host_without_perl_changes_no_values(stub: StubHost, changes: str) -> None:
    (stub.folder / "perl").write_text("#!/bin/sh\nexit 127\n")
    (stub.folder / "perl").chmod(0o755)
    assert stub.run("set", changes=changes) == 3
    assert stub.errors == "it lacks perl, which changes the values over time: install perl-base"
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"
    assert stub.read("segments") == "65535"
