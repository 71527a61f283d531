from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_hosts import Answer, FakeHost
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cancel import CancelToken
from app.domain.commands import Command, Stream
from app.domain.errors import ProbeFailed
from app.domain.hosts import Privilege, ToolFlavour
from app.domain.profiles import FRAME_BYTES
from app.domain.results import LOST_RTT_US
from app.domain.script_files import host_script
from app.probes.blocks import BlockTarget, CycleRequest, WarmUp, _CycleReader, measure_cycle, warm_up
from app.probes.messages import CYCLE_ENDED_EARLY, NO_REPLY
from support.message_checks import has_message

COUNTS = (70, 60, 20, 20, 10, 10, 10)
REQUEST = CycleRequest((BlockTarget("198.18.0.2", "198.18.0.1"), BlockTarget("198.18.2.2")), FRAME_BYTES, COUNTS)


class BlockHost:
    """Behaves like the script of blocks; sequence numbers in `lost` have no reply, targets in `silent` none at all."""

    def __init__(self, *, lost: frozenset[int] = frozenset(), silent: frozenset[str] = frozenset()) -> None:
        self.lost = lost
        self.silent = silent
        self.rtts_ms = iter(())  # of the warm-up's windows
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        _limit, sizes, targets, *_ping = command.argv[4:]
        self.asked.append(command.argv[4:])
        rtt_ms = next(self.rtts_ms, 0.5)
        for number, target in enumerate(targets.split()):
            yield f"@block {100 + number:.2f}"
            destination = target.split("@")[0]
            for size in sizes.split():
                payload, count = size.split(":")
                yield f"@size {payload}"
                yield f"PING {destination} ({destination}) {payload}({payload}) bytes of data."
                for seq in range(1, int(count) + 1):
                    if destination not in self.silent and seq not in self.lost:
                        yield f"{payload} bytes from {destination}: icmp_seq={seq} ttl=64 time={rtt_ms:.3f} ms"
                yield "@exit 0"
        yield "@end 101.50"
        return 0


def test_each_target_has_a_block_with_every_size_in_the_order_of_the_request() -> None:
    host = BlockHost()
    first, second = measure_cycle(FakeHost("gateway-a", host), replace(REQUEST, first_size=3), token=CancelToken())
    assert [len(times) for times in first.rtt_us] == list(COUNTS)
    assert all((times == 500).all() for times in (*first.rtt_us, *second.rtt_us))
    assert (first.at_s, second.at_s) == (0.0, 1.0)
    # To the next block or the end, and the hundredth of a second by which the clock may be behind.
    assert (first.lasted_s, second.lasted_s) == (1.01, 0.51)
    (words,) = host.asked
    assert words[1].split()[0] == "470:20"  # the fourth size first: frames of 512 bytes
    assert words[2] == "198.18.0.2@198.18.0.1 198.18.2.2"


def test_a_lost_request_is_lost_at_its_place() -> None:
    block, _ = measure_cycle(FakeHost("gateway-a", BlockHost(lost=frozenset({2, 7}))), REQUEST, token=CancelToken())
    assert np.flatnonzero(block.rtt_us[0] == LOST_RTT_US).tolist() == [1, 6]


def test_a_silent_target_has_a_block_of_lost_requests_and_the_others_are_whole() -> None:
    host = FakeHost("gateway-a", BlockHost(silent=frozenset({"198.18.0.2"})))
    first, second = measure_cycle(host, REQUEST, token=CancelToken())
    assert all((times == LOST_RTT_US).all() for times in first.rtt_us)
    assert all((times == 500).all() for times in second.rtt_us)


def test_requests_that_were_not_sent_any_more_are_known() -> None:
    """After two sizes with losses the script goes on to the next target; ping ends at its limit, and reports totals."""

    def lossy(command: Command, token: CancelToken) -> Answer:
        yield "@block 100.00"
        yield "@size 18"
        yield "64 bytes from 198.18.0.2: icmp_seq=2 ttl=64 time=0.500 ms"
        yield "40 packets transmitted, 1 received, 97.5% packet loss, time 9000ms"
        yield "@exit 1"
        yield "@size 86"
        yield "64 bytes from 198.18.0.2: icmp_seq=1 ttl=64 time=0.500 ms"
        yield "61 packets transmitted, 1 received, 98% packet loss, time 8000ms"
        yield "@exit 1"
        yield "@block 117.00"
        for size, count in zip(FRAME_BYTES, COUNTS, strict=True):
            yield f"@size {size - 42}"
            yield f"{count} packets transmitted, 0 received, 100% packet loss, time 8000ms"
        yield "@end 118.00"
        return 0

    first, second = measure_cycle(FakeHost("gateway-a", lossy), REQUEST, token=CancelToken())
    assert first.requests == first.sent == (40, 60, 0, 0, 0, 0, 0)
    assert [len(times) for times in first.rtt_us] == list(COUNTS)
    assert (second.sent, second.requests) == ((), COUNTS)


def test_a_cycle_that_ends_too_early_is_an_error() -> None:
    def broken(command: Command, token: CancelToken) -> Answer:
        yield "@block 100.00"
        yield "ping: socket: Operation not permitted"
        return 1

    with pytest.raises(ProbeFailed, check=has_message(CYCLE_ENDED_EARLY, host="gateway-a")):
        measure_cycle(FakeHost("gateway-a", broken), REQUEST, token=CancelToken())


def test_busybox_counts_from_zero_and_gets_its_own_options() -> None:
    host = BlockHost()
    measure_cycle(FakeHost("gateway-a", host), replace(REQUEST, ping_flavour=ToolFlavour.BUSYBOX), token=CancelToken())
    assert host.asked[0][3:] == ("busybox-ping",)


@pytest.mark.parametrize(
    ("rtts_ms", "windows", "is_steady"),
    [((0.9, 0.6, 0.59), 3, True), ((0.5, 0.5), 2, True), ((0.5, 0.8), 2, True), ((0.9, 0.6, 0.4, 0.3, 0.2), 3, False)],
)
def test_warm_up_ends_when_a_window_is_not_faster_or_its_time_is_over(
    rtts_ms: tuple[float, ...], windows: int, is_steady: bool
) -> None:
    host = BlockHost()
    host.rtts_ms = iter(rtts_ms)
    times = iter((0.0, 0.7, 1.4, 2.1, 2.8, 3.5))
    target = REQUEST.targets[0]
    found = warm_up(FakeHost("gateway-a", host), target, token=CancelToken(), clock=lambda: next(times))
    assert found == WarmUp(is_steady, None, pytest.approx(rtts_ms[windows - 2] / rtts_ms[windows - 1]))
    assert len(host.asked) == windows


@pytest.mark.parametrize(("rtt_ms", "interval_s"), [(49.0, None), (50.0, 0.05), (640.0, 0.05)])
def test_a_long_path_is_pinged_without_waiting_for_each_reply(rtt_ms: float, interval_s: float | None) -> None:
    host = BlockHost()
    host.rtts_ms = iter((rtt_ms, rtt_ms))
    times = iter((0.0, 7.0, 14.0))
    found = warm_up(FakeHost("gateway-a", host), REQUEST.targets[0], token=CancelToken(), clock=lambda: next(times))
    assert found == WarmUp(is_steady=True, interval_s=interval_s, ratio=1.0)
    first, second = (words[3:] for words in host.asked)
    assert first == ("ping", "-n", "-A", "-M", "do")
    assert second == (first if interval_s is None else ("ping", "-n", "-i", f"{interval_s:g}", "-M", "do"))


def test_busybox_and_users_without_rights_ping_a_long_path_one_by_one() -> None:
    for flavour, privilege in ((ToolFlavour.BUSYBOX, Privilege.ROOT), (ToolFlavour.IPUTILS, Privilege.NONE)):
        host = BlockHost()
        host.rtts_ms = iter((300.0, 300.0))
        client = FakeHost("gateway-a", host)
        client.privilege = privilege
        found = warm_up(client, REQUEST.targets[0], token=CancelToken(), ping_flavour=flavour)
        assert found.interval_s is None
        assert not any("-i" in words for words in host.asked)


@pytest.mark.parametrize(("pace", "limit"), [("-A", "-w 2"), ("-i 0.05", "-W 5")])
def test_at_a_fixed_pace_no_more_is_sent_than_asked_for(pace: str, limit: str, tmp_path: Path) -> None:
    (tmp_path / "ping").write_text('#!/bin/sh\necho "said $*"\n')
    (tmp_path / "ping").chmod(0o755)
    words = ("60", "18:5", "127.0.0.1", "ping", "-n", *pace.split())
    done = subprocess.run(
        ["dash", "-c", host_script("probes/blocks.sh"), "tunnelmark", *words],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert f"said -n {pace} {limit} -c 5 -s 18 127.0.0.1" in done.stdout


def test_warm_up_through_a_silent_tunnel_is_an_error() -> None:
    host = FakeHost("gateway-a", BlockHost(silent=frozenset({"198.18.0.2"})))
    with pytest.raises(ProbeFailed, check=has_message(NO_REPLY, peer="198.18.0.2", host="gateway-a")):
        warm_up(host, REQUEST.targets[0], token=CancelToken())


@given(st.lists(st.one_of(st.text(max_size=60), st.sampled_from(["@block 1", "@size 18", "@exit x", "@end"]))))
def test_whatever_a_host_prints_is_read(lines: list[str]) -> None:
    reader = _CycleReader(REQUEST)
    for line in lines:
        reader.on_line(Stream.STDOUT, line)
    assert len(reader.blocks()) <= len(REQUEST.targets)


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])
def test_the_script_pings_this_computer_and_leaves_no_file(shell: tuple[str, ...]) -> None:
    words = ("60", "18:5 1000:3", "127.0.0.1@127.0.0.1 127.0.0.2", "ping", "-n", "-A", "-M", "do")
    script = host_script("probes/blocks.sh")
    done = subprocess.run(
        [*shell, "-c", script, "tunnelmark", *words], capture_output=True, text=True, check=True, timeout=300
    )
    reader = _CycleReader(CycleRequest((BlockTarget("127.0.0.1"), BlockTarget("127.0.0.2")), (60, 1042), (5, 3)))
    for line in done.stdout.splitlines():
        reader.on_line(Stream.STDOUT, line)
    assert reader.has_ended
    assert all((times != LOST_RTT_US).all() for block in reader.blocks() for times in block.rtt_us)
    assert done.stderr == ""


def test_a_target_is_given_up_after_two_sizes_without_all_their_replies() -> None:
    words = ("60", "18:1 100:1 200:1", "127.0.0.1@127.0.0.1", "sh", "-c", "exit 1")
    script = host_script("probes/blocks.sh")
    done = subprocess.run(
        ["dash", "-c", script, "tunnelmark", *words], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.count("@size") == 2
    assert done.stdout.splitlines()[-1].startswith("@end ")
