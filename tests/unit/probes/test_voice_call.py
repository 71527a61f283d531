"""Both sides of a telephone call: a common start, however late one of them is, and what counts."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import ProbeFailed
from app.domain.script_files import host_script
from app.probes.messages import CALL_FAILED, CALL_NOT_BEGUN
from app.probes.workloads import WORKLOADS, WorkloadPath
from app.probes.workloads.voice import VoiceStream, read_stream
from support.message_checks import has_message

A, B = "127.0.0.1", "127.0.0.2"
BESIDE_A, BESIDE_B = "127.0.0.3", "127.0.0.4"
"""Addresses of a link between them: what A takes for B's address, and B for A's."""
COUNT = 25
Drops = Callable[[int, int], bool]
"""Whether the nth datagram of a direction is lost, given n and its number in the call."""


@pytest.fixture
def port() -> Iterator[int]:
    """Return a UDP port that another address of this computer has, so that the kernel gives it to no other program."""
    with socket.socket(type=socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.9", 0))
        yield taken.getsockname()[1]


def side(own: str, peer: str, port: int, peer_s: float = 60.0, before: str = "") -> subprocess.Popen[str]:
    """Start one side of a call of half a second, with a line of Python before its script."""
    words = (own, peer, str(port), str(COUNT), "0.02", "172", "10", str(peer_s))
    argv = [sys.executable, "-c", before + host_script("probes/voice.py"), *words]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(call: subprocess.Popen[str]) -> VoiceStream:
    """Wait until a side has ended; return what it heard."""
    text, errors = call.communicate(timeout=120)
    assert call.returncode == 0, errors
    return read_stream(text, COUNT, "gateway-a")


def hear(own: str, port: int) -> None:
    """Wait until a datagram comes, as a host on which the call has not started yet."""
    with socket.socket(type=socket.SOCK_DGRAM) as line:
        line.settimeout(60)
        line.bind((own, port))
        line.recvfrom(2048)


@contextmanager
def link(port: int, delay_s: float, drops: Drops) -> Iterator[None]:
    """Carry datagrams between A and B with a delay and losses."""
    ends = {}
    for name in (BESIDE_A, BESIDE_B):
        ends[name] = socket.socket(type=socket.SOCK_DGRAM)
        ends[name].bind((name, port))
        ends[name].settimeout(0.002)
    stop = threading.Event()

    def carry(near: str, far: str, target: str) -> None:
        on_way: deque[tuple[float, bytes]] = deque()
        came = 0
        while not stop.is_set():
            while on_way and on_way[0][0] <= time.monotonic():
                ends[far].sendto(on_way.popleft()[1], (target, port))
            try:
                text, _ = ends[near].recvfrom(2048)
            except TimeoutError:
                continue
            came += 1
            if not drops(came, struct.unpack_from("!I", text)[0]):
                on_way.append((time.monotonic() + delay_s, text))

    ways = [threading.Thread(target=carry, args=words) for words in ((BESIDE_A, BESIDE_B, B), (BESIDE_B, BESIDE_A, A))]
    for way in ways:
        way.start()
    try:
        yield
    finally:
        stop.set()
        for way in ways:
            way.join()
        for end in ends.values():
            end.close()


@pytest.mark.parametrize(("early", "late"), [(A, B), (B, A)])
def test_a_side_that_starts_late_loses_nothing(port: int, early: str, late: str) -> None:
    first = side(early, late, port)
    hear(late, port)  # the first side sends already, and the other one's socket is closed again
    second = side(late, early, port)
    assert [(one.lost_pct, one.burst_ratio) for one in (ended(first), ended(second))] == [(0.0, 1.0)] * 2


def test_hellos_are_repeated_and_only_losses_of_the_call_count(port: int) -> None:
    def drops(came: int, number: int) -> bool:
        return came % 3 > 0 if number >= COUNT else number in (0, 12, COUNT - 1)

    with link(port, 0.3, drops):
        calls = [side(A, BESIDE_A, port), side(B, BESIDE_B, port)]
        heard = [ended(call) for call in calls]
    assert [one.lost_pct for one in heard] == [100 * 3 / COUNT] * 2


@pytest.mark.parametrize("stepping", [A, B])
def test_a_clock_that_is_set_during_the_call_changes_no_figure(port: int, stepping: str) -> None:
    hours = "import itertools, time; hour = itertools.count(); time.time_ns = lambda: next(hour) * 3_600 * 10**9\n"
    calls = [side(one, peer, port, before=hours if one == stepping else "") for one, peer in ((A, B), (B, A))]
    heard = [ended(call) for call in calls]
    assert all(one.jitter_ms < 60_000 for one in heard)


def test_a_side_that_hears_nothing_ends_and_says_so(port: int) -> None:
    call = side(A, B, port, peer_s=0.2)
    text, errors = call.communicate(timeout=120)
    assert (call.returncode, text, errors) == (3, "", "nothing came from 127.0.0.2 within 0.2 s\n")


def test_a_link_that_carries_one_direction_alone_is_no_call(port: int) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as line:
        line.bind((B, port))
        call = side(A, B, port, peer_s=0.2)
        line.settimeout(60)
        line.recvfrom(2048)  # B heard A, and its answer is lost
        call.communicate(timeout=120)
    assert call.returncode == 3


def run(status_a: int, status_b: int, fastest_ms: float = 600.0) -> Mapping[str, float]:
    """Run the workload on hosts whose scripts end with these exit statuses; one of 40 round trips is the fastest."""

    def answers(status: int) -> Callable[[Command, CancelToken], Answer]:
        def answer(command: Command, _token: CancelToken) -> Answer:
            if "python3" not in command.argv:
                for number in range(1, 41):
                    took_ms = fastest_ms if number == 7 else 600.0
                    words = f"64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time={took_ms:g} ms"
                    yield f"[1700000000.{number:06d}] {words}"
                return 0
            yield "0 1 2"
            return status

        return answer

    a, b = FakeHost("gateway-a", answers(status_a)), FakeHost("gateway-b", answers(status_b))
    underlay = ("192.0.2.1", "192.0.2.2")
    return WORKLOADS["voice"].run(
        WorkloadPath(SessionPair(a, b), "10.0.0.1", "10.0.0.2", underlay, "", 5201, 0.0, CancelToken())
    )


@pytest.mark.parametrize(
    ("status_a", "status_b", "host", "peer"),
    [(3, 0, "gateway-a", "gateway-b"), (0, 3, "gateway-b", "gateway-a"), (3, 3, "gateway-a", "gateway-b")],
)
def test_the_host_that_heard_nothing_is_named(status_a: int, status_b: int, host: str, peer: str) -> None:
    with pytest.raises(ProbeFailed, check=has_message(CALL_NOT_BEGUN, host=host, peer=peer, seconds=15.0)):
        run(status_a, status_b)


def test_the_delay_is_that_of_the_fastest_packet_and_its_wait_in_the_buffer() -> None:
    assert run(0, 0, fastest_ms=500.0)["delay"] == pytest.approx(500 / 2 + 20 + 60)


def test_why_the_peer_failed_is_reported_rather_than_its_silence() -> None:
    with pytest.raises(ProbeFailed, check=has_message(CALL_FAILED, host="gateway-b", output="exit status 127")):
        run(3, 127)
