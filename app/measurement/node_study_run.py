"""Rounds of the study with nodes: each setting in random order, one tunnel at a time, with nodes behind both gateways.

Settings are not up side by side: two of them claim the same IP protocol for themselves, so that their packets could not
be distinguished in a capture, and what is idle beside a measurement would be part of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import ProbeFailed
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.messages import sentences
from app.domain.node_protection import MachineProtection, NodeProtection, ProtectedPlace
from app.domain.node_study import Hop, NodeResult, NodeSetting
from app.domain.profiles import FRAME_BYTES
from app.domain.results import LOST_RTT_US, LatencySeries
from app.domain.solutions import Suite
from app.domain.topology import Topology, node_addresses
from app.measurement.comparison.probe_run import iperf3_version, ping_flavour
from app.measurement.interfaces import Tunnel, Tunnels
from app.measurement.load_guard import guarded_load
from app.measurement.messages.studies import (
    HOPS_CAPTURED,
    INJECTING_AT,
    LATENCY_OF_NODES,
    NODE_SETTING_BUILT,
    TCP_OF_NODES,
)
from app.measurement.node_machines import NodeMachines, lans_of, node_sessions
from app.probes import (
    CpuCounters,
    CpuMonitor,
    LatencyRequest,
    ThroughputRequest,
    longest_s,
    measure_latency,
    measure_throughput,
    throughput_server,
)
from app.probes.hops import HopsRequest, probe_hops
from app.probes.own_load import OwnLoad
from app.ranking.weighted import weighted_latency_ms
from app.tunnel.host_settings import HostSettings
from app.tunnel.node_machines import BridgedNodes
from app.tunnel.nodes import NodeSteps
from app.tunnel.request import Extended


@dataclass(frozen=True, slots=True)
class ProtectedNodes:
    """Implements `PlanExtension`: frames of bridged nodes, protected.

    Attributes:
        protection: What protects them.
        suite: With which suite.
        place: Where.
        lans: The gateways' interfaces towards nodes that are machines, by side; empty for namespaces.
    """

    protection: NodeProtection
    suite: Suite
    place: ProtectedPlace
    lans: Mapping[Side, str] = field(default_factory=dict)

    def extend(self, plan: TunnelPlan, link: Link) -> TunnelPlan:
        """Return a plan with them."""
        return self.protection.extend(plan, link, self.suite, self.place, self.lans)

    def machine(self, link: Link, side: Side, interface: str) -> MachineProtection:
        """Return the part of a node that is a machine, with its interface towards the gateway."""
        return self.protection.machine(link, self.suite, self.place, side, interface)


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """A setting with the parts that it is built from.

    Attributes:
        setting: The setting.
        adapter: Tunnel between the gateways, with the secrets of the protection.
        suite: The tunnel's.
        nodes: Protection of nodes' frames; None for none.
    """

    setting: NodeSetting
    adapter: Adapter
    suite: Suite
    nodes: ProtectedNodes | None

    def extension(self, lans: Mapping[Side, str]) -> Extended:
        """Return additions to the tunnel's own plan.

        Args:
            lans: The gateways' interfaces towards nodes that are machines, by side; empty for namespaces.
        """
        protected = (replace(self.nodes, lans=lans),) if self.nodes is not None else ()
        return Extended((NodeSteps(Topology.BRIDGED_NODES, lans), *protected))

    def machine(self, link: Link, side: Side, interface: str) -> MachineProtection:
        """Return the part of a node that is a machine, with its interface towards the gateway."""
        return self.nodes.machine(link, side, interface) if self.nodes is not None else MachineProtection()


@dataclass(frozen=True, slots=True)
class NodePart:
    """Amount of a part of the study.

    Attributes:
        rounds: How often each setting is measured.
        pings: Echo requests per frame size.
        seconds: Seconds of TCP per direction.
    """

    rounds: int
    pings: int
    seconds: int


@dataclass(frozen=True, slots=True)
class NodeStudyRun:
    """Measures rounds that are not done yet.

    Attributes:
        choices: Settings, in any order.
        part: Amounts.
        done: Settings and rounds that are not measured again.
        sessions: Connections to both gateways.
        facts: What was found on them, by `a` and `b`.
        tunnels: Builds tunnels.
        guests: Process ids of the practice lab's virtual machines.
        report: Gets each step as a sentence.
        keep: Gets each result as soon as there is one.
        token: Ends it; results so far were kept.
        seed: Of the order in each round.
        machines: Nodes that are hosts of their own; None for namespaces on the gateways.
        is_lab: Whether the hosts are a practice lab's; TCP between others ends where their connections suffer.
        cap_mbit_s: Limit of TCP in Mbit/s; None for none.
    """

    choices: Sequence[NodeChoice]
    part: NodePart
    done: frozenset[tuple[str, int]]
    sessions: SessionPair
    facts: Mapping[str, HostFacts]
    tunnels: Tunnels
    guests: tuple[int, ...]
    report: Callable[[str], None]
    keep: Callable[[NodeResult], None]
    token: CancelToken
    seed: int = 2019
    machines: NodeMachines | None = None
    is_lab: bool = True
    cap_mbit_s: float | None = None

    def run(self) -> None:
        """Measure round by round. A setting that does not come up, or a probe that fails, is a result; others go on.

        Raises:
            ConnectionLost, DeadlineExceeded, HostUnreachable: A host was lost.
            CleanupFailed: A host could not be rolled back.
            Cancelled: The token was cancelled.
        """
        for number, choice in self.missing():
            self.keep(self._measured(number, choice))

    def missing(self) -> Iterator[tuple[int, NodeChoice]]:
        """Yield what is measured, in its order: a resumed run has the order of the one before."""
        for number in range(1, self.part.rounds + 1):
            order = list(self.choices)
            random.Random(f"{self.seed} {number}").shuffle(order)  # noqa: S311 - an order, no secret
            yield from ((number, one) for one in order if (one.setting.name, number) not in self.done)

    def _measured(self, number: int, choice: NodeChoice) -> NodeResult:
        title = choice.setting.title
        self.report(NODE_SETTING_BUILT(title=title, round=number))
        with self.tunnels.open_group(
            [(choice.adapter, choice.suite)],
            extensions=[choice.extension(lans_of(self.machines))],
            token=self.token,
            on_stage=lambda *_: None,
        ) as group:
            if group.failures:
                why = group.failures[0].sentence()
                return NodeResult(choice.setting.name, number, message=why, suite=choice.suite.title)
            tunnel = group.tunnels[0]
            with self._joined(tunnel, choice):
                probes = _Probes(self, tunnel.link, tunnel.plan)
                result = probes.measured(NodeResult(choice.setting.name, number, suite=choice.suite.title), title)
                return result if number > 1 else probes.with_hops(result, title)

    def _joined(self, tunnel: Tunnel, choice: NodeChoice) -> AbstractContextManager[None]:
        """Return a context in which machines are nodes of a tunnel; for namespaces nothing is left to do."""
        machines = self.machines
        if machines is None:
            return nullcontext()
        parts = {side: choice.machine(tunnel.link, side, one.interface) for side, one in machines.nodes.items()}
        bridged = BridgedNodes(self.sessions, parts)
        return machines.joined((tunnel,), HostSettings(), token=self.token, bridged=bridged)


@dataclass(frozen=True, slots=True)
class _Probes:
    """Probes of one round through one tunnel."""

    run: NodeStudyRun
    link: Link
    plan: TunnelPlan

    def measured(self, result: NodeResult, title: str) -> NodeResult:
        """Return a result with its figures, or with the reason why there are none."""
        load = OwnLoad(self.run.guests)
        load.start()
        try:
            found = self._figures(result, title)
        except ProbeFailed as error:
            found = replace(result, message=error.sentence())
        return replace(found, own_load_cores=load.cores())

    def with_hops(self, result: NodeResult, title: str) -> NodeResult:
        """Return a result with captures and injections at each hop, or with the reason why there are none."""

        def on_stage(hop: Hop | None) -> None:
            text = HOPS_CAPTURED(title=title) if hop is None else INJECTING_AT(title=title, hop=hop)
            self.run.report(text)

        try:
            nodes, machines = self._nodes(), self.run.machines
            request = HopsRequest(self.link, self.plan, lans_of(machines))
            if machines is not None:
                request = replace(request, interface=machines.nodes[Side.A].interface)
            hops = probe_hops(self.run.sessions, nodes, request, token=self.run.token, on_stage=on_stage)
        except ProbeFailed as error:
            return replace(result, message=sentences(filter(None, (result.message, error.sentence()))))
        return replace(result, hops=hops)

    def _nodes(self) -> SessionPair:
        return node_sessions(self.run.sessions, self.link, Topology.BRIDGED_NODES, self.run.machines)

    @contextmanager
    def _guarded(self, nodes: SessionPair) -> Iterator[CancelToken]:
        """Yield the token of TCP, which ends it where connections to gateways or nodes suffer; a lab needs no guard."""
        run = self.run
        with (
            guarded_load(run.sessions, is_lab=run.is_lab, token=run.token) as of_gateways,
            guarded_load(nodes, is_lab=run.is_lab, token=of_gateways) as of_all,
        ):
            yield of_all

    def _figures(self, result: NodeResult, title: str) -> NodeResult:
        part, sessions, token = self.run.part, self.run.sessions, self.run.token
        a, b = (node_addresses(self.link, Topology.BRIDGED_NODES, side) for side in Side)
        nodes, machines = self._nodes(), self.run.machines
        facts = self.run.facts[Side.A.value] if machines is None else machines.facts
        tcp = ThroughputRequest(
            client_address=a.node_ip,
            server_address=b.node_ip,
            port=self.link.names.iperf_port,
            seconds=part.seconds,
            cap_mbit_s=self.run.cap_mbit_s,
            iperf3_version=iperf3_version(facts),
        )
        first = (result.round - 1) % len(FRAME_BYTES)  # what is slow at first meets another size in each round
        sizes = FRAME_BYTES[first:] + FRAME_BYTES[:first]
        pings = LatencyRequest(b.node_ip, a.node_ip, sizes, part.pings, ping_flavour(facts))
        idle_s = longest_s(part.pings, len(sizes)) + 60.0
        with throughput_server(nodes.b, tcp, token=token, idle_s=idle_s) as server:
            counters = CpuCounters(sessions)
            server.wait_until_listening()
            self.run.report(LATENCY_OF_NODES(title=title))
            counters.read(token)
            latency = measure_latency(
                nodes.a, pings, token=token, on_samples=lambda *_: None, on_pause=lambda: counters.read(token)
            )
            self.run.report(TCP_OF_NODES(title=title))
            with CpuMonitor(sessions) as monitor, self._guarded(nodes) as load_token:
                monitor.wait_until_watching(token)
                counters.take(monitor.first)
                rates = measure_throughput(nodes.a, server, tcp, token=load_token, on_interval=lambda *_: None)
        means = _means_ms(latency.series)
        return replace(
            result,
            latency_ms=weighted_latency_ms(means),
            latency_by_frame_ms=means,
            mbit_s={one.direction: one.mbit_s for one in rates.series},
            retransmits={one.direction: one.retransmits for one in rates.series if one.retransmits is not None},
            intervals_mbit_s={one.direction: one.interval_mbit_s for one in rates.series},
            cpu_latency=counters.usage(),
            cpu_throughput=monitor.usage(*rates.windows),
            message=sentences(one.note for one in latency.series if one.note),
        )


def _means_ms(series: Sequence[LatencySeries]) -> dict[int, float]:
    """Return mean round-trip times in ms by frame size, of what was answered."""
    found = {}
    for one in series:
        answered = one.rtt_us[one.rtt_us != LOST_RTT_US]
        if answered.size:
            found[one.frame_bytes] = float(answered.mean()) / 1e3
    return found
