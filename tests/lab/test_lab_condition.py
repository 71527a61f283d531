"""Conditions that the practice lab emulates between its gateways: what was asked for is what frames meet."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.hosts import Side
from app.lab import Lab, LabManager, LabSpec
from app.lab.conditions import LabCondition, settings_of
from app.lab.control import hold_condition
from support.lab_pairs import UNDERLAY
from support.lab_power import power_off, power_on
from support.program import PROGRAM, Run, load
from support.waiting import wait_until

PORTS = itertools.count(5311)
"""A port for each server: the last one may still be ending."""
DATAGRAM_BYTES = 1_400
ON_THE_LINK = DATAGRAM_BYTES + 8 + 20 + 14 + 4
"""Bytes of such a datagram with UDP, IPv4 and Ethernet headers, and check sequence."""


def run(lab: Lab, side: Side, command: str) -> str:
    argv = [*lab.ssh_argv(side), command]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def least_rtt_ms(lab: Lab) -> float:
    """Return the lowest round-trip time, which the load of this computer leaves as it is."""
    text = run(lab, Side.A, f"ping -q -i 0.05 -c 30 -W 3 {UNDERLAY[1]} || true")
    found = re.search(r"= ([\d.]+)/", text)
    assert found is not None, text
    return float(found[1])


def blast(lab: Lab, options: str) -> tuple[float, int, int, int]:
    """Send datagrams from B to A; return received Mbit/s of the median second, datagrams, lost ones, overtaken ones."""
    port = next(PORTS)
    run(lab, Side.B, f"iperf3 --server --one-off --daemon --bind {UNDERLAY[1]} --port {port}")
    listening = f"until ss -Htln 'sport = :{port}' | grep -q .; do sleep 0.1; done"
    run(lab, Side.B, listening)
    command = f"iperf3 --client {UNDERLAY[1]} --port {port} --udp --reverse --json {options}"
    done = json.loads(run(lab, Side.A, f"timeout 100 {command}"))
    streams = [interval["streams"][0] for interval in done["intervals"]]
    rates = sorted(one["bits_per_second"] / 1e6 for one in streams[1:-1] or streams)
    return (
        rates[len(rates) // 2],
        sum(one["packets"] for one in streams),
        sum(one["lost_packets"] for one in streams),
        done["end"]["streams"][0]["udp"]["out_of_order"],
    )


@pytest.fixture(scope="module")
def shaped(has_qemu: None, lab_manager: LabManager) -> Iterator[Lab]:
    """A lab of this module's own: tests that share one must not meet a condition."""
    spec = LabSpec(f"condition-{os.getpid()}")
    yield lab_manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    lab_manager.down(spec.name)


@pytest.mark.full
def test_delay_rate_and_order_are_those_of_the_condition(shaped: Lab, lab_manager: LabManager) -> None:
    name, direct_ms = shaped.spec.name, least_rtt_ms(shaped)
    lab_manager.set_condition(name, presets()["geo"])
    assert lab_manager.condition_of(name).in_force == presets()["geo"]
    assert least_rtt_ms(shaped) == pytest.approx(500.0 + direct_ms, rel=0.02)
    rate, _, lost, overtaken = blast(shaped, f"--bitrate 12M --length {DATAGRAM_BYTES} --time 4")
    assert rate == pytest.approx(10.0 * DATAGRAM_BYTES / ON_THE_LINK, rel=0.03)
    assert lost > 0  # the queue is full
    assert overtaken == 0
    lab_manager.set_condition(name, presets()["leo"])
    assert blast(shaped, "--bitrate 4M --length 600 --time 3")[3] == 0
    lab_manager.set_condition(name, None)
    assert lab_manager.condition_of(name).in_force is None
    assert least_rtt_ms(shaped) < 100.0


def test_losses_are_those_of_the_condition(shaped: Lab, lab_manager: LabManager) -> None:
    way = LinkDirection(loss_pct=3.0)
    lab_manager.set_condition(shaped.spec.name, Condition("three", "3 % lost from B to A", b_to_a=way))
    _, sent, lost, _ = blast(shaped, "--bitrate 4M --length 600 --time 4")
    lab_manager.set_condition(shaped.spec.name, None)
    assert sent > 500
    # By chance further away once in a million runs; and a gateway that is held up drops some itself.
    most = 5.0 * math.sqrt(0.03 * 0.97 / sent)
    assert 0.03 - most < lost / sent < 0.03 + most + 0.03


def test_a_condition_that_a_process_holds_ends_with_it(shaped: Lab, lab_manager: LabManager) -> None:
    name = shaped.spec.name
    lab_manager.set_condition(name, presets()["wifi"])
    holder = subprocess.Popen(["sleep", "600"])
    hold_condition(shaped.folder, settings_of(presets()["geo"]), holder.pid)
    found = lab_manager.condition_of(name)
    assert (found.in_force, found.usual, found.holder_pid) == (presets()["geo"], presets()["wifi"], holder.pid)
    assert found.is_emulated
    assert least_rtt_ms(shaped) > 500.0
    holder.kill()
    holder.wait()
    wait_until(lambda: lab_manager.condition_of(name).holder_pid is None, "the end of what it held")
    found = lab_manager.condition_of(name)
    assert (found.in_force, found.holder_pid) == (presets()["wifi"], None)
    assert least_rtt_ms(shaped) < 400.0
    lab_manager.set_condition(name, None)


def test_a_process_can_hold_the_link_as_found(shaped: Lab, lab_manager: LabManager) -> None:
    name = shaped.spec.name
    lab_manager.set_condition(name, presets()["geo"])
    lab_manager.hold_condition(name, None)
    assert least_rtt_ms(shaped) < 100.0
    lab_manager.set_condition(name, presets()["wifi"])
    found = lab_manager.condition_of(name)
    assert (found.in_force, found.usual, found.is_emulated) == (None, presets()["wifi"], False)
    lab_manager.release_condition(name)
    assert lab_manager.condition_of(name).in_force == presets()["wifi"]
    lab_manager.set_condition(name, None)


@pytest.mark.full
def test_a_gateway_without_power_comes_back_under_the_condition(shaped: Lab, lab_manager: LabManager) -> None:
    preset = presets()["geo"]
    slow = replace(preset, a_to_b=replace(preset.a_to_b, delay_ms=40.0), b_to_a=replace(preset.b_to_a, delay_ms=40.0))
    lab_manager.set_condition(shaped.spec.name, slow)
    power_off(lab_manager, shaped.spec.name, Side.B)
    run(shaped, Side.A, f"ping -q -i 0.05 -c 40 -W 1 {UNDERLAY[1]} > /dev/null; true")
    power_on(lab_manager, shaped.spec.name, Side.B)
    assert 80.0 <= least_rtt_ms(shaped) < 120.0
    lab_manager.set_condition(shaped.spec.name, None)


@pytest.mark.full
def test_a_deployment_over_a_satellite_is_proven_and_remains(
    shaped: Lab, lab_manager: LabManager, tunnelmark: Run
) -> None:
    pair = f"lab:{shaped.spec.name}"
    lab_manager.set_condition(shaped.spec.name, presets()["geo"])
    shown = tunnelmark("deploy", pair, "wireguard", "--confirm-within", "120").stdout
    assert "inconclusive" not in shown
    tunnelmark("confirm", pair)
    began_s = time.monotonic()
    while time.monotonic() - began_s < 60.0:  # three times as long as a supervisor waits for its peer
        found = json.loads(tunnelmark("status", pair, "--json").stdout)
        assert [found[side]["is_up"] for side in ("a", "b")] == [True, True]
    assert [found[side]["restarts"] for side in ("a", "b")] == [0, 0]
    assert found["a"]["rtt_ms"] >= 500.0
    tunnelmark("undeploy", pair)
    lab_manager.set_condition(shaped.spec.name, None)


NEAR = """
[[condition]]
name = "near"
title = "A link of 30 ms and 8 Mbit/s"
[condition.a_to_b]
delay_ms = 15.0
rate_mbit_s = 8.0
queue_ms = 100.0
[condition.b_to_a]
delay_ms = 15.0
rate_mbit_s = 8.0
queue_ms = 100.0
"""


SKY = """
[[condition]]
name = "sky"
title = "Delays, rates and losses that change"
[condition.a_to_b]
delay_ms = 60.0
trace_ms = [20.0, 0.0, 35.0, 10.0]
trace_mbit_s = [8.0, 6.0, 8.0, 4.0]
trace_step_s = 0.2
queue_ms = 100.0
[condition.b_to_a]
delay_ms = 80.0
trace_loss_pct = [0.0, 8.0, 0.0, 4.0, 0.0]
rate_mbit_s = 8.0
queue_ms = 100.0
"""


@pytest.mark.full
def test_a_comparison_proves_its_condition_and_removes_it(
    shaped: Lab, lab_manager: LabManager, tunnelmark: Run, tmp_path: Path
) -> None:
    name, file, out = shaped.spec.name, tmp_path / "near.toml", tmp_path / "found.json"
    file.write_text(NEAR)
    options = ("--solutions", "baseline", "--profile", "quick", "--pings", "20", "--seconds", "2", "--json", str(out))
    tunnelmark("compare", f"lab:{name}", "--condition", str(file), *options)
    found = load(out)
    measured = found["measured_conditions"][0]
    assert (found["condition"]["name"], measured["is_met"]) == ("near", True)
    assert {one["quantity"] for one in measured["checks"]} == {"rtt", "rate", "loss", "order"}
    bare = found["results"][0]
    assert 30.0 < bare["weighted_latency_ms"] < 60.0
    assert max(bare["throughput_mbit_s"].values()) < 8.0
    assert lab_manager.condition_of(name) == LabCondition()


@pytest.mark.full
def test_a_killed_comparison_leaves_no_condition(
    shaped: Lab, lab_manager: LabManager, environment: dict[str, str]
) -> None:
    name = shaped.spec.name
    argv = [PROGRAM, "compare", f"lab:{name}", "--condition", "lte", "--solutions", "baseline", "--profile", "quick"]
    running = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: lab_manager.condition_of(name).in_force == presets()["lte"], "the condition", timeout_s=120)
    running.kill()
    running.wait()
    wait_until(lambda: lab_manager.condition_of(name) == LabCondition(), "its end")


@pytest.mark.full
def test_hosts_of_the_users_own_are_shaped_until_a_killed_comparison_is_rolled_back(
    shaped: Lab, tunnelmark: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    """The lab's gateways as a pair of the user's own: they shape what they send to each other."""
    file = tmp_path / "sky.toml"
    file.write_text(SKY)
    options = ("--condition", str(file), "--allow-load", "--solutions", "baseline")
    add_as_own(tunnelmark, shaped, "plant")
    before = queues(shaped)
    assert "--yes-shape" in tunnelmark("compare", "plant", *options, status=None).stderr
    assert queues(shaped) == before
    argv = [PROGRAM, "compare", "plant", *options, "--yes-shape", "--profile", "quick"]
    running = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: all("netem" in one for one in queues(shaped)), "both hosts shaped", timeout_s=120)
    wait_until(lambda: all(map(str.strip, programs(shaped))), "the programs that change values")
    assert 120.0 < least_rtt_ms(shaped) < 200.0
    assert all(one.split()[-2:] == ["gso_max_segs", "1"] for one in queues(shaped))
    running.kill()
    running.wait()
    wait_until(lambda: queues(shaped) == before, "both hosts rolled back", timeout_s=150)
    assert least_rtt_ms(shaped) < 30.0
    assert programs(shaped) == ["", ""]


@pytest.mark.full
def test_hosts_of_the_users_own_change_values_over_time(shaped: Lab, tunnelmark: Run, tmp_path: Path) -> None:
    file, out = tmp_path / "sky.toml", tmp_path / "found.json"
    file.write_text(SKY)
    add_as_own(tunnelmark, shaped, "sky")
    before = queues(shaped)
    options = ("--solutions", "baseline", "--profile", "quick", "--pings", "20", "--seconds", "2", "--json", str(out))
    tunnelmark("compare", "sky", "--condition", str(file), "--yes-shape", "--allow-load", *options)
    found = load(out)
    (measured,) = found["measured_conditions"]
    assert measured["is_met"], measured
    assert {one["quantity"] for one in measured["checks"]} == {"rtt", "rate", "loss", "order"}
    assert 120.0 < found["results"][0]["weighted_latency_ms"] < 300.0
    assert queues(shaped) == before
    assert programs(shaped) == ["", ""]


def add_as_own(tunnelmark: Run, lab: Lab, name: str) -> None:
    """Store a lab's gateways as a pair of the user's own."""
    ports = lab.ports
    tunnelmark(
        *("pair", "add", name, "--a", f"root@127.0.0.1:{ports[Side.A]}", "--b", f"root@127.0.0.1:{ports[Side.B]}"),
        *("--underlay", ",".join(UNDERLAY), "--identity", str(lab.folder / "id_ed25519")),
        *("--host-key-file", str(lab.folder / "known_hosts")),
    )


def programs(lab: Lab) -> list[str]:
    """Return the programs that change values on both hosts."""
    return [run(lab, side, "pgrep -f changes[.]pl || true") for side in Side]


def queues(lab: Lab) -> list[str]:
    """Return queueing disciplines and longest segments of the underlay's interface on both hosts."""
    segments = "ip -d link show dev eth1 | grep -o 'gso_max_segs [0-9]*'"
    return [run(lab, side, f"tc qdisc show dev eth1; {segments}") for side in Side]
