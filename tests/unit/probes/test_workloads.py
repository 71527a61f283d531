"""Workloads: what each declares, and how its figures follow from what hosts print."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair, Stream
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.script_files import host_script
from app.probes.messages import CALL_SILENT, IPERF_FAILED, NO_CAPTURE
from app.probes.workloads import WORKLOADS, WorkloadPath
from app.probes.workloads.idle_data import MONTH_S, WINDOW_S, IdleCount, figures, underlay_filter
from app.probes.workloads.iperf import read_report
from app.probes.workloads.transactions import figures as file_figures
from app.probes.workloads.two_flows import FlowTimes, rate_between, shares
from app.probes.workloads.voice import burst_ratio, jitter_ms, read_stream
from app.probes.workloads.web_page import DOCUMENT_BYTES, OBJECT_BYTES
from support.adapter_cases import facts, home, request
from support.held_port import held_port
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS


@pytest.mark.parametrize("name", WORKLOADS)
def test_each_declares_all_that_tables_need(name: str) -> None:
    one = WORKLOADS[name]
    assert one.name == name
    assert one.title
    assert one.source
    assert one.seconds > 0
    assert one.needs[Side.B] if one.hub_clients else one.needs[Side.A]
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


def test_the_rate_of_a_connection_counts_between_two_times() -> None:
    intervals = [{"sum": {"start": at + 0.001, "end": at + 1.001, "bytes": 125_000 * (at + 1)}} for at in range(10)]
    report = {"intervals": intervals}
    assert rate_between(report, 4.0, 6.0) == pytest.approx(5.5)
    assert rate_between(report, 9.0, 10.0) == pytest.approx(10.0)
    with pytest.raises(ProbeFailed):
        rate_between(report, 20.0, 30.0)
    assert (FlowTimes(100, 10, 80).common_s, FlowTimes(12, 3, 9).common_s) == (80, 9)


def test_a_report_that_is_none_says_what_iperf3_reported() -> None:
    with pytest.raises(
        ProbeFailed, check=has_message(IPERF_FAILED, host="gateway-a", output="unable to connect to server")
    ):
        read_report('{"error": "unable to connect to server"}', "", "gateway-a")
    with pytest.raises(ProbeFailed, check=has_message(IPERF_FAILED, host="gateway-a", output="sh: iperf3: not found")):
        read_report("", "sh: iperf3: not found", "gateway-a")


IDLE_LINES = """\
@start capture 77
tcpdump: verbose output suppressed, use -v[v]... for full protocol decode
listening on eth1, link-type EN10MB (Ethernet), snapshot length 96 bytes
52:54:00:00:00:0a > 52:54:00:00:00:0b, IPv4, length 122: 192.0.2.1.1194 > 192.0.2.2.1194: UDP, length 80
52:54:00:00:00:0b > 52:54:00:00:00:0a, 802.1Q, length 126: vlan 7, p 0, IPv4, 192.0.2.2.1194 > 192.0.2.1.1194: UDP
52:54:00:00:00:0a > 52:54:00:00:00:0b, 802.1AE MACsec, length 92: an 0, pn 17, flags [encrypted], sl 0
3 packets captured
"""


def test_idle_frames_are_counted_with_their_headers() -> None:
    count = IdleCount()
    for line in (*IDLE_LINES.splitlines(), "@alive 2", "@end 121"):
        count.on_line(Stream.STDOUT, line)
    assert (count.frames, count.bytes) == (3, 122 + 126 + 92)
    assert (count.has_listened, count.took_s, count.device_missing) == (True, 121, False)
    found = figures(count.frames, count.bytes)
    assert found["month"] == pytest.approx(340 * MONTH_S / WINDOW_S / 1e6)
    assert found["frames"] == pytest.approx(3 * 3_600 / WINDOW_S)


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        (("sh: tcpdump: not found", "@end 0"), "sh: tcpdump: not found"),
        (("#none 192.0.2.1",), "no interface has the address 192.0.2.1"),
    ],
)
def test_a_host_that_does_not_capture_has_no_idle_data(lines: tuple[str, ...], output: str) -> None:
    def answer(_command: Command, _token: CancelToken) -> Answer:
        yield from lines
        return 0

    a, b = FakeHost("gateway-a", answer), FakeHost("gateway-b", answer)
    path = WorkloadPath(
        SessionPair(a, b), "10.0.0.1", "10.0.0.2", ("192.0.2.1", "192.0.2.2"), "", 5201, 0.0, CancelToken()
    )
    with pytest.raises(ProbeFailed, check=has_message(NO_CAPTURE, host="gateway-a")) as caught:
        WORKLOADS["idle-data"].run(path)
    assert output in caught.value.sentence()


@pytest.mark.parametrize(
    ("outer", "wanted"),
    [
        ("", "ip and host 192.0.2.1 and host 192.0.2.2"),
        ("udp port 7", "ip and host 192.0.2.1 and host 192.0.2.2 and (udp port 7)"),
    ],
)
def test_idle_data_are_those_of_the_tunnel_alone(outer: str, wanted: str) -> None:
    host = FakeHost("gateway-a", lambda *_: iter(()))
    underlay = ("192.0.2.1", "192.0.2.2")
    path = WorkloadPath(SessionPair(host, host), "10.0.0.1", "10.0.0.2", underlay, outer, 5201, 0.0, CancelToken())
    assert underlay_filter(path) == wanted


@pytest.mark.parametrize("solution", ADAPTERS)
def test_idle_data_have_the_ports_at_which_a_tunnel_is_kept_up(solution: str) -> None:
    adapter = ADAPTERS[solution]
    host = facts(home(adapter))
    plan = adapter.plan(request(adapter, adapter.suites(host, host)[0]))
    for protocol, port in {*plan.a.listens, *plan.b.listens}:
        assert re.search(rf"\b{protocol} port {port}\b", plan.whole_filter), "tinc's keepalive is sent by TCP"


def test_what_only_keeps_a_tunnel_up_is_no_frame_of_it() -> None:
    adapter = ADAPTERS["tinc"]
    plan = adapter.plan(request(adapter, adapter.suites(facts(), facts())[0]))
    assert (plan.outer_filter, plan.whole_filter) == ("udp port 21655", "(udp port 21655) or (tcp port 21655)")


def test_the_page_is_served_and_loaded_and_the_server_ends_with_its_channel() -> None:
    port = held_port()
    argv = [sys.executable, "-c", host_script("probes/web-server.py"), "127.0.0.1", str(port), "300"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    sizes = [str(DOCUMENT_BYTES), *map(str, OBJECT_BYTES)]
    words = ["127.0.0.1", str(port), "127.0.0.1", "6", "60", *sizes]
    client = [sys.executable, "-c", host_script("probes/web-client.py"), *words]
    done = subprocess.run(client, capture_output=True, text=True, timeout=120, check=True)
    first_byte_s, document_s, page_s = map(float, done.stdout.split())
    assert 0.0 < first_byte_s <= document_s <= page_s
    server.stdout.close()
    assert server.wait(timeout=120) == 0


def test_files_are_answered_each_and_the_receiver_ends_with_its_channel() -> None:
    port = held_port()
    script = [sys.executable, "-c", host_script("probes/transactions.py")]
    serving = [*script, "receive", "127.0.0.1", str(port), "1000000", "300"]
    with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "listening\n"
        words = ["send", "127.0.0.1", str(port), "1000000", "127.0.0.1", "0.2", "60"]
        for _ in range(2):
            done = subprocess.run([*script, *words], capture_output=True, text=True, check=True)
            times_s = [float(line) for line in done.stdout.split()]
            assert len(times_s) >= 2
            assert 0 < max(times_s) < 60
        receiver.stdout.close()
        assert receiver.wait(120) == 0
    refused = subprocess.run([*script, *words], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "ConnectionRefusedError" in refused.stderr


def test_the_rate_of_files_is_that_of_their_mean_time() -> None:
    assert file_figures([0.08, 0.12]) == pytest.approx({"response": 100.0, "longest": 120.0, "rate": 80.0})
