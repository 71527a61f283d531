from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.hosts import Nic, Side
from app.domain.script_files import host_script
from app.probes.counters import parse_counters, read_counters, readings_between, underlay_device
from app.probes.own_load import OwnLoad
from support.fake_hosts import Answer, FakeHost
from support.sample_records import facts

BEFORE = """\
5649.14 12 cpu  1000 0 500 8000 0 0 100 {steal} 0 0
wall 1795587659.204556796
uptime 5649.14
softnet 00000000 00000001
softnet 0000000a 00000002
udp InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
udp 93 0 0 94 7 0
device eth1 rx_dropped 3
device eth1 tx_dropped 0
device tmk0 rx_dropped 1
underlay rx_dropped 40
underlay tx_errors 1
waits 1157 69460157
waits 1157 1000000
waits 1200 5000000
clocksource tsc
governor powersave
scaling_driver intel_pstate
throttled 4
"""
AFTER = """\
5659.14 12 cpu  1400 0 700 8300 0 0 150 {steal} 0 0
wall 1795587669.254556796
uptime 5659.14
softnet 00000000 00000001
softnet 0000000c 00000002
udp InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
udp 193 0 0 194 8 0
device eth1 rx_dropped 3
device eth1 tx_dropped 2
device tmk0 rx_dropped 5
underlay rx_dropped 43
underlay tx_errors 6
waits 1157 72460157
waits 1157 2000000
waits 1200 9000000
clocksource tsc
governor powersave
scaling_driver intel_pstate
throttled 5
"""


def test_differences_are_what_the_counters_grew_by() -> None:
    found = readings_between(parse_counters(BEFORE.format(steal=0)), parse_counters(AFTER.format(steal=0)))
    assert found.wait_ms == pytest.approx(3 + 1 + 4)
    assert found.drops == 2 + 1 + 2 + 4  # input queue, UDP, eth1, tmk0
    assert found.underlay_drops == 3 + 5
    assert found.steal_pct is None  # no hypervisor has ever reported any
    assert (found.clock_source, found.governor, found.throttled) == ("tsc", "powersave", 1)
    assert found.scaling_driver == "intel_pstate"
    assert found.clock_step_ms == pytest.approx(50, abs=0.01)


def test_daemons_and_interfaces_of_one_tunnel_are_counted_alone() -> None:
    first, last = parse_counters(BEFORE.format(steal=0)), parse_counters(AFTER.format(steal=0))
    found = readings_between(first, last, pids={1200}, devices={"eth1"})
    assert found.wait_ms == pytest.approx(4)
    assert found.drops == 2 + 1 + 2
    assert found.underlay_drops == 3 + 5, "they are of all tunnels"
    assert readings_between(first, last, pids=set()).wait_ms is None


def test_steal_is_known_where_a_hypervisor_reports_it() -> None:
    found = readings_between(parse_counters(BEFORE.format(steal=10)), parse_counters(AFTER.format(steal=60)))
    assert found.steal_pct == pytest.approx(100 * 50 / 1000)


def test_a_clock_of_whole_seconds_has_no_step_by_rounding() -> None:
    first = parse_counters("wall 100.%N\nuptime 5.20\n")
    assert readings_between(first, parse_counters("wall 111.%N\nuptime 15.30\n")).clock_step_ms == 0.0
    assert readings_between(first, parse_counters("wall 210.%N\nuptime 15.30\n")).clock_step_ms == pytest.approx(99_900)


@pytest.mark.parametrize(
    ("first", "last", "throttled"),
    [
        ("0x0", "0x0", 0),
        ("0x50000", "0x50000", 0),  # at some time since the start
        ("0x50005", "0x50005", 1),  # all the time
        ("0x0", "0x40000", 1),  # for a moment
        ("0x10000", "0x50000", 1),
        ("0x0", "0x50005", 1),
        ("0x80008", "0x80000", 1),
        ("0x10", "0x100000", 0),  # bits without a meaning
    ],
)
def test_a_raspberry_pi_is_throttled_by_its_flags_at_either_end_or_by_new_ones(
    first: str, last: str, throttled: int
) -> None:
    readings = readings_between(parse_counters(f"raspberry {first}\n"), parse_counters(f"raspberry {last}\n"))
    assert readings.throttled == throttled


def test_drops_on_the_underlay_are_unknown_where_the_host_does_not_count_them() -> None:
    assert readings_between(parse_counters("underlay rx_dropped x\n"), parse_counters("")).underlay_drops is None


def test_the_interface_of_the_underlay_is_the_one_that_has_its_address() -> None:
    addresses = {"eth0": ("192.0.2.10/24",), "eth1": ("fe80::1/64", "198.51.100.1/30")}
    nics = tuple(Nic(name, "", 1500, None, is_up=True, addresses=ones) for name, ones in addresses.items())
    found = replace(facts(), nics=nics)
    assert underlay_device(found, "198.51.100.1") == "eth1"
    assert underlay_device(found, "198.51.100.10") == ""


def test_the_scripts_third_word_is_the_interface_of_the_underlay() -> None:
    asked = []

    def answer(command: Command, token: CancelToken) -> Answer:
        asked.append(command.argv[-3:])
        yield "underlay rx_dropped 4"

    hosts = SessionPair(FakeHost("gateway-a", answer), FakeHost("gateway-b", answer))
    found = read_counters(hosts, {}, {Side.A: ["tmk0"]}, token=CancelToken(), underlay={Side.A: "eth1"})
    assert sorted(asked) == [("", "", ""), ("tmk0", "", "eth1")]
    assert found[Side.A].underlay == {"rx_dropped": 4}


@given(st.text(max_size=400))
def test_whatever_a_host_prints_is_read(text: str) -> None:
    readings_between(parse_counters(text), parse_counters(text))


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])
def test_the_script_reads_this_computer(shell: tuple[str, ...]) -> None:
    words = [*shell, "-c", host_script("probes/counters.sh"), "tunnelmark", "lo", str(os.getpid()), "lo"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    found = parse_counters(done.stdout)
    assert found.ticks is not None
    assert os.getpid() in found.waits_ns
    assert "lo" in found.devices
    assert found.underlay.keys() == {"rx_dropped", "tx_dropped", "rx_errors", "tx_errors"}
    assert done.stderr == ""


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])
@pytest.mark.parametrize("named", [("powersave", "amd-pstate-epp"), ("", "")])
def test_the_script_reads_governor_and_driver(shell: tuple[str, ...], named: tuple[str, str], tmp_path: Path) -> None:
    for name, value in zip(("scaling_governor", "scaling_driver"), named, strict=True):
        if value:
            (tmp_path / name).write_text(f"{value}\n")
    script = host_script("probes/counters.sh").replace("/sys/devices/system/cpu/cpu0/cpufreq", str(tmp_path))
    done = subprocess.run([*shell, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    found = parse_counters(done.stdout)
    assert (found.governor, found.scaling_driver) == named
    assert done.stderr == ""


@pytest.mark.parametrize("words", [("lo", "", "gone0"), ("", "", ""), ("lo", "")])
@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])
def test_an_underlay_that_is_not_known_has_no_counters(shell: tuple[str, ...], words: tuple[str, ...]) -> None:
    argv = [*shell, "-c", host_script("probes/counters.sh"), "tunnelmark", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    assert not parse_counters(done.stdout).underlay
    assert done.stderr == ""


class TestOwnLoad:
    @staticmethod
    def _proc(folder: Path, *, busy: int, guest: int) -> None:
        (folder / "stat").write_text(f"cpu  {busy} 0 0 9999 0 0 0 0 0 0\ncpu0 1 2 3\n")
        (folder / "77").mkdir(exist_ok=True)
        (folder / "77" / "stat").write_text(f"77 (qemu (x)) S {' '.join('0' * 10)} {guest} 0 0 0\n")

    def test_guests_do_not_count(self, tmp_path: Path) -> None:
        now_s = [0.0]
        load = OwnLoad([77], proc=tmp_path, clock=lambda: now_s[0], ticks_per_s=100)
        self._proc(tmp_path, busy=1_000, guest=500)
        load.start()
        now_s[0] = 10.0
        self._proc(tmp_path, busy=2_500, guest=1_300)
        assert load.cores() == pytest.approx((1_500 - 800) / 100 / 10)

    def test_hosts_that_are_no_lab_of_this_computer_have_none(self, tmp_path: Path) -> None:
        now_s = iter((0.0, 10.0))
        self._proc(tmp_path, busy=1_000, guest=500)
        load = OwnLoad([], proc=tmp_path, clock=lambda: next(now_s), ticks_per_s=100)
        load.start()
        assert load.cores() is None

    def test_nothing_is_known_before_the_start_or_without_a_kernel_that_tells(self, tmp_path: Path) -> None:
        load = OwnLoad([77], proc=tmp_path)
        load.start()
        assert load.cores() is None
