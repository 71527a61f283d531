"""A condition on hosts of the user's own: its step, and the options of netem."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan
from app.domain.script_files import bare_script
from app.tunnel.messages import DELAY_CHANGES
from app.tunnel.shaping import loss_options, netem_options, refuse_unshaped
from support.message_checks import has_message


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


@pytest.mark.parametrize("name", presets())
def test_delays_that_change_are_refused(name: str) -> None:
    condition = presets()[name]
    if condition.a_to_b.trace_ms:
        with pytest.raises(InvalidPlan, check=has_message(DELAY_CHANGES, condition=condition.name)):
            refuse_unshaped(condition)
    else:
        refuse_unshaped(condition)


@pytest.mark.parametrize(
    "way", [LinkDirection(trace_mbit_s=(1.0, 2.0), queue_ms=50.0), LinkDirection(trace_loss_pct=(0.0, 2.0))]
)
def test_rates_and_losses_that_change_are_refused(way: LinkDirection) -> None:
    with pytest.raises(InvalidPlan, check=has_message(DELAY_CHANGES, condition="sky")):
        refuse_unshaped(Condition("sky", "Handovers", b_to_a=way))


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

    def run(self, action: str, losses: str = "loss random 1% limit 9") -> int:
        words = [action, "eth1", self.destinations, str(self.folder / "kept"), losses, "delay", "20ms", "limit", "7"]
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


def test_what_is_shaped_by_others_and_what_cannot_be_set_is_left_alone(stub: StubHost) -> None:
    stub.write("root", "qdisc netem 8001: root refcnt 2")
    assert stub.run("set") == 3
    stub.write("root", "qdisc fq_codel 0: root refcnt 2")
    (stub.folder / "ip").write_text("#!/bin/sh\n")
    assert stub.run("set") == 3
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"
    assert stub.run("unset") == 0
