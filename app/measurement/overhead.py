"""Measuring overhead: latency probes against the same pings without them, on the same hosts, in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import numpy.typing as npt

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, Stream
from app.domain.errors import ProbeFailed
from app.domain.hosts import Privilege
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.domain.profiles import ADAPTIVE_PROFILE, GOOD_CYCLES, PROFILES, ProfileName
from app.domain.results import LOST_RTT_US
from app.domain.script_files import bare_script
from app.measurement.comparison.probe_run import ping_flavour
from app.measurement.messages import PLAIN_PINGS_FAILED
from app.probes import LatencyRequest, longest_s, measure_latency
from app.probes.blocks import BlockTarget, CycleRequest, measure_cycle
from app.probes.latency import ping_argv
from app.probes.ping_lines import Reply, parse_ping_line

CYCLE_BLOCKS = 3
"""Blocks of a cycle: of the bare link and of two VPNs, the fewest that are compared."""

_SCRIPT = bare_script("probes/bare-pings.sh")


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over all frame sizes.

    Attributes:
        seconds: How long it took, from the command to its last line.
        medians_us: Median round-trip time per frame size in µs; NaN where no reply came.
    """

    seconds: float
    medians_us: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ProbeOverhead:
    """Passes of the probe and of bare pings, one of each per round.

    Attributes:
        frame_bytes: Frame sizes in bytes.
        probe: With the probe.
        bare: Without it.
        control: Without it a second time: how far it is from `bare` is the noise of the comparison.
    """

    frame_bytes: tuple[int, ...]
    probe: tuple[Pass, ...]
    bare: tuple[Pass, ...]
    control: tuple[Pass, ...]

    @property
    def bare_s(self) -> float:
        """Median time of a bare pass in seconds."""
        return statistics.median(one.seconds for one in (*self.bare, *self.control))

    @property
    def time_ratio(self) -> float:
        """Time of the probe over the time of bare pings."""
        return _time_ratio(self.probe, self.bare)

    @property
    def control_time_ratio(self) -> float:
        """Time of a second run of bare pings over that of the first."""
        return _time_ratio(self.control, self.bare)

    @property
    def rtt_ratios(self) -> tuple[float, ...]:
        """Median round-trip time of the probe over that of bare pings, per frame size."""
        return _rtt_ratios(self.probe, self.bare)

    @property
    def control_rtt_ratios(self) -> tuple[float, ...]:
        """Median round-trip time of a second run of bare pings over that of the first, per frame size."""
        return _rtt_ratios(self.control, self.bare)


@dataclass(frozen=True, slots=True)
class Overheads:
    """Overhead of each latency probe.

    Attributes:
        phase: The latency phase of a profile whose candidates are measured in turn, its warm-up included.
        cycle: A cycle of an adaptive comparison of two VPNs and the bare link.
    """

    phase: ProbeOverhead
    cycle: ProbeOverhead


def _time_ratio(ones: Sequence[Pass], others: Sequence[Pass]) -> float:
    """Return the median over rounds, so that a disturbed round does not count."""
    return statistics.median(one.seconds / other.seconds for one, other in zip(ones, others, strict=True))


def _rtt_ratios(ones: Sequence[Pass], others: Sequence[Pass]) -> tuple[float, ...]:
    ratios = [
        [a / b for a, b in zip(one.medians_us, other.medians_us, strict=True)]
        for one, other in zip(ones, others, strict=True)
    ]
    return tuple(float(np.median(column)) for column in zip(*ratios, strict=True))


def measure_overhead(
    client: HostSession,
    request: LatencyRequest,
    block_pings: Sequence[int] = (),
    *,
    rounds: int,
    token: CancelToken,
    on_round: Callable[[int], None] = lambda _done: None,
    clock: Callable[[], float] = time.monotonic,
) -> ProbeOverhead:
    """Measure the same path by a probe and by bare pings, in an order that changes with each round.

    Args:
        client: The host that pings.
        request: What to measure.
        block_pings: Echo requests per frame size of a block; then a cycle of blocks is the probe. Empty for the
            latency phase.
        rounds: How often.
        token: Cancels it.
        on_round: Gets the number of finished rounds.
        clock: Monotonic seconds.

    Returns:
        The passes of all rounds.

    Raises:
        ProbeFailed: Nothing comes back, or ping cannot be used.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    targets = (BlockTarget(request.destination, request.source),) * CYCLE_BLOCKS
    wanted = CycleRequest(targets, request.frame_bytes, tuple(block_pings), 0, request.ping_flavour)
    counts = tuple(block_pings) * CYCLE_BLOCKS or (request.pings,) * len(request.frame_bytes)

    def phase() -> Pass:
        outcome = measure_latency(client, request, token=token, on_samples=lambda *_: None, clock=clock)
        return _pass(outcome.seconds, [one.rtt_us for one in outcome.series])

    def whole_cycle() -> Pass:
        began_s = clock()
        blocks = measure_cycle(client, wanted, token=token)
        seconds = clock() - began_s
        return _pass(seconds, [np.concatenate(one) for one in zip(*(block.rtt_us for block in blocks), strict=True)])

    def bare() -> Pass:
        return _bare_pass(client, request, counts, token, clock)

    ways = (whole_cycle if block_pings else phase, bare, bare)
    passes: tuple[list[Pass], ...] = ([], [], [])
    for number in range(rounds):
        order = [0, 1, 2]
        order = order[number % 3 :] + order[: number % 3]
        for which in order if number % 2 == 0 else reversed(order):
            passes[which].append(ways[which]())
        on_round(number + 1)
    return ProbeOverhead(request.frame_bytes, *(tuple(one) for one in passes))


def _pass(seconds: float, rtt_us: Iterable[npt.NDArray[np.uint32]]) -> Pass:
    return Pass(seconds, tuple(_median(one[one != LOST_RTT_US]) for one in rtt_us))


def _bare_pass(
    client: HostSession,
    request: LatencyRequest,
    counts: Sequence[int],
    token: CancelToken,
    clock: Callable[[], float],
) -> Pass:
    labels = {str(size - FRAME_TO_PAYLOAD_BYTES): list[int]() for size in request.frame_bytes}
    current: list[int] = []
    ends: list[str] = []

    def on_line(_stream: Stream, line: str) -> None:
        nonlocal current
        parsed = parse_ping_line(line)
        if line.startswith("@size "):
            current = labels.get(line.removeprefix("@size "), [])
        elif line == "@end":
            ends.append(line)
        elif isinstance(parsed, Reply) and parsed.rtt_us is not None:
            current.append(parsed.rtt_us)

    longest = longest_s(max(counts), 1)
    sizes = " ".join(f"{label}:{count}" for label, count in zip(cycle(labels), counts, strict=False))
    words = (str(longest), sizes, request.destination, *ping_argv(request))
    command = Command(
        shell_step_argv(_SCRIPT, *words),
        timeout_s=longest * len(counts) + 15.0,
        is_root=client.privilege is not Privilege.NONE,
        max_output_bytes=65_536,  # every line is read as it arrives; nothing has to be kept
    )
    began_s = clock()
    client.run(command, token=token, on_line=on_line)
    seconds = clock() - began_s
    if not ends or not any(labels.values()):
        raise ProbeFailed(
            PLAIN_PINGS_FAILED(host=client.spec.label),
            context={"host": client.spec.label},
        )
    return Pass(seconds, tuple(_median(np.array(rtts)) for rtts in labels.values()))


def _median(rtts_us: Sequence[int] | np.ndarray) -> float:
    return float(np.median(rtts_us)) if len(rtts_us) else float("nan")


def measure_overheads(
    client: HostSession, discovery: Discovery, *, rounds: int, token: CancelToken, on_share: Callable[[float], None]
) -> Overheads:
    """Measure what each latency probe costs on the bare link from A to B.

    Args:
        client: A.
        discovery: What was found on both hosts.
        rounds: Rounds of the latency phase; there are as many cycles as an adaptive comparison has in them.
        on_share: Gets the share that is done, from 0 to 1.

    Raises:
        As `measure_overhead`.
    """
    link, profile = discovery.link, PROFILES[ProfileName.STANDARD]
    flavour = ping_flavour(discovery.a.facts)
    request = LatencyRequest(link.underlay_b, link.underlay_a, profile.frame_bytes, profile.pings, flavour)
    phase = measure_overhead(
        client, request, rounds=rounds, token=token, on_round=lambda done: on_share(done / rounds / 2)
    )
    # A cycle is short: there are as many of them as in a round.
    passes, pings = rounds * GOOD_CYCLES, ADAPTIVE_PROFILE.block_pings
    cycles = measure_overhead(
        client, request, pings, rounds=passes, token=token, on_round=lambda done: on_share((1 + done / passes) / 2)
    )
    return Overheads(phase, cycles)
