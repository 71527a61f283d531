from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import ProbeFailed
from app.domain.hosts import HostSpec, PairSpec
from app.domain.profiles import ADAPTIVE_PROFILE, GOOD_CYCLES
from app.measurement import overhead
from app.measurement.messages import PLAIN_PINGS_FAILED
from app.measurement.overhead import Pass, ProbeOverhead, measure_overhead, measure_overheads
from app.probes import LatencyRequest
from support.fake_solutions import discovery
from support.message_checks import has_message

REQUEST = LatencyRequest("192.0.2.2", "192.0.2.1", (60, 1514), 10)
PAIR = PairSpec("works", HostSpec("gateway-a", "a"), HostSpec("gateway-b", "b"), "192.0.2.1", "192.0.2.2")


def replies(rtt_ms: float, count: int) -> list[str]:
    return [f"64 bytes from 192.0.2.2: icmp_seq={seq} ttl=64 time={rtt_ms:.3f} ms" for seq in range(1, count + 1)]


class Host:
    """The probe takes 3 s and sees 0.5 ms, bare pings take 2 s and see 0.4 ms."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        if "#unsteady" in command.argv[2]:
            self.ran.append("probe")
            for label in ("18", "1472"):
                yield f"@window {label} 0 10"
                yield from replies(0.5, 10)
                yield "10 packets transmitted, 10 received, 0% packet loss, time 1ms"
                yield f"@exit {label} 0"
                yield f"@size {label} 10"
            yield 3.0
            return 0
        self.ran.append("bare")
        for label in ("18", "1472"):
            yield f"@size {label}"
            yield from replies(0.4, 10)
        yield 2.0
        yield "@end"
        return 0


def test_the_probe_and_bare_pings_are_measured_in_turn() -> None:
    answers, done = Host(), list[int]()
    host = FakeHost("gateway-a", answers)
    found = measure_overhead(host, REQUEST, rounds=6, token=CancelToken(), on_round=done.append, clock=host.clock)

    assert found.time_ratio == pytest.approx(1.5)
    assert found.control_time_ratio == 1.0
    assert found.rtt_ratios == (pytest.approx(1.25), pytest.approx(1.25))
    assert found.control_rtt_ratios == (1.0, 1.0)
    assert found.bare_s == pytest.approx(2.0)
    assert done == [1, 2, 3, 4, 5, 6]
    places = [answers.ran[start : start + 3].index("probe") for start in range(0, 18, 3)]
    assert sorted(places) == [0, 0, 1, 1, 2, 2]


def test_a_cycle_and_bare_pings_have_the_same_requests() -> None:
    counts: list[str] = []
    sent: dict[bool, int] = {True: 0, False: 0}

    def answer(command: Command, token: CancelToken) -> Answer:
        is_block = "@block" in command.argv[2]
        counts.append(next(word for word in command.argv if word.startswith("18:")))
        sizes = command.argv[command.argv.index(counts[-1])].split()
        for block in range(len(command.argv[6].split()) if is_block else 1):
            if is_block:
                yield f"@block 10{block}.00"
            for label, count in (size.split(":") for size in sizes):
                yield f"@size {label}"
                yield from replies(0.44 if is_block else 0.4, int(count))
                sent[is_block] += int(count)
                if is_block:
                    yield "@exit 0"
        yield 1.1 if is_block else 1.0
        yield "@end"
        return 0

    host = FakeHost("gateway-a", answer)
    found = measure_overhead(host, REQUEST, (7, 2), rounds=6, token=CancelToken(), clock=host.clock)

    assert set(counts) == {"18:7 1472:2", "18:7 1472:2 18:7 1472:2 18:7 1472:2"}
    assert 2 * sent[True] == sent[False] == 2 * 6 * 3 * 9
    assert found.time_ratio == pytest.approx(1.1)
    assert found.rtt_ratios == (pytest.approx(1.1), pytest.approx(1.1))
    assert found.control_rtt_ratios == (1.0, 1.0)


def test_a_disturbed_round_does_not_count() -> None:
    bare = (Pass(1.0, (200.0,)),) * 3
    probe = (Pass(1.1, (202.0,)), Pass(9.0, (900.0,)), Pass(1.1, (202.0,)))
    found = ProbeOverhead((60,), probe, bare, bare)

    assert found.time_ratio == pytest.approx(1.1)
    assert found.rtt_ratios == (pytest.approx(1.01),)


def test_a_size_that_does_not_cross_has_no_ratio() -> None:
    lost = (Pass(1.0, (200.0, math.nan)),)
    assert math.isnan(ProbeOverhead((60, 1514), lost, lost, lost).rtt_ratios[1])


def test_bare_pings_without_figures_are_an_error() -> None:
    def answer(command: Command, token: CancelToken) -> Answer:
        if "#unsteady" in command.argv[2]:
            return (yield from Host()(command, token))
        yield "#nowhere"
        return 1

    with pytest.raises(ProbeFailed, check=has_message(PLAIN_PINGS_FAILED, host="gateway-a")):
        measure_overhead(FakeHost("gateway-a", answer), REQUEST, rounds=1, token=CancelToken())


def test_both_probes_are_measured_on_the_bare_link_with_a_share_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[LatencyRequest, tuple[int, ...], int]] = []
    shares: list[float] = []

    def measured(
        _client: object,
        request: LatencyRequest,
        block_pings: tuple[int, ...] = (),
        *,
        rounds: int,
        on_round: Callable[[int], None],
        **_: object,
    ) -> str:
        asked.append((request, tuple(block_pings), rounds))
        for done in range(1, rounds + 1):
            on_round(done)
        return f"overhead {len(asked)}"

    monkeypatch.setattr(overhead, "measure_overhead", measured)
    host, found = FakeHost("gateway-a", Host()), discovery(PAIR)
    overheads = measure_overheads(host, found, rounds=2, token=CancelToken(), on_share=shares.append)
    assert (overheads.phase, overheads.cycle) == ("overhead 1", "overhead 2")
    (phase, no_blocks, rounds), (cycle, blocks, passes) = asked
    assert phase == cycle
    assert (phase.destination, phase.source) == (found.link.underlay_b, found.link.underlay_a)
    assert (no_blocks, rounds) == ((), 2)
    assert (blocks, passes) == (ADAPTIVE_PROFILE.block_pings, 2 * GOOD_CYCLES)
    assert shares == sorted(shares)
    assert (shares[1], shares[-1]) == (0.5, 1.0)
