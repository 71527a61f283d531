"""Proof of a provisional deployment: leak and injection tests on the underlay."""

from __future__ import annotations

from functools import partial

from app.deployment.lan.messages import FIT_DISPROVED, FIT_PROVEN, FIT_UNTESTED
from app.deployment.messages import FAILS_OPEN, FRAMES_READABLE, PACKETS_GET_IN
from app.domain.adapters import TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, properties_of
from app.domain.commands import SessionPair
from app.domain.errors import TunnelDown
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.domain.link import ETHERNET_HEADER_BYTES
from app.domain.messages import sentences
from app.domain.messages.lists import joined
from app.domain.profiles import FRAME_BYTES
from app.domain.solutions import Carrier
from app.probes.capture import CaptureTestsRequest, missing_for_capture
from app.probes.proof import prove
from app.tunnel.audit import AuditSink
from app.tunnel.request import DeployRequest
from app.tunnel.transaction import Transaction


def can_be_proven(sessions: SessionPair, request: DeployRequest) -> bool:
    """Return whether both hosts have what captures need: what was not proven all the same may be at the next try."""
    return not missing_for_capture(sessions, {side.value: request.facts(side) for side in Side})


def prove_by_captures(
    work: Transaction,
    sessions: SessionPair,
    request: DeployRequest,
    plan: TunnelPlan,
    *,
    token: CancelToken,
    audit: AuditSink,
) -> CaptureReport:
    """Test whether anything can be read on the underlay, and whether nothing can once the protection is gone.

    The tunnel has to be started again afterwards.

    Args:
        plan: Its plan, with both public keys.
        audit: Gets every command that changed a host.

    Returns:
        What was seen; the verdict on leaks says where a host cannot capture.

    Raises:
        TunnelDown: Plaintext was seen, or packets got in that did not come through the cryptography.
    """
    asked = CaptureTestsRequest(
        link=request.link,
        plan=plan,
        facts={side.value: request.facts(side) for side in Side},
        frame_bytes=_proof_sizes(plan),
        is_unprotected=False,
        is_stream=request.adapter.info.carrier is Carrier.TCP,
        is_brief=True,
    )
    work.stage(Stage.PACKET_TESTS)
    with work.timed("wire"):
        on_stage = partial(work.stage, Stage.PACKET_TESTS)
        report = prove(sessions, asked, token=token, on_stage=on_stage, audit=audit)
        _refuse_if_open(report)
        return report


def fit_sentence(plan: TunnelPlan, report: CaptureReport) -> tuple[str, bool]:
    """Return whether the largest frame that should cross in one packet does, and whether there is a reason to doubt it.

    The sentence is empty where frames of 1514 bytes should cross in one packet, or the carrier is a stream, which has
    no fragments. What larger frames do is no matter: a path that carries more in one direction is no fault.

    Args:
        plan: Of a deployment that fits its tunnel to the path.
        report: Its packet tests.
    """
    size = plan.largest_unfragmented_frame_bytes
    if size is None or size >= FRAME_BYTES[-1]:
        return "", False
    cost = next((one for one in report.overhead if one.frame_bytes == size), None)
    is_proven = None if cost is None else not cost.is_fragmented
    forms = {True: FIT_PROVEN, False: FIT_DISPROVED, None: FIT_UNTESTED}
    return forms[is_proven](size=size), is_proven is not True


def _proof_sizes(plan: TunnelPlan) -> tuple[int, ...]:
    """Return the frame sizes of a deployment's packet tests: the largest that fits the path, and that of the tunnel."""
    largest = min(FRAME_BYTES[-1], plan.inner_mtu_bytes + ETHERNET_HEADER_BYTES)
    fitting = plan.largest_unfragmented_frame_bytes
    return (largest,) if fitting is None or fitting >= largest else (fitting, largest)


def _refuse_if_open(report: CaptureReport) -> None:
    leak = report.leak
    if leak is not None and leak.verdict is LeakVerdict.LEAKS:
        raise TunnelDown(FRAMES_READABLE(), hint=leak.note)
    opened = [one.title for one in leak.broken if one.verdict is BreakVerdict.FAILS_OPEN] if leak else []
    if opened:
        raise TunnelDown(FAILS_OPEN(breakages=joined(opened)))
    failed = [one.note for one in properties_of(report).values() if one.verdict is PropertyVerdict.FAILS]
    if failed:
        raise TunnelDown(PACKETS_GET_IN(), hint=sentences(failed))
