from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest
from fake_hosts import Answer, FakeClock, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import Cancelled, ProbeFailed
from app.domain.hosts import Privilege, ToolFlavour
from app.domain.profiles import FRAME_BYTES
from app.domain.results import LOST_RTT_US
from app.probes.latency import STALL_S, LatencyRequest, measure_latency
from app.probes.messages import (
    FRAME_TOO_LONG,
    LARGER_FRAMES_STOPPED,
    NO_REPLY_CAME,
    NO_REPLY_WITHIN,
    PING_ENDED_EARLY,
    PING_FAILED,
    PING_TOO_SLOW,
    REPLIES_STOPPED,
)
from support.message_checks import has_message


@dataclass
class PingingHost:
    """Behaves like the ping script on a host; each frame size can be given a fate."""

    rtt_ms: float = 0.5
    fates: dict[str, Callable[[PingingHost, str, int], Answer]] = field(default_factory=dict)
    is_far_end_alive: bool = True
    window: int = 1000
    first_seq: int = 1
    fragments: int = 5

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        if command.argv[0] == "ping":
            return self._nothing(0 if self.is_far_end_alive else 1)
        return self._script(command.argv[4:])

    @staticmethod
    def _nothing(status: int) -> Answer:
        yield from ()
        return status

    def _script(self, words: tuple[str, ...]) -> Answer:
        sizes, warm, count = words[1].split(), int(words[3]), int(words[6])
        yield "@start warm-up 100"
        status = yield from self.fates.get("warm-up", PingingHost.answer)(self, "warm-up", warm)
        yield f"@exit warm-up {status or 0}"
        yield f"#fragments {self.fragments}"
        for size in sizes:
            yield from self._size(size, count)
        yield f"#fragments {self.fragments + 800}"
        return 0

    def _size(self, size: str, count: int) -> Iterator[str | float]:
        """Answer in windows, as the script does; it gives up after two in a row without a reply."""
        first = silent = 0
        while first < count and silent < 2:
            number = min(self.window, count - first)
            yield f"@window {size} {first} {number}"
            lines: list[str] = []
            answer = self.fates.get(size, PingingHost.answer)(self, size, number)
            status = 0
            while True:
                try:
                    item = next(answer)
                except StopIteration as end:
                    status = end.value or 0
                    break
                if isinstance(item, str):
                    lines.append(item)
                yield item
            yield f"@exit {size} {status}"
            silent = 0 if any(" bytes from " in line for line in lines) else silent + 1
            sent = next((int(line.split()[0]) for line in lines if "packets transmitted" in line), number)
            first += max(1, min(sent, number))
        yield f"@size {size} {first}"

    def line(self, seq: int) -> str:
        return f"[1795216202.401271] 26 bytes from 192.0.2.2: icmp_seq={seq} ttl=64 time={self.rtt_ms:.3f} ms"

    def answer(self, label: str, count: int) -> Answer:
        yield "PING 192.0.2.2 (192.0.2.2) 18(46) bytes of data."
        for index in range(count):
            yield self.rtt_ms / 1000
            yield self.line(index + self.first_seq)
        yield f"{count} packets transmitted, {count} received, 0% packet loss, time 100ms"
        return 0


def too_long(host: PingingHost, label: str, count: int) -> Answer:
    yield "ping: local error: message too long, mtu=1400"
    yield "1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms"
    return 1


def vanishes(host: PingingHost, label: str, count: int) -> Answer:
    yield 5.0
    yield "@alive 6"
    yield "5 packets transmitted, 0 received, 100% packet loss, time 5000ms"
    return 1


def dies_in_the_middle(host: PingingHost, label: str, count: int) -> Answer:
    if count == 20:  # the first window
        for index in range(10):
            yield host.line(index + 1)
        yield 5.0
        yield "@alive 6"
        yield "15 packets transmitted, 10 received, 33% packet loss, time 5000ms"
        return 1
    return (yield from vanishes(host, label, count))


REQUEST = LatencyRequest("192.0.2.2", "192.0.2.1", FRAME_BYTES, pings=20)


def measure(pinging: PingingHost, request: LatencyRequest = REQUEST):
    host = FakeHost("gateway-a", pinging, FakeClock())
    samples: list[tuple[int, int, tuple[float, ...]]] = []
    token = CancelToken()
    outcome = measure_latency(
        host, request, token=token, on_samples=lambda *batch: samples.append(batch), clock=host.clock
    )
    return outcome.series, samples, host


def test_every_size_is_measured_in_one_channel_after_a_warm_up() -> None:
    series, samples, host = measure(PingingHost())

    assert [one.frame_bytes for one in series] == list(FRAME_BYTES)
    assert all((one.sent, one.received, one.duplicates, one.note) == (20, 20, 0, "") for one in series)
    assert all(one.rtt_us.tolist() == [500] * 20 for one in series)
    assert len(host.commands) == 1
    assert host.commands[0].argv[5] == "18 86 214 470 982 1358 1472"
    assert {frame for frame, _, _ in samples} == set(FRAME_BYTES)


def test_the_same_flags_for_every_size_and_candidate() -> None:
    _, _, host = measure(PingingHost())

    assert host.commands[0].argv[-7:] == ("ping", "-n", "-A", "-M", "do", "-I", "192.0.2.1")


def test_samples_are_handed_on_window_by_window_and_all_of_them() -> None:
    _, samples, _ = measure(PingingHost(rtt_ms=10.0, window=60), LatencyRequest("192.0.2.2", None, (60,), pings=200))

    assert [value for _, _, batch in samples for value in batch] == [10.0] * 200
    assert [first for _, first, _ in samples] == [0, 60, 120, 180]


def test_a_window_in_which_requests_were_lost_has_them_at_their_place_and_no_others() -> None:
    def loses(host: PingingHost, label: str, count: int) -> Answer:
        # ping sends one more for each lost request, since it waits for as many replies as it was asked for.
        for seq in range(1, count + 2):
            if seq != 3:
                yield host.line(seq)
        yield f"{count + 1} packets transmitted, {count} received, 5% packet loss, time 1000ms"
        return 0

    series, _, _ = measure(PingingHost(window=10, fates={"18": loses}), LatencyRequest("192.0.2.2", None, (60,), 20))

    assert (series[0].sent, series[0].received) == (20, 18)
    assert [index for index, rtt in enumerate(series[0].rtt_us) if rtt == LOST_RTT_US] == [2, 12]


def test_root_is_used_where_there_is_root_because_others_may_not_send_that_fast() -> None:
    host = FakeHost("gateway-a", PingingHost(), privilege=Privilege.SUDO)
    measure_latency(host, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)
    no_user = FakeHost("gateway-a", PingingHost(), privilege=Privilege.NONE)
    measure_latency(no_user, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=no_user.clock)

    assert host.commands[0].is_root
    assert not no_user.commands[0].is_root


def test_a_size_that_is_too_long_says_so_at_once_and_the_rest_goes_on() -> None:
    pinging = PingingHost(fates={"1472": too_long})

    series, _, host = measure(pinging)

    assert (series[-1].sent, series[-1].received) == (2, 0)
    assert has_message(FRAME_TOO_LONG, frame_bytes=1514)(series[-1].note)
    assert "mtu=1400" in series[-1].note
    assert all(one.received == 20 for one in series[:-1])
    assert host.clock.now_s < 1000 + 3


def test_a_size_that_vanishes_is_given_up_and_the_rest_goes_on() -> None:
    pinging = PingingHost(fates={"470": vanishes})

    series, _, host = measure(pinging)

    assert (series[3].sent, series[3].received) == (10, 0)
    assert series[3].rtt_us.tolist() == [LOST_RTT_US] * 10
    assert has_message(FRAME_TOO_LONG, frame_bytes=512, words=NO_REPLY_CAME())(series[3].note)
    assert all(one.received == 20 for one in series if one.frame_bytes != 512)
    assert host.clock.now_s < 1000 + 2 * STALL_S + 3


def test_replies_that_stop_are_noted_and_what_came_is_kept() -> None:
    series, samples, _ = measure(PingingHost(fates={"86": dies_in_the_middle}))

    assert (series[1].sent, series[1].received) == (20, 10)
    assert has_message(LARGER_FRAMES_STOPPED)(series[1].note)
    assert sum(len(batch) for frame, _, batch in samples if frame == 128) == 10


def test_a_tunnel_that_dies_ends_the_probe_with_a_sentence() -> None:
    pinging = PingingHost(fates={"86": dies_in_the_middle}, is_far_end_alive=False)

    with pytest.raises(ProbeFailed, check=has_message(REPLIES_STOPPED, peer="192.0.2.2", host="gateway-a")):
        measure(pinging)


def test_nothing_comes_back_in_the_warm_up() -> None:
    def unreachable(host: PingingHost, label: str, count: int) -> Answer:
        yield "From 192.0.2.1 icmp_seq=1 Destination Host Unreachable"
        yield "5 packets transmitted, 0 received, +3 errors, 100% packet loss, time 4004ms"
        return 1

    with pytest.raises(ProbeFailed, check=has_message(NO_REPLY_WITHIN, peer="192.0.2.2", host="gateway-a")) as caught:
        measure(PingingHost(fates={"warm-up": unreachable}))

    assert "Destination Host Unreachable" in caught.value.hint


def test_ping_that_is_not_there() -> None:
    def missing(host: PingingHost, label: str, count: int) -> Answer:
        yield "sh: 1: ping: not found"
        return 127

    with pytest.raises(ProbeFailed) as caught:
        measure(PingingHost(fates={"warm-up": missing}))

    assert "not found" in caught.value.hint


def test_ping_that_breaks_off_later() -> None:
    def breaks(host: PingingHost, label: str, count: int) -> Answer:
        yield "ping: something odd"
        return 2

    with pytest.raises(ProbeFailed, check=has_message(PING_FAILED, host="gateway-a", status=2)) as caught:
        measure(PingingHost(fates={"214": breaks}))

    assert "something odd" in caught.value.hint


def test_a_script_that_ends_too_early() -> None:
    def killed(command: Command, token: CancelToken) -> Answer:
        yield "@start warm-up 100"
        yield PingingHost().line(1)
        yield "@exit warm-up 0"
        return 143

    host = FakeHost("gateway-a", killed)
    with pytest.raises(ProbeFailed, check=has_message(PING_ENDED_EARLY, host="gateway-a")):
        measure_latency(host, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)


def test_the_limit_on_the_host_is_reported() -> None:
    def slow(host: PingingHost, label: str, count: int) -> Answer:
        yield "@limit 270"
        yield "never seen"
        return 143

    with pytest.raises(ProbeFailed, check=has_message(PING_TOO_SLOW, host="gateway-a", seconds=270)):
        measure(PingingHost(fates={"214": slow}))


def test_cancelling_ends_it_with_cancelled() -> None:
    token = CancelToken()

    def cancels(host: PingingHost, label: str, count: int) -> Answer:
        token.cancel()
        yield "never seen"
        return 0

    host = FakeHost("gateway-a", PingingHost(fates={"214": cancels}))
    with pytest.raises(Cancelled):
        measure_latency(host, REQUEST, token=token, on_samples=lambda *_: None, clock=host.clock)


def test_cancelling_while_the_last_lines_arrive_ends_it_with_cancelled() -> None:
    token = CancelToken()
    outlived = FakeHost("gateway-a", lambda command, _token: PingingHost()(command, CancelToken()))
    outlived.run = partial(_run_to_its_end, outlived.run)  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        measure_latency(outlived, REQUEST, token=token, on_samples=lambda *_: token.cancel(), clock=outlived.clock)


def _run_to_its_end(run: Callable[..., object], command: Command, *, token: CancelToken, **options: object) -> object:
    """Run a command as if its token were never cancelled: it had ended before."""
    return run(command, token=CancelToken(), **options)


def test_losses_are_not_numbers_for_the_plot() -> None:
    def loses(host: PingingHost, label: str, count: int) -> Answer:
        yield host.line(1)
        yield host.line(3)
        yield "3 packets transmitted, 2 received, 33% packet loss, time 3ms"
        return 1

    series, samples, _ = measure(PingingHost(fates={"18": loses}), LatencyRequest("192.0.2.2", None, (60,), pings=3))

    batch = samples[0][2]
    assert (batch[0], batch[2]) == (0.5, 0.5)
    assert math.isnan(batch[1])
    assert series[0].rtt_us.tolist() == [500, LOST_RTT_US, 500]


def test_busybox_begins_with_0_and_its_way_is_noted() -> None:
    def interval_script(pinging: PingingHost) -> Callable[[Command, CancelToken], Answer]:
        def run(command: Command, token: CancelToken) -> Answer:
            yield "#interval"
            return (yield from pinging(command, token))

        return run

    pinging = PingingHost(first_seq=0)
    host = FakeHost("gateway-a", interval_script(pinging))
    request = LatencyRequest("192.0.2.2", None, (60, 128), 5, ToolFlavour.BUSYBOX)

    outcome = measure_latency(host, request, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)
    series = outcome.series

    assert [one.received for one in series] == [5, 5]
    assert all("every 10 ms" in one.note for one in series)
    assert "-M" not in host.commands[0].argv


def test_fragments_and_time_go_with_it() -> None:
    host = FakeHost("gateway-a", PingingHost())

    outcome = measure_latency(host, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)

    assert outcome.fragments == 800
    assert outcome.seconds == pytest.approx(0.0005 * (50 + 7 * 20))
    assert outcome.is_steady


def test_an_unsteady_warm_up_is_reported() -> None:
    def answer(command: Command, token: CancelToken) -> Answer:
        yield "#unsteady"
        yield "#warm-up 900 600"
        yield "#requests 150"
        return (yield from PingingHost()(command, token))

    host = FakeHost("gateway-a", answer)
    outcome = measure_latency(host, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)

    assert not outcome.is_steady
    assert outcome.warm_up_ratio == 1.5
    assert outcome.warm_up_requests == 150


def test_counters_can_be_read_in_a_pause() -> None:
    def answer(command: Command, token: CancelToken) -> Answer:
        for item in PingingHost()(command, token):
            yield item
            if item == "@size 18 20":
                yield "@pause"

    host, seen, paused_at = FakeHost("gateway-a", answer), list[int](), list[int]()
    measure_latency(
        host,
        REQUEST,
        token=CancelToken(),
        on_samples=lambda frame_bytes, *_: seen.append(frame_bytes),
        on_pause=lambda: paused_at.append(len(seen)),
        clock=host.clock,
    )

    assert paused_at == [1]
    assert seen == list(FRAME_BYTES)


@pytest.mark.parametrize("words", ["-", "many", "", "9" * 50])
def test_a_host_that_does_not_count_fragments(words: str) -> None:
    def answer(command: Command, token: CancelToken) -> Answer:
        for item in PingingHost()(command, token):
            yield f"#fragments {words}" if isinstance(item, str) and item.startswith("#fragments") else item

    host = FakeHost("gateway-a", answer)
    outcome = measure_latency(host, REQUEST, token=CancelToken(), on_samples=lambda *_: None, clock=host.clock)

    assert outcome.fragments is None
