"""Commands of the probes, run by hand on the same hosts, to compare with.

"By hand" is OpenSSH's own client on a connection that is there already, with the same command lines in sequence.
What ping prints goes into a file on the host and comes back at the end: lines that cross SSH while a small host pings
would slow it down. Both ways alternate, because a lab under software emulation changes its
speed from minute to minute.
"""

from __future__ import annotations

import math
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.domain.adapters import EndpointPlan, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import FRAME_TO_PAYLOAD_BYTES, Link
from app.domain.profiles import FRAME_BYTES, Profile, ProfileName
from app.domain.results import LOST_RTT_US, Candidate
from app.domain.solutions import Suite
from app.domain.verdicts import Verdict
from app.lab import Lab
from app.measurement.comparison import plan_campaign
from app.measurement.comparison.probe_run import Measurement, ProbeResults
from app.probes import LatencyRequest, ThroughputRequest, measure_latency
from app.probes.latency import ping_argv
from app.probes.throughput import client_argv
from support import sample_records
from support.lab_sessions import connected

A, B, PORT = "192.0.2.1", "192.0.2.2", 25_201
_TIME = re.compile(r" time=([0-9.]+) ms")


@dataclass(frozen=True)
class Outcome:
    """One way, once: seconds its phases took, the median RTT of each frame size in ms, and seconds of preparations."""

    latency_s: float
    throughput_s: float
    medians_ms: tuple[float, ...]
    ready_s: float = 0.0

    @property
    def total_s(self) -> float:
        return self.ready_s + self.latency_s + self.throughput_s


class ByHand:
    """OpenSSH's client on open connections."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self._lab = lab
        self._folder = folder

    def ssh(self, side: Side, *words: str) -> list[str]:
        host = self._lab.host(side)
        options = {
            "UserKnownHostsFile": host.host_key_file,
            "StrictHostKeyChecking": "yes",
            "IdentitiesOnly": "yes",
            "ControlMaster": "auto",
            "ControlPath": str(self._folder / "%p"),
            "ControlPersist": "600",
        }
        settings = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return [
            "ssh",
            "-q",
            *settings,
            "-i",
            str(host.identity_file),
            "-p",
            str(host.port),
            f"root@{host.address}",
            *words,
        ]

    def run(self, side: Side, script: str) -> str:
        return subprocess.run(
            self.ssh(side, script), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=900
        ).stdout

    @contextmanager
    def servers(self) -> Iterator[None]:
        """One for each direction: a single one is not always ready again when the next client comes."""
        ports = (PORT, PORT + 1)
        starts = "; ".join(f"iperf3 -s -D -B {B} -p {port} -I /run/bench-{port}.pid" for port in ports)
        self.run(Side.B, f"{starts}; sleep 1")
        try:
            yield
        finally:
            kills = "; ".join(f"kill $(tr -d '\\0' </run/bench-{port}.pid)" for port in ports)
            self.run(Side.B, f"{kills}; sleep 0.5")

    def latency(self, pings: int) -> tuple[float, ...]:
        """Return the median RTT of each frame size in ms."""
        head = " ".join(ping_argv(LatencyRequest(B, A, FRAME_BYTES, pings)))
        lines = [f"{head} -c {pings} -s {size - FRAME_TO_PAYLOAD_BYTES} {B}" for size in FRAME_BYTES]
        output = self.run(Side.A, f"({'; '.join(lines)}) >/run/bench-ping; cat /run/bench-ping; rm /run/bench-ping")
        blocks = output.split("PING ")[1:]
        return tuple(statistics.median(float(text) for text in _TIME.findall(block)) for block in blocks)

    def measure(self, pings: int, seconds: int) -> Outcome:
        began_s = time.monotonic()
        medians = self.latency(pings)
        latency_s = time.monotonic() - began_s
        request = ThroughputRequest(A, B, PORT, seconds, None, "3.18")
        with self.servers():
            began_s = time.monotonic()
            client = " ".join(client_argv(request))
            self.run(Side.A, f"{client} -p {PORT} && {client} -p {PORT + 1} -R")
            throughput_s = time.monotonic() - began_s
        return Outcome(latency_s, throughput_s, medians)

    def close(self) -> None:
        for side in Side:
            subprocess.run([*self.ssh(side), "-O", "exit"], capture_output=True, check=False)


def median_ms(rtt_us: npt.NDArray[np.int32]) -> float:
    """Return the median of the replies in ms."""
    return statistics.median(rtt_us[rtt_us != LOST_RTT_US].tolist()) / 1000


def under_tunnelmark(sessions: SessionPair, lab: Lab, pings: int, seconds: int) -> Outcome:
    """Run what a campaign runs while the tunnel is up, here over the bare underlay."""
    profile = Profile(ProfileName.CUSTOM, pings, seconds, 1)
    candidate = Candidate("baseline", "none", "Bare underlay", Verdict.UNPROTECTED, is_unprotected=True)
    plan = plan_campaign(lab.pair, [candidate], profile, seed=1)
    suite = Suite("none", "none")
    tunnel = TunnelPlan("baseline", suite, EndpointPlan((), (), ""), EndpointPlan((), (), ""), A, B, 1500, 0, "")
    facts = {"a": sample_records.facts("gateway-a"), "b": sample_records.facts("gateway-b")}
    measured = ProbeResults()
    stages: list[tuple[Stage, float]] = []
    measurement = Measurement(plan, plan.attempts[0], sessions, Link(A, B), facts, tunnel)
    began_s = time.monotonic()
    measurement.run(
        measured,
        token=CancelToken(),
        emit=lambda _: None,
        on_stage=lambda stage, _: stages.append((stage, time.monotonic())),
        on_progress=lambda _: None,
    )
    total_s = time.monotonic() - began_s
    # The latency phase begins with its second stage: the first is what throughput and CPU need started.
    latency_began_s = [at_s for stage, at_s in stages if stage is Stage.LATENCY][1]
    throughput_began_s = next(at_s for stage, at_s in stages if stage is Stage.THROUGHPUT)
    medians = tuple(median_ms(one.rtt_us) for one in measured.latency)
    return Outcome(
        throughput_began_s - latency_began_s,
        total_s - (throughput_began_s - began_s),
        medians,
        latency_began_s - began_s,
    )


@dataclass(frozen=True)
class Rounds:
    """Outcomes of each way, one per round; `control` is by hand once more, which shows the noise of the comparison."""

    ours: list[Outcome]
    by_hand: list[Outcome]
    control: list[Outcome]


def compare(lab: Lab, *, rounds: int, pings: int, seconds: int) -> Rounds:
    """Measure in turn; each way is first, second and last equally often."""
    found = Rounds([], [], [])
    with tempfile.TemporaryDirectory() as name:
        by_hand = ByHand(lab, Path(name))
        try:
            with connected(lab, Path(name)) as sessions:
                for side in Side:
                    by_hand.run(side, "true")
                for number in range(rounds):
                    steps = [
                        lambda: found.ours.append(under_tunnelmark(sessions, lab, pings, seconds)),
                        lambda: found.by_hand.append(by_hand.measure(pings, seconds)),
                        lambda: found.control.append(by_hand.measure(pings, seconds)),
                    ]
                    steps = steps[number % 3 :] + steps[: number % 3]
                    for step in steps if number % 2 == 0 else reversed(steps):
                        step()
        finally:
            by_hand.close()
    return found


@dataclass(frozen=True)
class Chain:
    """Medians in ms by frame size: by hand, under Tunnelmark, by hand, and so on; it begins and ends by hand."""

    ours: list[tuple[float, ...]]
    by_hand: list[tuple[float, ...]]

    def beside(self) -> list[tuple[float, ...]]:
        """Return for each of ours the geometric mean of those by hand before and after it: drift cancels out."""
        return [_middle(one, next_one) for one, next_one in pairwise(self.by_hand)]

    def control(self) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
        """Return those by hand that have neighbours, and the geometric mean of the neighbours of each."""
        neighbours = zip(self.by_hand, self.by_hand[2:], strict=False)
        return self.by_hand[1:-1], [_middle(before, after) for before, after in neighbours]


def _middle(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(math.sqrt(a * b) for a, b in zip(one, other, strict=True))


def alternate(lab: Lab, *, rounds: int, pings: int) -> Chain:
    """Measure latency alone, in turn by hand and under Tunnelmark, without a pause for anything else."""
    found = Chain([], [])
    request = LatencyRequest(B, A, FRAME_BYTES, pings)
    with tempfile.TemporaryDirectory() as name:
        by_hand = ByHand(lab, Path(name))
        try:
            with connected(lab, Path(name)) as sessions:
                by_hand.run(Side.A, "true")
                found.by_hand.append(by_hand.latency(pings))
                for _ in range(rounds):
                    outcome = measure_latency(sessions.a, request, token=CancelToken(), on_samples=lambda *_: None)
                    found.ours.append(tuple(median_ms(one.rtt_us) for one in outcome.series))
                    found.by_hand.append(by_hand.latency(pings))
        finally:
            by_hand.close()
    return found
