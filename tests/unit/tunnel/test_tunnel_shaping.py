"""A condition on hosts of the user's own: its step, and the options of netem."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import sample_records as sample

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.domain.solutions import BASELINE
from app.tunnel import shaping
from app.tunnel.messages import CHANGES_TOO_FAST
from app.tunnel.plan import plan_of
from app.tunnel.request import DeployRequest
from app.tunnel.shaping import LEAST_STEP_S, loss_options, netem_options, refuse_unshaped
from support.message_checks import has_message
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


@pytest.mark.parametrize(
    ("way", "words", "losses"),
    [
        (LinkDirection(), "limit 100000", ""),
        (
            LinkDirection(delay_ms=250.0, rate_mbit_s=10.0, queue_ms=500.0),
            "delay 250000us rate 10000kbit limit 619",
            "",
        ),
        (LinkDirection(loss_pct=1.0), "limit 100000", "loss random 1% limit 100000"),
        (
            LinkDirection(loss_pct=1.0, burst_frames=4.0, rate_mbit_s=2.0),
            "rate 2000kbit limit 100000",
            "loss gemodel 0.2525% 25.0000% limit 100000",
        ),
        (LinkDirection(delay_ms=0.5, rate_mbit_s=0.1, queue_ms=10.0), "delay 500us rate 100kbit limit 10", ""),
    ],
)
def test_netem_is_given_what_a_direction_asks_for(way: LinkDirection, words: str, losses: str) -> None:
    assert " ".join(netem_options(way)) == words
    assert " ".join(loss_options(way)) == losses


@pytest.mark.parametrize("condition", presets().values(), ids=presets())
def test_every_preset_can_be_made(condition: Condition) -> None:
    refuse_unshaped(condition)


def test_values_that_change_faster_than_a_host_changes_them_are_refused() -> None:
    way = LinkDirection(trace_ms=(1.0, 2.0), trace_step_s=LEAST_STEP_S)
    refuse_unshaped(Condition("sky", "Handovers", b_to_a=way))
    with pytest.raises(InvalidPlan, check=has_message(CHANGES_TOO_FAST, condition="sky", step_s=0.01)):
        refuse_unshaped(Condition("sky", "Handovers", a_to_b=way, b_to_a=replace(way, trace_step_s=0.01)))


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
            [
                "delay 1000us rate 4000kbit limit 40  loss gemodel 1.0204% 50.0000% limit 100000",
                "delay 1000us rate 1000kbit limit 10  loss gemodel 1.0204% 50.0000% limit 100000",
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
    assert changes == (values if len(values) > 1 else [])


NODES = "198.19.0.128/25"
"""Network of the peer's node."""


class StubHost:
    """A folder with programs that keep an interface's queue and segments in files, and a script that runs with them."""

    destinations = f"192.0.2.2/32 {NODES}"

    def __init__(self, shell: str, folder: Path) -> None:
        self.folder, self._shell, self.errors = folder, shell, ""
        self.write("root", "qdisc fq_codel 0: root refcnt 2")
        self.write("segments", "65535")
        (folder / "filter").write_text("")
        self.write("version", "tc utility, iproute2-6.1.0, libbpf 1.1.2")
        self._program("modprobe", "")
        self._program(
            "tc",
            'case "$*" in -V) cat version ;; "qdisc show"*) cat root ;; "filter show"*) cat filter ;;\n'
            '*"del dev"*) echo "qdisc fq_codel 0: root refcnt 2" > root; : > filter ;;\n'
            '"-batch -") while read -r line; do grep -q " 7e57: " root || exit 1; echo "$line" >> batch; done ;;\n'
            '*" 7e59: netem "*) shift 9; echo "qdisc netem 7e59: parent 7e58:1 $*" >> root ;;\n'
            '*" netem "*) shift 9; printf "%s\\n" "qdisc prio 7e57: root refcnt 2 bands 4" '
            '"qdisc netem 7e58: parent 7e57:4 $*" > root ;;\n'
            '"filter add"*) echo "filter parent 7e57: $*" >> filter ;; esac',
        )
        self._program(
            "ip",
            'case "$*" in *show*) echo "2: eth1: <UP> gso_max_size 65536 gso_max_segs $(cat segments) x" ;;\n'
            '*gso_max_segs*) for word; do :; done; echo "$word" > segments ;; esac',
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(f"{text}\n")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text().strip()

    def _program(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)

    def run(self, action: str, losses: str = "loss random 1% limit 9", changes: str = "", step_s: float = 0.1) -> int:
        words = [action, "eth1", self.destinations, str(self.folder / "kept"), losses, changes, str(step_s)]
        words += ["delay", "20ms", "limit", "7"]
        script = bare_script("tunnel/shape.sh").replace("/lib/modules/$(uname -r)", str(self.folder))
        script = script.replace("/sys/module/", f"{self.folder}/loaded/")
        argv = [*self._shell.split(), "-c", script, "tunnelmark", *words]
        env = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        done = subprocess.run(argv, env=env, cwd=self.folder, capture_output=True, text=True, check=False)
        self.errors = done.stderr.strip()
        return done.returncode


@pytest.fixture(params=["dash", "busybox sh"])
def stub(request: pytest.FixtureRequest, tmp_path: Path) -> StubHost:
    return StubHost(request.param, tmp_path)


def test_a_shaped_interface_sends_no_long_segments_until_it_is_as_before(stub: StubHost) -> None:
    assert stub.run("check") != 0
    assert stub.run("set") == 0
    assert (stub.read("segments"), stub.run("check")) == ("1", 0)
    assert (stub.run("can"), stub.run("set")) == (0, 3), "a run that died is undone before the next one"
    stub.write("segments", "65535")
    assert stub.run("check") != 0, "somebody has switched them on again"
    assert stub.run("unset") == 0
    assert (stub.read("segments"), stub.read("root")) == ("65535", "qdisc fq_codel 0: root refcnt 2")
    assert not (stub.folder / "kept").exists()
    assert stub.run("unset") == 0


def test_packets_are_lost_behind_the_line(stub: StubHost) -> None:
    assert stub.run("set") == 0
    assert stub.read("root").splitlines()[1:] == [
        "qdisc netem 7e58: parent 7e57:4 delay 20ms limit 7",
        "qdisc netem 7e59: parent 7e58:1 loss random 1% limit 9",
    ]
    assert (stub.run("check"), stub.run("unset")) == (0, 0)
    assert stub.run("set", losses="") == 0
    assert stub.read("root").splitlines()[1:] == ["qdisc netem 7e58: parent 7e57:4 delay 20ms limit 7"]
    assert (stub.run("check", losses=""), stub.run("unset", losses="")) == (0, 0)


def test_losses_that_cannot_be_made_fail_the_step(stub: StubHost) -> None:
    text = (stub.folder / "tc").read_text()
    (stub.folder / "tc").write_text(text.replace('case "$*" in', 'case "$*" in *" 7e59: "*) exit 2 ;;', 1))
    assert stub.run("set") != 0
    assert stub.run("check") != 0
    assert stub.run("unset") == 0
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"


def test_what_goes_to_the_peer_and_to_nodes_behind_it_is_shaped_in_the_same_flow(stub: StubHost) -> None:
    assert stub.run("set") == 0
    both = stub.read("filter").splitlines()
    assert [line.partition(" match ")[2] for line in both] == [
        f"ip dst {network} flowid 7e57:4" for network in ("192.0.2.2/32", NODES)
    ]
    for one in both:
        stub.write("filter", one)
        assert stub.run("check") != 0, "one of them is gone"
    assert stub.run("unset") == 0
    assert stub.read("filter") == ""


def test_a_network_that_cannot_be_shaped_fails_the_step(stub: StubHost) -> None:
    text = (stub.folder / "tc").read_text()
    (stub.folder / "tc").write_text(text.replace('case "$*" in', f'case "$*" in *"dst {NODES}"*) exit 2 ;;', 1))
    assert stub.run("set") != 0
    assert not (stub.folder / "kept.shape").exists()
    assert stub.run("check") != 0
    assert stub.run("unset") == 0
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("root", "delay 20ms", "delay 200ms"),
        ("root", "loss random 1%", ""),
        ("root", "qdisc netem 7e59: parent 7e58:1 loss random 1% limit 9", ""),
        ("root", "bands 4", "bands 4\nqdisc tbf 7e58: parent 7e57:4"),
        ("filter", "192.0.2.2", "192.0.2.3"),
        ("filter", f"{NODES} flowid 7e57:4", f"{NODES} flowid 7e57:4\nfilter parent 7e57: pref 49152 all"),
        ("filter", NODES, "198.19.2.128/25"),
    ],
)
def test_values_and_filters_that_are_changed_meanwhile_are_noticed(
    stub: StubHost, name: str, before: str, after: str
) -> None:
    assert stub.run("set") == 0
    stub.write("root", stub.read("root").replace("refcnt 2", "refcnt 5"))
    assert stub.run("check") == 0, "how often the kernel refers to it is no change"
    as_set = stub.read(name)
    assert before in as_set
    stub.write(name, as_set.replace(before, after))
    assert stub.run("check") != 0
    stub.write(name, as_set)
    assert stub.run("check") == 0
    assert stub.run("unset") == 0
    assert sorted(stub.folder.glob("kept*")) == []


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("version", "", "it lacks the program tc of iproute2"),
        ("root", "qdisc htb 1: root refcnt 2", "eth1 has a queueing discipline of its own: qdisc htb 1: root refcnt 2"),
        ("modules.dep", "kernel/sch_prio.ko.xz:\nkernel/sch_netem.ko:\n", "its kernel lacks the module cls_u32"),
    ],
)
def test_a_host_says_why_it_cannot_shape_before_anything_is_changed(
    stub: StubHost, name: str, text: str, why: str
) -> None:
    stub.write("modules.builtin", "kernel/net/sched/cls_u32.ko")
    stub.write("modules.dep", "kernel/net/sched/sch_prio.ko.xz:\nkernel/net/sched/sch_netem.ko:")
    assert stub.run("can") == 0
    stub.write("modules.builtin", "kernel/net/sched/sch_fq.ko" if name == "modules.dep" else "")
    stub.write(name, text)
    before = {file.name: file.read_text() for file in stub.folder.iterdir()}
    for action in ("can", "set"):
        assert stub.run(action) == 3
        assert stub.errors == why
    assert {file.name: file.read_text() for file in stub.folder.iterdir()} == before


def test_a_host_without_perl_is_refused_for_nodes_and_shapes_without_them(stub: StubHost) -> None:
    (stub.folder / "perl").write_text("#!/bin/sh\nexit 127\n")
    (stub.folder / "perl").chmod(0o755)
    assert stub.run("can") == 3
    assert stub.errors == "it lacks perl, with which GRO is turned off towards a node: install perl-base"
    assert stub.run("set") == 0


CHANGES = [f"qdisc change dev eth1 parent 7e57:4 handle 7e58: netem delay {delay}ms" for delay in (30, 20, 10)]


@pytest.fixture
def changes(stub: StubHost) -> Iterator[str]:
    """Three values that change, with the program that changes them; afterwards that has ended."""
    file = stub.folder / "changes"
    file.write_text("\n\n".join(CHANGES) + "\n")
    Path(f"{file}.pl").write_text(bare_script("tunnel/changes.pl"))
    (stub.folder / "batch").write_text("")
    yield str(file)
    try:
        wait_until(lambda: not running(str(file)), "the end of the program")
    finally:
        for number in running(str(file)):
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
    stub.write("root", stub.read("root").replace("delay 20ms", "delay 30ms"))
    assert stub.run("check", changes=changes) == 0, "which value holds is the program's"
    assert stub.run("check") != 0, "of fixed values none may change"
    assert stub.run("unset", changes=changes) == 0
    assert running(changes) == []
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


def test_values_change_in_time_on_average(stub: StubHost, changes: str) -> None:
    assert stub.run("set", changes=changes, step_s=0.05) == 0
    began_s = time.monotonic()
    wait_until(lambda: len([line for line in stub.read("batch").splitlines() if line]) >= 40, "40 changes")
    assert stub.run("unset", changes=changes) == 0
    # Where this computer is held up, values are left out, so that it takes no longer either.
    assert time.monotonic() - began_s > 40 * 0.05 * 0.9


def test_a_host_without_perl_changes_no_values(stub: StubHost, changes: str) -> None:
    (stub.folder / "perl").write_text("#!/bin/sh\nexit 127\n")
    (stub.folder / "perl").chmod(0o755)
    assert stub.run("set", changes=changes) == 3
    assert stub.errors == "it lacks perl, which changes the values over time: install perl-base"
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"
    assert stub.read("segments") == "65535"


def test_what_is_shaped_by_others_and_what_cannot_be_set_is_left_alone(stub: StubHost) -> None:
    stub.write("root", "qdisc netem 8001: root refcnt 2")
    assert stub.run("set") == 3
    stub.write("root", "qdisc fq_codel 0: root refcnt 2")
    (stub.folder / "ip").write_text("#!/bin/sh\n")
    assert stub.run("set") == 3
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"
    assert stub.run("unset") == 0
