"""A condition on hosts of the user's own: its step, and the options of netem."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidPlan
from app.tunnel.messages import CHANGES_NOT_MADE
from app.tunnel.shaping import LEAST_STEP_S, loss_options, netem_options, refuse_unshaped
from support.message_checks import has_message
from support.stub_shaping import NODES, StubHost


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
def test_presets_can_be_made_unless_they_change_too_fast(name: str) -> None:
    condition = presets()[name]
    if name == "wifi":
        with pytest.raises(InvalidPlan, check=has_message(CHANGES_NOT_MADE, condition=name)):
            refuse_unshaped(condition)
    else:
        refuse_unshaped(condition)


def test_values_that_change_faster_than_a_host_changes_them_are_refused() -> None:
    way = LinkDirection(trace_ms=(1.0, 2.0), trace_step_s=LEAST_STEP_S)
    refuse_unshaped(Condition("sky", "Handovers", b_to_a=way))
    with pytest.raises(InvalidPlan, check=has_message(CHANGES_NOT_MADE, condition="sky")):
        refuse_unshaped(Condition("sky", "Handovers", a_to_b=way, b_to_a=replace(way, trace_step_s=0.01)))


def test_delay_and_loss_that_change_in_one_direction_are_refused() -> None:
    losses = LinkDirection(trace_loss_pct=(0.0, 2.0))
    refuse_unshaped(Condition("sky", "Handovers", a_to_b=LinkDirection(trace_ms=(1.0, 2.0)), b_to_a=losses))
    with pytest.raises(InvalidPlan, check=has_message(CHANGES_NOT_MADE, condition="sky")):
        refuse_unshaped(Condition("sky", "Handovers", b_to_a=replace(losses, trace_ms=(1.0, 2.0))))


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
