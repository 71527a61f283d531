"""Probes of a round on two hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport
from app.domain.hosts import Side
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.probes import Conditions, ThroughputSink, Transfer
from app.measurement.comparison.capture_checks import run_packet_tests
from app.measurement.comparison.probe_run import cpu_sample, iperf3_version, ping_flavour
from app.measurement.interfaces import StageSink
from app.measurement.load_guard import guarded_load
from app.measurement.work import ComparisonContext
from app.probes import CpuMonitor, ThroughputRequest, measure_throughput, throughput_server
from app.probes.blocks import BlockTarget, CycleRequest, TargetBlock, WarmUp, measure_cycle, warm_up
from app.probes.counter_window import CounterWindow, underlay_devices
from app.probes.own_load import OwnLoad

_IDLE_S = 30.0
"""So long the server of TCP waits for its client, in seconds."""


class HostProbes:
    """Implements `RoundProbes`.

    Args:
        context: What the comparison needs.
    """

    def __init__(self, context: ComparisonContext) -> None:
        self._context = context
        self._guests = context.guests
        self._flavour = ping_flavour(context.facts[Side.A.value])
        self._interval_s: float | None = None  # once a candidate needs one, all have it

    def warm_up(self, target: BlockTarget, *, token: CancelToken) -> WarmUp:
        """Send echo requests until they are steady."""
        found = warm_up(self._context.sessions.a, target, ping_flavour=self._flavour, token=token)
        self._interval_s = self._interval_s or found.interval_s
        return found

    def cycle(self, targets: Sequence[BlockTarget], *, first_size: int, token: CancelToken) -> tuple[TargetBlock, ...]:
        """Measure one block of each target, in this order."""
        profile = self._context.plan.profile
        request = CycleRequest(
            tuple(targets), profile.frame_bytes, profile.block_pings, first_size, self._flavour, self._interval_s
        )
        return measure_cycle(self._context.sessions.a, request, token=token)

    def watch(self, drafts: Sequence[Draft], *, token: CancelToken) -> Callable[[], Conditions]:
        """Read the counters of both hosts; return a function that reads them again and returns what changed."""
        context = self._context
        pids = {side: [pid for draft in drafts for pid in draft.daemon_pids(side)] for side in Side}
        devices = {side: [name for draft in drafts if (name := draft.device(side))] for side in Side}
        underlay = underlay_devices(context.plan.pair, context.facts)
        window = CounterWindow(context.sessions, pids, devices, underlay, OwnLoad(self._guests))
        window.begin(token)

        def end() -> Conditions:
            window.end(token)
            return Conditions(
                {
                    draft.key.position: window.readings(
                        {side: draft.daemon_pids(side) for side in Side},
                        {side: [draft.device(side)] for side in Side},
                    )
                    for draft in drafts
                },
                window.own_load_cores,
            )

        return end

    def transfer(
        self, draft: Draft, *, seconds: int, cap_mbit_s: float | None, token: CancelToken, on_interval: ThroughputSink
    ) -> Transfer:
        """Measure TCP in both directions, and the CPU of both hosts meanwhile."""
        context = self._context
        request = ThroughputRequest(
            client_address=draft.plan.probe_address_a,
            server_address=draft.plan.probe_address_b,
            port=draft.up.link.names.iperf_port,
            seconds=seconds,
            cap_mbit_s=cap_mbit_s,
            iperf3_version=iperf3_version(context.facts[Side.A.value]),
        )
        with CpuMonitor(
            context.sessions, on_reading=lambda reading: context.emit(cpu_sample(draft.key, reading))
        ) as monitor:
            monitor.wait_until_watching(token)
            with throughput_server(context.sessions.b, request, token=token, idle_s=_IDLE_S) as server:
                server.wait_until_listening()
                with guarded_load(context.sessions, is_lab=context.plan.pair.is_lab, token=token) as load_token:
                    outcome = measure_throughput(
                        context.sessions.a, server, request, token=load_token, on_interval=on_interval
                    )
            return Transfer(outcome.series, monitor.usage(*outcome.windows))

    def capture(self, draft: Draft, *, token: CancelToken, on_stage: StageSink) -> CaptureReport:
        """Run the packet tests; the tunnel does not work afterwards."""
        built = draft.plan, draft.up.link
        return run_packet_tests(self._context, draft.key, draft.adapter.info, *built, token=token, on_stage=on_stage)
