from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import ProbeFailed
from app.domain.link import Link
from app.probes.capture.canary import CanaryFrames
from app.probes.messages import PINGS_INCOMPLETE
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest, run_smoke_test
from support.message_checks import has_message

CANARIES = CanaryFrames("AbCd", "WxYz", "123t")
LINK = Link("192.0.2.1", "192.0.2.2")
PCAP_HEADER = bytes.fromhex("d4c3b2a1020004000000000000000000c000000001000000")


def packet(content: bytes) -> bytes:
    frame = b"\x02" * 12 + b"\x08\x00" + b"\x45" + b"\x00" * 19 + content
    return b"\x00" * 8 + len(frame).to_bytes(4, "little") * 2 + frame


def capture(*contents: bytes) -> Iterator[str]:
    yield "#pcap"
    yield " " + (PCAP_HEADER + b"".join(packet(content) for content in contents)).hex(" ")
    yield "#end"


def pings(label: str, count: int, answered: int, rtt_ms: float = 2.0) -> Iterator[str]:
    yield f"@start {label} 100"
    for seq in range(1, answered + 1):
        yield f"208 bytes from 198.18.0.2: icmp_seq={seq} ttl=64 time={rtt_ms} ms"
    yield f"{count} packets transmitted, {answered} received, 0% packet loss, time 1ms"
    yield f"@exit {label} {0 if answered else 1}"


def all_sizes(rtt_ms: float = 2.0) -> Iterator[str]:
    for size in (60, 128, 256, 512, 1024, 1400, 1514):
        yield from pings(f"size-{size - 42}", 4, 4, rtt_ms)


def tcp() -> Iterator[str]:
    yield "@start tcp 200"
    yield "iperf3: error - unable to connect to server: Connection refused"
    yield "@exit tcp 1"
    yield "@start tcp 201"
    yield "[  5]   0.00-1.00   sec  1.43 MBytes  12000 Kbits/sec    0             sender"
    yield "[  5]   0.00-1.10   sec  1.43 MBytes  10900 Kbits/sec                  receiver"
    yield "@exit tcp 0"


def outcome_of(*lines: Iterator[str]) -> SmokeTestOutcome:
    def answer_a(_command: Command, _token: CancelToken) -> Answer:
        for one in lines:
            yield from one
        return 0

    def answer_b(_command: Command, _token: CancelToken) -> Answer:
        yield from ()
        return 0

    sessions = SessionPair(FakeHost("gateway-a", answer_a), FakeHost("gateway-b", answer_b))
    request = SmokeTestRequest(LINK, "198.18.0.1", "198.18.0.2", "udp port 21194", 25201, pings=3, canaries=CANARIES)
    return run_smoke_test(sessions, request, token=CancelToken())


def test_everything_is_well() -> None:
    own = [b"\x99" * 100] * 6
    outcome = outcome_of(
        pings("control", 2, 2),
        pings("echo", 3, 3),
        capture(*own, CANARIES.control, CANARIES.control),
        all_sizes(),
        tcp(),
    )
    assert (outcome.sent, outcome.received) == (3, 3)
    assert (outcome.captured, outcome.clear_marks, outcome.control_marks) == (6, 0, 2)
    assert outcome.mean_ms_by_frame == dict.fromkeys((60, 128, 256, 512, 1024, 1400, 1514), 2.0)
    assert outcome.throughput_mbit_s == pytest.approx(10.9)


def test_plaintext_is_counted_by_packet() -> None:
    outcome = outcome_of(
        pings("echo", 3, 3), capture(CANARIES.inside * 5, CANARIES.inside, b"\x99" * 50, CANARIES.control)
    )
    assert (outcome.captured, outcome.clear_marks, outcome.control_marks) == (3, 2, 1)


def test_no_answer_is_a_result() -> None:
    outcome = outcome_of(pings("echo", 3, 0), capture())
    assert (outcome.sent, outcome.received, outcome.captured) == (3, 0, 0)
    assert outcome.mean_ms_by_frame == {}
    assert outcome.throughput_mbit_s is None


def test_lost_request_is_not_made_up_for_by_a_later_one() -> None:
    def lines() -> Iterator[str]:
        yield "@start echo 100"
        for seq in (1, 3, 4):
            yield f"208 bytes from 198.18.0.2: icmp_seq={seq} ttl=64 time=2.0 ms"
        yield "4 packets transmitted, 3 received, 25% packet loss, time 1ms"
        yield "@exit echo 0"

    outcome = outcome_of(lines())
    assert (outcome.sent, outcome.received) == (3, 2)


def test_size_that_does_not_cross_is_left_out_and_reported() -> None:
    def too_long() -> Iterator[str]:
        yield "@start size-1472 100"
        yield "ping: local error: message too long, mtu=1437"
        yield "4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 1ms"
        yield "@exit size-1472 1"

    outcome = outcome_of(pings("echo", 3, 3), too_long())
    assert 1514 not in outcome.mean_ms_by_frame
    assert outcome.notes == ("1514 B: ping: local error: message too long, mtu=1437",)


def test_inspection_that_breaks_off_is_no_result() -> None:
    with pytest.raises(ProbeFailed, check=has_message(PINGS_INCOMPLETE)):
        outcome_of(iter(["sh: 1: ping: not found"]))
