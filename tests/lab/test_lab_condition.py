"""Conditions that the practice lab emulates between its gateways: what was asked for is what frames meet."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.condition_files import presets
from app.domain.conditions import Condition, LinkDirection
from app.domain.hosts import Side
from app.lab import Lab, LabManager, LabSpec
from support.lab_pairs import UNDERLAY
from support.lab_power import power_off, power_on

PORTS = itertools.count(5311)
"""A port for each server: the last one may still be ending."""
DATAGRAM_BYTES = 1_400
ON_THE_WIRE = DATAGRAM_BYTES + 8 + 20 + 14 + 4
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
    run(lab, Side.B, f"iperf3 --server --one-off --daemon --bind {UNDERLAY[1]} --port {port}; sleep 0.5")
    command = f"iperf3 --client {UNDERLAY[1]} --port {port} --udp --reverse --json {options}"
    done = json.loads(run(lab, Side.A, f"timeout 60 {command}"))
    streams = [interval["streams"][0] for interval in done["intervals"]]
    rates = sorted(one["bits_per_second"] / 1e6 for one in streams[1:-1])
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


def test_delay_rate_and_order_are_those_of_the_condition(shaped: Lab, lab_manager: LabManager) -> None:
    name, direct_ms = shaped.spec.name, least_rtt_ms(shaped)
    lab_manager.set_condition(name, presets()["geo"])
    assert lab_manager.condition_of(name) == "geo"
    assert least_rtt_ms(shaped) == pytest.approx(500.0 + direct_ms, rel=0.02)
    rate, _, lost, overtaken = blast(shaped, f"--bitrate 12M --length {DATAGRAM_BYTES} --time 4")
    assert rate == pytest.approx(10.0 * DATAGRAM_BYTES / ON_THE_WIRE, rel=0.03)
    assert lost > 0  # the queue is full
    assert overtaken == 0
    lab_manager.set_condition(name, presets()["leo"])
    assert blast(shaped, "--bitrate 4M --length 600 --time 3")[3] == 0
    lab_manager.set_condition(name, None)
    assert lab_manager.condition_of(name) is None
    assert least_rtt_ms(shaped) < 100.0


def test_losses_are_those_of_the_condition(shaped: Lab, lab_manager: LabManager) -> None:
    way = LinkDirection(loss_pct=3.0)
    lab_manager.set_condition(shaped.spec.name, Condition("three", "3 % lost from B to A", b_to_a=way))
    _, sent, lost, _ = blast(shaped, "--bitrate 4M --length 600 --time 4")
    lab_manager.set_condition(shaped.spec.name, None)
    assert sent > 1_500
    assert lost / sent == pytest.approx(0.03, abs=2.6 * math.sqrt(0.03 * 0.97 / sent))


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
