"""Two hosts on which every probe works, without a network or waiting; and tunnels and a store to go with them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import sample_records as sample
from fake_captures import FakeCaptures
from fake_hosts import Answer, FakeHost

from app.domain.adapters import Adapter, EndpointPlan, PlanStep, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.conditions import MeasuredCondition
from app.domain.errors import NotFound, TunnelmarkError
from app.domain.events import Stage
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, CampaignStatus, PlannedItem
from app.domain.solutions import Carrier, CensusOption, SecurityProperties, SolutionInfo, Space, Suite
from app.tunnel.request import PlanExtension
from app.tunnel.temporary_group import FirstTunnels


@dataclass
class FakePair:
    """Both hosts.

    Attributes:
        interfere: Called with the side and each command before it is answered; may raise or cancel something.
        around: Lines of the inspection before an attempt, by side, after the usual ones.
        capture: What is between them.
        pings: What each host prints when it is asked whether frames cross the bare link; the first line of a list of
            them is used up each time, but for the last.
        readings: How often the counters of each host were read.
        counters: Further lines of the counters of a host, given its side and the number of the reading, from 1; a line
            of CPU time among them takes the place of the usual one.
        rtt_ms: Round-trip time of a request, given its number in its size, from 1.
    """

    interfere: Callable[[str, Command], None] = lambda _side, _command: None
    around: dict[str, tuple[str, ...]] = field(default_factory=dict)
    capture: FakeCaptures = field(default_factory=FakeCaptures)
    pings: dict[str, list[str]] = field(default_factory=lambda: {"a": ["pings 1 1"], "b": ["pings 1 1"]})
    readings: dict[str, int] = field(default_factory=dict)
    counters: Callable[[str, int], Sequence[str]] = lambda _side, _number: ()
    rtt_ms: Callable[[int], float] = lambda _number: 0.5

    def sessions(self) -> SessionPair:
        self.a = FakeHost("gateway-a", lambda command, token: self._answer("a", command, token))
        self.b = FakeHost("gateway-b", lambda command, token: self._answer("b", command, token))
        return SessionPair(self.a, self.b)

    def _answer(self, side: str, command: Command, token: CancelToken) -> Answer:
        self.interfere(side, command)
        text = " ".join(command.argv)
        if self.capture.knows(command):
            return self.capture.answer(side, command, token)
        if command.argv[0] in {"true", "kill"}:
            return lines()
        if "ip neigh" in text:
            reported = self.pings[side]
            return lines(*(reported.pop(0) if len(reported) > 1 else reported[0]).split(", "))
        if "qdisc" in text:
            usual = ("0.0 - cpu 0 0 0 0 0 0 0 0", "device eth1", "0.5 - cpu 1 0 0 49 0 0 0 0")
            return lines(*usual, *self.around.get(side, ()))
        if "softnet" in text:
            return self._counters(side)
        if "/proc/stat" in text:
            return self._cpu(token)
        if "warm-up" in text:
            return self._ping(command.argv[4:])
        if "-s -1" in text:
            return self._server(command.argv[5:7], token)
        if "iperf3" in command.argv:
            return self._client()
        return lines()

    def _counters(self, side: str) -> Answer:
        """Half a second busy and half a second idle between two readings."""
        self.readings[side] = passed = self.readings.get(side, 0) + 1
        return lines(*self.counters(side, passed), f"{passed} 7 cpu {passed * 50} 0 0 {passed * 50} 0 0 0 0")

    @staticmethod
    def _cpu(token: CancelToken) -> Answer:
        ended = threading.Event()
        token.on_cancel(ended.set)
        for half in range(3):
            yield f"{half / 2} 7 cpu {half * 20} 0 0 {half * 30} 0 0 0 0"
        ended.wait(120)
        return 143

    def _ping(self, words: tuple[str, ...]) -> Answer:
        sizes, count = words[1].split(), int(words[6])
        for label in ("warm-up", *sizes):
            yield f"@start {label} 100" if label == "warm-up" else f"@window {label} 0 {count}"
            for seq in range(1, (count if label != "warm-up" else 1) + 1):
                yield f"26 bytes from 198.18.0.2: icmp_seq={seq} ttl=64 time={self.rtt_ms(seq):.3f} ms"
            yield f"{count} packets transmitted, {count} received, 0% packet loss, time 1ms"
            yield f"@exit {label} 0"
            yield f"@size {label} {count}"
            if label == "warm-up":
                yield f"#requests {words[3]}"
        return 0

    def _server(self, ports: tuple[str, ...], token: CancelToken) -> Answer:
        has_ended = self._has_tested = threading.Event()
        token.on_cancel(has_ended.set)
        for label, port in zip(("first", "second"), ports, strict=True):
            yield f"@start {label} 500"
            yield f"Server listening on {port} (test #1)"
        assert has_ended.wait(120)
        yield "@exit first 0"
        yield "@exit second 0"
        return 0

    def _client(self) -> Answer:
        for direction in ("a_to_b", "b_to_a"):
            yield f"@start {direction} 400"
            total = {"start": 0, "end": 1, "bits_per_second": 1e8}
            yield json.dumps({"event": "interval", "data": {"sum": total}})
            yield json.dumps({"event": "end", "data": {"sum_received": {"bits_per_second": 9e7}, "sum_sent": {}}})
            yield f"@exit {direction} 0"
        self._has_tested.set()
        return 0


def lines(*texts: str, status: int = 0) -> Answer:
    """Answer with these lines."""
    yield from texts
    return status


_INFO = SolutionInfo(
    name="fake",
    title="Fake",
    summary="",
    space=Space.KERNEL,
    carrier=Carrier.UDP,
    security=SecurityProperties(
        has_confidentiality=True,
        has_integrity=True,
        has_authentication=True,
        has_anti_replay=True,
        has_forward_secrecy=True,
    ),
    files_per_site=0,
    keys_per_site=2,
)


class FakeAdapter:
    """Offers one suite."""

    def __init__(self, suite: str, *, is_unprotected: bool = False) -> None:
        self._suite = Suite(suite, suite, is_default=True)
        self.info = replace(_INFO, is_unprotected=is_unprotected)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        return ()

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        return (self._suite,)


ADAPTERS: Mapping[str, Adapter] = {
    candidate.solution: FakeAdapter(candidate.suite, is_unprotected=candidate.is_unprotected)  # type: ignore[misc]
    for candidate in (sample.BASELINE, sample.L2TP, sample.WIREGUARD, sample.OPENVPN_UDP, sample.OPENVPN_TCP)
}
ADAPTERS_BY_SUITE = {id(adapter): name for name, adapter in ADAPTERS.items()}


class FakeTunnel:
    """A running tunnel."""

    def __init__(self, suite: Suite, log: str, instance: int = 0) -> None:
        end = EndpointPlan((), (), f"tmk{instance}")
        self.plan = TunnelPlan(
            solution="",
            suite=suite,
            a=end,
            b=end,
            probe_address_a=f"198.18.{2 * instance}.1",
            probe_address_b=f"198.18.{2 * instance}.2",
            inner_mtu_bytes=1500,
            overhead_bytes=66,
            largest_unfragmented_frame_bytes=1448,
            outer_filter="udp port 21194",
        )
        self.setup_s = 2.0
        self.cleanup_s = 0.0
        self.negotiated = "AES-256-GCM"
        self.lost: dict[Side, str] = {}
        self.differences: tuple[str, ...] = ()
        self.configuration = (PlannedItem("a", "file", "/run/tunnelmark/tunnel/x.conf", "# x"),)
        self.link = Link("192.0.2.1", "192.0.2.2").instance(instance)
        self.pids = {Side.A: (1000 + instance,), Side.B: (2000 + instance,)}
        self.did: list[str] = []
        self._log = log

    def collect_logs(self, token: CancelToken) -> str:
        token.raise_if_cancelled()
        return self._log

    def restart(self, side: Side, *, token: CancelToken) -> None:
        token.raise_if_cancelled()
        self.did.append(f"restart {side}")

    def restart_both(self, *, token: CancelToken) -> None:
        token.raise_if_cancelled()
        self.did.append("restart both")

    def daemon_pids(self, side: Side) -> tuple[int, ...]:
        return self.pids[side]


@dataclass
class FakeTunnelGroup:
    """Tunnels side by side."""

    tunnels: dict[int, FakeTunnel] = field(default_factory=dict)
    failures: dict[int, TunnelmarkError] = field(default_factory=dict)
    lost: dict[Side, str] = field(default_factory=dict)


@dataclass
class FakeTunnels:
    """Implements Tunnels.

    Attributes:
        faults: What opening raises, by solution.
        cleanup_faults: What ends a tunnel with an error, by solution.
        on_open: Called with the solution while its tunnel is up.
        steps: First steps of each host's plan.
    """

    faults: dict[str, BaseException] = field(default_factory=dict)
    cleanup_faults: dict[str, BaseException] = field(default_factory=dict)
    on_open: Callable[[str], None] = lambda _solution: None
    recover_fault: BaseException | None = None
    log: str = "daemon: last words"
    lost: dict[Side, str] = field(default_factory=dict)
    differences: tuple[str, ...] = ()
    opened: list[str] = field(default_factory=list)
    tunnels_up: list[str] = field(default_factory=list)
    steps: tuple[PlanStep, ...] = ()
    recovered: int = 0

    @contextmanager
    def open(
        self, adapter: Adapter, suite: Suite, *, token: CancelToken, on_stage: Callable[[Stage, str], None]
    ) -> Iterator[FakeTunnel]:
        solution = ADAPTERS_BY_SUITE[id(adapter)]
        on_stage(Stage.APPLY, "building")
        self.opened.append(solution)
        if solution in self.faults:
            raise self.faults[solution]
        tunnel = FakeTunnel(suite, self.log)
        a, b = (replace(one, steps=self.steps) for one in (tunnel.plan.a, tunnel.plan.b))
        tunnel.plan = replace(tunnel.plan, solution=solution, a=a, b=b)
        self.tunnels_up.append(solution)
        try:
            self.on_open(solution)
            tunnel.lost = self.lost
            token.raise_if_cancelled()
            yield tunnel
        finally:
            on_stage(Stage.CLEANUP, "putting back")
            self.tunnels_up.remove(solution)
            tunnel.cleanup_s = 1.0
            tunnel.differences = self.differences
            if solution in self.cleanup_faults:
                raise self.cleanup_faults[solution]

    @contextmanager
    def open_group(
        self,
        choices: Sequence[tuple[Adapter, Suite]],
        *,
        token: CancelToken,
        on_stage: Callable[[int, Stage, str], None],
        extensions: Sequence[PlanExtension] = (),
        first: FirstTunnels | None = None,
        busy_s: float = 0.0,
    ) -> Iterator[FakeTunnelGroup]:
        names = [ADAPTERS_BY_SUITE[id(adapter)] for adapter, _ in choices]
        group = FakeTunnelGroup(lost=self.lost)
        self._build(group, choices, first.positions if first is not None else (), on_stage)
        try:
            if first is not None:
                for position in first.one_of:
                    if not group.tunnels.keys() & set(first.one_of):
                        self._build(group, choices, (position,), on_stage)
                first.on_up(group)  # type: ignore[arg-type]
            built = {*group.tunnels, *group.failures}
            self._build(group, choices, [one for one in range(len(names)) if one not in built], on_stage)
            group.tunnels = dict(sorted(group.tunnels.items()))
            for position in group.tunnels:
                self.on_open(names[position])
            token.raise_if_cancelled()
            yield group
        finally:
            self._close_group(group, names, on_stage)

    def _build(
        self,
        group: FakeTunnelGroup,
        choices: Sequence[tuple[Adapter, Suite]],
        positions: Sequence[int],
        on_stage: Callable[[int, Stage, str], None],
    ) -> None:
        for position in positions:
            name = ADAPTERS_BY_SUITE[id(choices[position][0])]
            on_stage(position, Stage.APPLY, "building")
            self.opened.append(name)
            fault = self.faults.get(name)
            if isinstance(fault, TunnelmarkError):
                group.failures[position] = fault
            elif fault is not None:
                raise fault
            else:
                group.tunnels[position] = FakeTunnel(choices[position][1], self.log, position)
                group.tunnels[position].lost = self.lost
                self.tunnels_up.append(name)

    def _close_group(
        self, group: FakeTunnelGroup, names: list[str], on_stage: Callable[[int, Stage, str], None]
    ) -> None:
        for position, tunnel in group.tunnels.items():
            on_stage(position, Stage.CLEANUP, "rolling back")
            self.tunnels_up.remove(names[position])
            tunnel.cleanup_s, tunnel.differences = 1.0, self.differences
        for position in group.tunnels:
            if names[position] in self.cleanup_faults:
                raise self.cleanup_faults[names[position]]

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        token.raise_if_cancelled()
        self.recovered += 1
        if self.recover_fault is not None:
            raise self.recover_fault
        return ("gateway-a was put back.",)


class FakeStore:
    """Implements CampaignStore in memory."""

    def __init__(self) -> None:
        self.records: dict[int, CampaignRecord] = {}
        self.messages: dict[int, str] = {}
        self.saved: list[Attempt] = []
        self.save_fault: BaseException | None = None
        self.claimed: list[int] = []

    def create_campaign(self, plan: CampaignPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        number = len(self.records) + 1
        self.records[number] = CampaignRecord(
            number, plan, CampaignStatus.RUNNING, datetime.now(UTC), None, facts, (), version
        )
        return number

    def claim_campaign(self, campaign_id: int, _kind: object = None) -> None:
        self.claimed.append(campaign_id)
        self.records[campaign_id] = replace(self.records[campaign_id], status=CampaignStatus.RUNNING)

    def save_attempt(self, campaign_id: int, attempt: Attempt) -> None:
        if self.save_fault is not None:
            raise self.save_fault
        self.saved.append(attempt)
        record = self.records[campaign_id]
        others = [one for one in record.attempts if one.key.position != attempt.key.position]
        attempts = tuple(sorted([*others, attempt], key=lambda one: one.key.position))
        self.records[campaign_id] = replace(record, attempts=attempts)

    def save_condition(self, campaign_id: int, found: MeasuredCondition) -> None:
        record = self.records[campaign_id]
        self.records[campaign_id] = replace(record, measured_conditions=(*record.measured_conditions, found))

    def finish_campaign(
        self, campaign_id: int, status: CampaignStatus, message: str = "", _kind: object = None
    ) -> None:
        self.records[campaign_id] = replace(self.records[campaign_id], status=status, ended_at=datetime.now(UTC))
        self.messages[campaign_id] = message

    def load_campaign(self, campaign_id: int) -> CampaignRecord:
        if campaign_id not in self.records:
            raise NotFound("There is no such comparison.")
        return self.records[campaign_id]

    def audit(self, entry: AuditEntry) -> None:
        pass
