"""Packet tests on the underlay, over one running tunnel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import ceil

from app.domain.adapters import Breakage
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport, FrameCrossing, FrameOverhead, LeakProof, LeakVerdict
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_sides
from app.domain.errors import DeadlineExceeded, ProbeFailed
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, FRAME_TO_PAYLOAD_BYTES
from app.domain.messages import sentences
from app.probes.capture.canary import CanaryFrames, canary_filter, underlay_filter
from app.probes.capture.canary_traffic import VLAN_ID, BrokenSending, BrokenSink, Sending, Sent, send, send_broken
from app.probes.capture.classification import Reading, sort_packets
from app.probes.capture.link_protocols import LinkRun, judge_link_frames, send_link_frames
from app.probes.capture.messages import (
    BREAKAGE_ON_HOST,
    CANARIES_OF_EVERY_SIZE,
    CAPTURES_ON_BOTH,
    COST_UNMEASURED,
    END_UNKNOWN,
    ENDED_WITH_STATUS,
    FRAMES_OF_PROTOCOLS,
    FULL_FRAMES_ANSWERED,
    KERNEL_DROPPED,
    MAKE_VLAN_BRIEFLY,
    STREAM_CUTS_FRAMES,
)
from app.probes.capture.overhead import MeasuredCost, are_fragmented, compare, measured_cost, theory_of
from app.probes.capture.recording import TUNNEL, UNDERLAY, CaptureRequest, CapturingPair
from app.probes.capture.request import CaptureTestsRequest, missing_for_capture
from app.probes.capture.special_frames import TUNNEL_FILTER, judge_crossings
from app.probes.capture.verdicts import Captures, judge_breakage, judge_leak
from app.ssh.remote_line import shell_line

AuditSink = Callable[[AuditEntry], None]

TYPICAL_S = 6.0
"""Duration of injection test and captures on the practice lab, without breakages, in seconds; for predictions."""

TYPICAL_BREAKAGE_S = 1.2

_STREAM_DOUBT = STREAM_CUTS_FRAMES()


def capture_tests_s(breakages: int) -> float:
    """Return how long the whole takes on the practice lab, roughly, in seconds."""
    return TYPICAL_S + breakages * TYPICAL_BREAKAGE_S


def run_capture_tests(
    sessions: SessionPair,
    request: CaptureTestsRequest,
    *,
    token: CancelToken,
    on_stage: Callable[[str], None],
    audit: AuditSink = lambda _entry: None,
) -> CaptureReport:
    """Capture on the underlay of both hosts while canary frames cross, and then while the protection is removed.

    The tunnel does not work any more afterwards where its plan has breakages.

    Args:
        request: What is tested.
        on_stage: Gets what begins, in words.
        audit: Gets what changes a host: breakages, and a VLAN interface that is there for a moment.

    Returns:
        What was seen; what could not be tested is named with the reason.

    Raises:
        ConnectionLost, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    missing = missing_for_capture(sessions, request.facts)
    if missing:
        return _not_proven(missing)
    try:
        return _LeakTestRun(sessions, request, token, on_stage, audit).run()
    except (ProbeFailed, DeadlineExceeded) as error:
        return _not_proven(error.sentence())


def _not_proven(note: str) -> CaptureReport:
    nothing = {side.value: 0 for side in Side}
    leak = LeakProof(LeakVerdict.NOT_PROVEN, 0, 0, nothing, nothing, nothing, note=note)
    return CaptureReport(leak=leak)


@dataclass(frozen=True, slots=True)
class _Broken:
    """One breakage, and the frames that were sent after it."""

    title: str
    sent: Mapping[Side, Sent]
    failure: str = ""


@dataclass
class _LeakTestRun:
    """One call of `run_capture_tests`."""

    _sessions: SessionPair
    _request: CaptureTestsRequest
    _token: CancelToken
    _on_stage: Callable[[str], None]
    _audit: AuditSink
    _canaries: CanaryFrames = field(default_factory=CanaryFrames.new)
    _link_run: LinkRun = field(default_factory=LinkRun)

    def run(self) -> CaptureReport:
        """Capture, send, break, collect, judge."""
        self._on_stage(CAPTURES_ON_BOTH())
        with CapturingPair(self._sessions, self._captures(), token=self._token) as capturing:
            self._on_stage(CANARIES_OF_EVERY_SIZE())
            sent = send(self._sessions.a, self._sending, self._canaries, token=self._token)
            if sent.vlan == "sent":
                vlan, tunnel = self._request.link.names.vlan_interface, self._request.plan.a.interface
                line = shell_line(
                    ("ip", "link", "add", "link", tunnel, "name", vlan, "type", "vlan", "id", str(VLAN_ID))
                )
                self._write_down(Side.A, line, 0, MAKE_VLAN_BRIEFLY())
            if not self._request.is_brief and self._request.plan.b.interface:
                self._on_stage(FRAMES_OF_PROTOCOLS())
                self._link_run = send_link_frames(self._sessions, self._request.plan, token=self._token)
            broken = [self._break(index, *one, sent.linger_s) for index, one in enumerate(self._breakages)]
            captures = capturing.collect(self._canaries.end, underlay=self._request.link.underlay_b)
        return self._report(captures, sent, broken)

    # --- sending ------------------------------------------------------------------------------------------------------

    def _captures(self) -> dict[Side, CaptureRequest]:
        link, plan = self._request.link, self._request.plan
        return {
            side: CaptureRequest(
                folder=link.run_dir,
                address=link.underlay(side),
                underlay_filter=underlay_filter(link, plan.outer_filter, self._canaries),
                other_filter=canary_filter(self._canaries.family),
                tunnel=plan.on(side).interface,
                tunnel_filter="" if self._request.is_brief else TUNNEL_FILTER,
            )
            for side in Side
        }

    @property
    def _sending(self) -> Sending:
        link, plan = self._request.link, self._request.plan
        return Sending(
            underlay=link.underlay_b,
            destination=plan.probe_address_b,
            source=plan.probe_address_a,
            tunnel="" if self._request.is_brief else plan.a.interface,
            vlan=link.names.vlan_interface,
            frame_bytes=self._sizes,
            is_stream=self._request.is_stream,
        )

    @property
    def _sizes(self) -> tuple[int, ...]:
        advised = self._advised_frame_bytes
        extra = () if advised is None or self._request.is_brief else (advised, advised + 1)
        return tuple(dict.fromkeys((*self._request.frame_bytes, *extra)))

    @property
    def _advised_frame_bytes(self) -> int | None:
        """The largest frame that crosses whole, where that is less than the largest there is."""
        plan = self._request.plan
        largest = plan.largest_unfragmented_frame_bytes
        is_less = largest is not None and largest < plan.inner_mtu_bytes + ETHERNET_HEADER_BYTES
        return largest if is_less else None

    # --- breaking -----------------------------------------------------------------------------------------------------

    @property
    def _breakages(self) -> list[tuple[Side, Breakage]]:
        """Each breakage on one host, on A and B alternately, so that both are tested."""
        plan = self._request.plan
        found: list[tuple[Side, Breakage]] = []
        for index in range(max(len(plan.a.breakages), len(plan.b.breakages))):
            side = Side.A if index % 2 == 0 else Side.B
            own = plan.on(side).breakages
            if index < len(own):
                found.append((side, own[index]))
        return found

    def _break(self, index: int, side: Side, breakage: Breakage, linger_s: str) -> _Broken:
        """Break it on one host, and send from both; the other one begins as soon as it is broken."""
        label = self._sessions.on(side).spec.label
        title = BREAKAGE_ON_HOST(breakage=breakage.title, host=label)
        self._on_stage(title)
        is_over = threading.Event()
        ended: list[tuple[int, str]] = []

        def on_broken(status: int, words: str) -> None:
            if not ended:
                ended.append((status, words))
                self._write_down(side, shell_line(breakage.command.argv), status, breakage.title)
                is_over.set()

        def work(own: Side) -> Sent:
            if own is side:
                try:
                    return self._send_broken(own, index, linger_s, breakage.command, on_broken)
                finally:
                    if not ended:  # it may have been made all the same
                        self._write_down(side, shell_line(breakage.command.argv), None, breakage.title)
                    is_over.set()
            is_over.wait()
            return self._send_broken(own, index, linger_s) if ended and ended[0][0] == 0 else Sent()

        captures = run_sides(work)
        if not ended:
            return _Broken(title, {}, END_UNKNOWN())
        status, words = ended[0]
        if status != 0:
            return _Broken(title, {}, sentences((ENDED_WITH_STATUS(status=status), words)))
        return _Broken(title, captures)

    def _write_down(self, side: Side, command: str, exit_status: int | None, what: str) -> None:
        address = self._sessions.on(side).spec.address
        self._audit(AuditEntry(datetime.now(UTC), address, side, command, exit_status, what))

    def _send_broken(
        self,
        side: Side,
        index: int,
        linger_s: str,
        breakage: Command | None = None,
        on_broken: BrokenSink = lambda _status, _words: None,
    ) -> Sent:
        link, plan = self._request.link, self._request.plan
        sending = BrokenSending(
            underlay=link.underlay(side.other),
            destination=plan.probe_address(side.other),
            tunnel=plan.on(side).interface,
            linger_s=linger_s,
            breakage=breakage,
        )
        host = self._sessions.on(side)
        return send_broken(host, sending, self._canaries, index, token=self._token, on_broken=on_broken)

    # --- judging ------------------------------------------------------------------------------------------------------

    def _report(self, captures: Captures, sent: Sent, broken: list[_Broken]) -> CaptureReport:
        request, link = self._request, self._request.link
        readings = {
            side: sort_packets(captures[side].of(UNDERLAY), link, request.plan.outer_filter, self._canaries)
            for side in Side
        }
        leak = judge_leak(
            captures,
            readings,
            sent.of("leak"),
            self._canaries,
            is_unprotected=request.is_unprotected,
            is_stream=request.is_stream,
        )
        outcomes = tuple(
            judge_breakage(captures, one.title, index, one.sent, self._canaries, one.failure)
            for index, one in enumerate(broken)
        )
        costs = self._costs(readings, sent)
        crossings: tuple[FrameCrossing, ...] = ()
        if request.is_brief:
            crossings = (self._full_frame(sent),)
        elif request.plan.b.interface:
            crossings = judge_crossings(captures[Side.B].of(TUNNEL), sent, self._canaries)
        return CaptureReport(
            leak=replace(leak, broken=outcomes),
            overhead=self._overhead(costs),
            crossings=crossings,
            protocols=judge_link_frames(self._link_run, captures),
            advised_inner_mtu_bytes=self._advised_mtu_bytes or self._mtu_from(costs),
            is_advised_mtu_proven=self._is_advised_proven(costs),
            doubts=(*self._doubts(captures), *self._unmeasured(costs, readings[Side.A], sent)),
        )

    def _full_frame(self, sent: Sent) -> FrameCrossing:
        size = max(self._sizes)
        echoes = sent.of(f"size-{size - FRAME_TO_PAYLOAD_BYTES}")
        return FrameCrossing(
            "full-size",
            has_crossed=bool(echoes.received) if echoes.sent else None,
            note=FULL_FRAMES_ANSWERED(answered=echoes.received, sent=echoes.sent, size=size),
        )

    def _costs(self, readings: Mapping[Side, Reading], sent: Sent) -> dict[int, MeasuredCost]:
        """Return what was measured, by frame size; separator n + 1 comes before size n.

        The bytes are those that A sent. Routers on the path fragment as well, which the host that receives sees.
        """
        request = self._request
        found: dict[int, MeasuredCost] = {}
        for number, size in enumerate(self._sizes, start=1):
            packets = readings[Side.A].part(number, source=request.link.underlay_a)
            echoes = sent.of(f"size-{size - FRAME_TO_PAYLOAD_BYTES}")
            parts = [
                reading.part(number, source=request.link.underlay(side))
                for reading in readings.values()
                for side in Side
            ]
            # Under load, ping sends one more now and then before the answer is there.
            cost = measured_cost(packets, echoes.sent, request.link.underlay_mtu_bytes)
            if cost is not None and echoes.received:
                is_cut = cost.is_fragmented or any(are_fragmented(part, echoes.sent) for part in parts)
                found[size] = replace(cost, is_fragmented=is_cut)
        return found

    def _overhead(self, costs: Mapping[int, MeasuredCost]) -> tuple[FrameOverhead, ...]:
        request = self._request
        mtu = request.link.underlay_mtu_bytes
        return tuple(
            compare(size, costs[size], theory_of(request.plan, size, mtu, is_stream=request.is_stream))
            for size in request.frame_bytes
            if size in costs
        )

    @property
    def _advised_mtu_bytes(self) -> int | None:
        frame_bytes = self._advised_frame_bytes
        return None if frame_bytes is None else frame_bytes - ETHERNET_HEADER_BYTES

    def _mtu_from(self, costs: Mapping[int, MeasuredCost]) -> int | None:
        """Return the MTU by what was captured, where the adapter gives none; None where nothing is fragmented."""
        if self._request.is_stream or not any(cost.is_fragmented for cost in costs.values()):
            return None
        whole = [cost.outer_bytes - size for size, cost in costs.items() if not cost.is_fragmented]
        return self._request.link.underlay_mtu_bytes - ceil(max(whole)) if whole else None

    def _is_advised_proven(self, costs: Mapping[int, MeasuredCost]) -> bool | None:
        size = self._advised_frame_bytes
        if size is None or size not in costs or size + 1 not in costs:
            return None
        return not costs[size].is_fragmented and costs[size + 1].is_fragmented

    def _unmeasured(self, costs: Mapping[int, MeasuredCost], reading: Reading, sent: Sent) -> Iterator[str]:
        """Yield why a frame size has no figure."""
        for number, size in enumerate(self._sizes, start=1):
            if size in costs or size not in self._request.frame_bytes:
                continue
            echoes = sent.of(f"size-{size - FRAME_TO_PAYLOAD_BYTES}")
            count = len(reading.part(number, source=self._request.link.underlay_a))
            yield COST_UNMEASURED(size=size, answered=echoes.received, sent=echoes.sent, captured=count)

    def _doubts(self, captures: Captures) -> tuple[str, ...]:
        found = [_STREAM_DOUBT] if self._request.is_stream else []
        for side in Side:
            if captures[side].dropped:
                label = self._sessions.on(side).spec.label
                found.append(KERNEL_DROPPED(host=label, dropped=captures[side].dropped))
        return tuple(found)
