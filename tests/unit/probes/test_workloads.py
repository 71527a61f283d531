"""Workloads: what each declares, and how its figures follow from what hosts print."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from itertools import pairwise

import pytest

from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.script_files import host_script
from app.probes.messages import CALL_SILENT, IPERF_FAILED
from app.probes.workloads import WORKLOADS
from app.probes.workloads.iperf import read_report
from app.probes.workloads.two_flows import shares
from app.probes.workloads.voice import burst_ratio, jitter_ms, read_stream
from app.probes.workloads.web_page import DOCUMENT_BYTES, OBJECT_BYTES
from support.message_checks import has_message


@pytest.mark.parametrize("name", WORKLOADS)
def test_each_declares_all_that_tables_need(name: str) -> None:
    one = WORKLOADS[name]
    assert one.name == name
    assert one.title
    assert one.source
    assert one.seconds > 0
    assert one.needs[Side.A]
    kinds = [kind.name for kind in one.figures]
    assert len(kinds) == len(set(kinds)) > 0
    assert one.figures[0].is_lower_better is not None


def test_a_voice_stream_is_judged_by_transit_times_whatever_the_clocks_are() -> None:
    transit = [20.0, 20.0, 95.0, 21.0, None, None, 20.0, 20.0]  # 95 ms comes after the buffer of 60 ms is empty
    lines = [
        f"{number} {number * 20_000_000} {number * 20_000_000 + int((7_000 + late) * 1e6)}"
        for number, late in enumerate(transit)
        if late is not None
    ]
    found = read_stream("\n".join(lines), len(transit), "gateway-a")
    assert (found.lost_pct, found.late_pct) == (25.0, 12.5)
    assert found.burst_ratio == 1.0  # two runs of three packets of eight: no longer than by chance
    with pytest.raises(ProbeFailed, check=has_message(CALL_SILENT, host="gateway-a")):
        read_stream("", 8, "gateway-a")


def test_jitter_is_that_of_rfc_3550() -> None:
    values = [0.0, 16.0, 16.0, 0.0]
    expected = 0.0
    for before, after in pairwise(values):
        expected += (abs(after - before) - expected) / 16
    assert jitter_ms(values) == pytest.approx(expected)
    assert jitter_ms([5.0] * 50) == 0.0
    assert jitter_ms([0.0, 10.0] * 200) == pytest.approx(10.0, rel=0.01)


def test_independent_losses_have_a_burst_ratio_of_one() -> None:
    assert burst_ratio([False] * 10) == 1.0
    assert burst_ratio([True, False, False, False] * 5) == 1.0
    assert burst_ratio(([True] * 4 + [False] * 12) * 5) == pytest.approx(3.0)


def test_shares_of_two_connections() -> None:
    assert shares(5.0, 5.0)["fairness"] == pytest.approx(1.0)
    assert shares(10.0, 0.0) == {"fairness": 0.5, "second-share": 0.0, "first": 10.0, "second": 0.0}
    with pytest.raises(ProbeFailed):
        shares(0.0, 0.0)


def test_a_report_that_is_none_says_what_iperf3_reported() -> None:
    with pytest.raises(
        ProbeFailed, check=has_message(IPERF_FAILED, host="gateway-a", output="unable to connect to server")
    ):
        read_report('{"error": "unable to connect to server"}', "", "gateway-a")
    with pytest.raises(ProbeFailed, check=has_message(IPERF_FAILED, host="gateway-a", output="sh: iperf3: not found")):
        read_report("", "sh: iperf3: not found", "gateway-a")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_the_page_is_served_and_loaded_and_the_server_ends_with_its_channel() -> None:
    port = free_port()
    argv = [sys.executable, "-c", host_script("probes/web-server.py"), "127.0.0.1", str(port), "60"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    sizes = [str(DOCUMENT_BYTES), *map(str, OBJECT_BYTES)]
    words = ["127.0.0.1", str(port), "127.0.0.1", "6", "20", *sizes]
    client = [sys.executable, "-c", host_script("probes/web-client.py"), *words]
    done = subprocess.run(client, capture_output=True, text=True, timeout=60, check=True)
    first_byte_s, document_s, page_s = map(float, done.stdout.split())
    assert 0.0 < first_byte_s <= document_s <= page_s
    server.stdout.close()
    assert server.wait(timeout=20) == 0


def test_both_sides_of_a_call_hear_each_other() -> None:
    port = free_port()
    heard: dict[str, str] = {}

    def side(own: str, peer: str) -> None:
        argv = [sys.executable, "-c", host_script("probes/voice.py"), own, peer, str(port), "25", "0.02", "172", "1"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env=os.environ)
        heard[own] = done.stdout

    calls = [
        threading.Thread(target=side, args=ends) for ends in (("127.0.0.1", "127.0.0.2"), ("127.0.0.2", "127.0.0.1"))
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert {read_stream(text, 25, "gateway-a").lost_pct < 50.0 for text in heard.values()} == {True}
    assert len(heard) == 2
