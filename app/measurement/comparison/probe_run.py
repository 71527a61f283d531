"""Probes of one attempt, over a running tunnel."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.adapters import TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport
from app.domain.commands import SessionPair
from app.domain.events import CpuSample, EventSink, RttSamples, Stage, ThroughputSample
from app.domain.gates import HostReadings
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.link import Link
from app.domain.path_note import PathNote
from app.domain.profiles import ProfileName
from app.domain.results import AttemptKey, CampaignPlan, CpuUsage, LatencySeries, ThroughputSeries
from app.domain.workloads import WorkloadResult
from app.measurement.comparison.conditions import tcp_pause_s
from app.measurement.interfaces import StageSink
from app.measurement.load_guard import guarded_load
from app.measurement.messages import FROM_HOST_TO_HOST, GETTING_READY, RTT_OF_SIZES, TCP_BOTH_WAYS
from app.probes import (
    CpuCounters,
    CpuMonitor,
    CpuReading,
    IperfServer,
    LatencyOutcome,
    LatencyRequest,
    ThroughputRequest,
    doubts_of_cpu,
    doubts_of_latency,
    longest_s,
    measure_latency,
    measure_throughput,
    throughput_server,
)
from app.probes.counter_window import CounterWindow, underlay_devices
from app.probes.latency import UNSTEADY
from app.probes.own_load import OwnLoad
from app.probes.pacing import ping_interval_s
from app.probes.throughput import OMIT_S, SLACK_S

TYPICAL_ECHO_S = 0.001
"""One echo request and its reply, for dividing the progress bar only."""


@dataclass(slots=True, kw_only=True, eq=False)
class ProbeResults:
    """Partial results."""

    latency: tuple[LatencySeries, ...] = ()
    throughput: tuple[ThroughputSeries, ...] = ()
    cpu_latency: Mapping[str, CpuUsage] = field(default_factory=dict)
    cpu_throughput: Mapping[str, CpuUsage] = field(default_factory=dict)
    path: PathNote | None = None
    probe_s: float = 0.0
    capture: CaptureReport | None = None
    doubts: list[str] = field(default_factory=list)
    workloads: tuple[WorkloadResult, ...] = ()
    warm_up_ratio: float | None = None
    readings: Mapping[str, HostReadings] = field(default_factory=dict)
    own_load_cores: float | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """Inputs of the probes of one attempt.

    Attributes:
        plan: The campaign's plan.
        key: The attempt.
        sessions: Both hosts.
        link: The link that the tunnel is built on.
        facts: What was found on the hosts, by `a` and `b`.
        tunnel: What was built.
        daemon_pids: Returns the process ids of the tunnel's daemons on one host; none where the kernel carries frames.
        guests: Process ids of a practice lab's virtual machines on this computer; empty for other pairs.
    """

    plan: CampaignPlan
    key: AttemptKey
    sessions: SessionPair
    link: Link
    facts: Mapping[str, HostFacts]
    tunnel: TunnelPlan
    daemon_pids: Callable[[Side], Sequence[int]] = lambda _side: ()
    guests: tuple[int, ...] = ()

    def run(
        self,
        measured: ProbeResults,
        *,
        token: CancelToken,
        emit: EventSink,
        on_stage: StageSink,
        on_progress: Callable[[float], None],
    ) -> None:
        """Run all probes.

        Args:
            measured: Filled while they run, so that what there is survives a failure.
            emit: Gets samples.
            on_stage: Gets what begins.
            on_progress: Gets the share that is done, from 0 to 1, while samples arrive.

        Raises:
            ProbeFailed: A probe could not be made.
            ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
        """
        on_progress(0.0)
        on_stage(Stage.LATENCY, GETTING_READY())
        began_s = time.monotonic()
        window = self._window()
        # What has to be started is started before anything is measured, so that it disturbs nothing.
        server = throughput_server(
            self.sessions.b, self._throughput_request, token=token, idle_s=self._longest_latency_s
        )
        with server:
            counters = CpuCounters(self.sessions, on_reading=lambda reading: emit(cpu_sample(self.key, reading)))
            server.wait_until_listening()
            counters.take(window.begin(token))
            latency = self._latency(measured, counters, token, emit, on_stage, on_progress)
            counters.take(window.end(token))
            requests = latency.warm_up_requests + sum(one.sent for one in latency.series)
            measured.readings = {side: replace(one, requests=requests) for side, one in window.readings().items()}
            measured.own_load_cores = window.own_load_cores
            on_stage(Stage.THROUGHPUT, TCP_BOTH_WAYS())
            with CpuMonitor(self.sessions, on_reading=lambda reading: emit(cpu_sample(self.key, reading))) as monitor:
                monitor.wait_until_watching(token)
                windows = self._throughput(measured, server, token, emit, on_stage, on_progress)
        measured.probe_s = time.monotonic() - began_s
        fragments = latency.fragments, counters.fragments(Side.B)
        measured.path = path_note(self.tunnel, self.link.underlay_mtu_bytes, *fragments)
        measured.cpu_latency, measured.cpu_throughput = counters.usage(), monitor.usage(*windows)
        labels = {side: self.plan.pair.host(side).label for side in Side}
        measured.doubts += doubts_of_cpu(labels, (measured.cpu_latency, measured.cpu_throughput))

    def _window(self) -> CounterWindow:
        """Return the window of the echo requests: counters that say whether hosts and computer were quiet meanwhile."""
        pids = {side: self.daemon_pids(side) for side in Side}
        ends = {Side.A: self.tunnel.a, Side.B: self.tunnel.b}
        devices = {side: [one.interface] if one.interface else [] for side, one in ends.items()}
        underlay = underlay_devices(self.plan.pair, self.facts)
        return CounterWindow(self.sessions, pids, devices, underlay, OwnLoad(self.guests))

    def _latency(
        self,
        measured: ProbeResults,
        counters: CpuCounters,
        token: CancelToken,
        emit: EventSink,
        on_stage: StageSink,
        on_progress: Callable[[float], None],
    ) -> LatencyOutcome:
        in_order, pings = self.plan.profile.frame_bytes, self.plan.profile.pings
        first = (self.key.round - 1) % len(in_order)  # what is slow at first meets another size in each round
        sizes = in_order[first:] + in_order[:first]
        on_stage(Stage.LATENCY, RTT_OF_SIZES(number=len(sizes)))
        shown: list[int] = []

        def on_samples(frame_bytes: int, first_index: int, rtt_ms: tuple[float, ...]) -> None:
            if frame_bytes not in shown:
                shown.append(frame_bytes)
                on_stage(Stage.LATENCY, f"{frame_bytes} B")
            emit(RttSamples(self.key, frame_bytes, rtt_ms))
            done = (sizes.index(frame_bytes) + (first_index + len(rtt_ms)) / pings) / len(sizes)
            on_progress(done * self._latency_share)

        condition = self.plan.condition
        flavour = ping_flavour(self.facts[Side.A.value])
        request = LatencyRequest(
            destination=self.tunnel.probe_address_b,
            source=self.tunnel.probe_address_a,
            frame_bytes=sizes,
            pings=pings,
            ping_flavour=flavour,
            interval_s=ping_interval_s(condition),
        )
        outcome = measure_latency(
            self.sessions.a, request, token=token, on_samples=on_samples, on_pause=lambda: counters.read(token)
        )
        measured.latency = tuple(sorted(outcome.series, key=lambda one: in_order.index(one.frame_bytes)))
        measured.doubts += doubts_of_latency(measured.latency, flavour)
        # An emulated link varies by itself.
        measured.warm_up_ratio = outcome.warm_up_ratio if condition is None else None
        if not outcome.is_steady and condition is None:
            measured.doubts.append(UNSTEADY)
        return outcome

    def _throughput(
        self,
        measured: ProbeResults,
        server: IperfServer,
        token: CancelToken,
        emit: EventSink,
        on_stage: StageSink,
        on_progress: Callable[[float], None],
    ) -> tuple[tuple[float, float], ...]:
        pair = self.plan.pair
        names = {
            "a_to_b": FROM_HOST_TO_HOST(sender=pair.a.label, receiver=pair.b.label),
            "b_to_a": FROM_HOST_TO_HOST(sender=pair.b.label, receiver=pair.a.label),
        }
        shown: list[str] = []

        def on_interval(direction: str, at_s: float, mbit_s: float) -> None:
            if direction not in shown:
                shown.append(direction)
                on_stage(Stage.THROUGHPUT, names[direction])
            emit(ThroughputSample(self.key, direction, at_s, mbit_s))
            done = (len(shown) - 1 + min(1.0, at_s / self.plan.profile.seconds)) / 2
            on_progress(self._latency_share + (1.0 - self._latency_share) * done)

        with guarded_load(self.sessions, is_lab=pair.is_lab, token=token) as load_token:
            outcome = measure_throughput(
                self.sessions.a, server, self._throughput_request, token=load_token, on_interval=on_interval
            )
        measured.throughput = outcome.series
        return outcome.windows

    @property
    def _latency_share(self) -> float:
        """Share of the probing time that latency takes, roughly."""
        profile = self.plan.profile
        latency_s = profile.pings * len(profile.frame_bytes) * TYPICAL_ECHO_S
        return latency_s / (latency_s + 2 * profile.seconds)

    @property
    def _longest_latency_s(self) -> float:
        profile = self.plan.profile
        return longest_s(profile.pings, len(profile.frame_bytes)) + 60.0

    @property
    def _throughput_request(self) -> ThroughputRequest:
        return ThroughputRequest(
            client_address=self.tunnel.probe_address_a,
            server_address=self.tunnel.probe_address_b,
            port=self.link.names.iperf_port,
            seconds=self.plan.profile.seconds,
            cap_mbit_s=self.plan.pair.load_cap_mbit_s,
            iperf3_version=iperf3_version(self.facts[Side.A.value]),
            # The study's TCP counts from its start.
            omit_s=0 if self.plan.profile.name is ProfileName.PAPER else OMIT_S,
            silence_s=SLACK_S + tcp_pause_s(self.plan.condition),
        )


def path_note(plan: TunnelPlan, underlay_mtu_bytes: int, *fragments: int | None) -> PathNote:
    """Return MTU and overhead of a tunnel, with the fragments that hosts made; None among them: not counted."""
    known = [number for number in fragments if number is not None]
    return PathNote(
        inner_mtu_bytes=plan.inner_mtu_bytes,
        underlay_mtu_bytes=underlay_mtu_bytes,
        fragments_created=sum(known) if known and len(known) == len(fragments) else None,
        largest_unfragmented_frame_bytes=plan.largest_unfragmented_frame_bytes,
        overhead_bytes=plan.overhead_bytes,
    )


def cpu_sample(key: AttemptKey, reading: CpuReading) -> CpuSample:
    """Return a reading of the CPUs as an event of an attempt."""
    usage = reading.usage
    return CpuSample(
        key=key,
        side=reading.side.value,
        at_s=reading.at_s,
        user_pct=usage.user_pct,
        system_pct=usage.system_pct,
        softirq_pct=usage.softirq_pct,
        steal_pct=usage.steal_pct,
    )


def ping_flavour(facts: HostFacts) -> ToolFlavour:
    """Return which ping a host has."""
    tool = facts.tools.get("ping")
    return tool.flavour if tool is not None else ToolFlavour.UNKNOWN


def iperf3_version(facts: HostFacts) -> str:
    """Return the version of a host's iperf3; empty if it has none."""
    tool = facts.tools.get("iperf3")
    return tool.version if tool is not None else ""
