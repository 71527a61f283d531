"""Packet tests of an attempt: when they run, what they report, and when they end the attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, Property, properties_of
from app.domain.commands import SessionPair
from app.domain.errors import ForgeryAccepted, PlaintextSeen
from app.domain.events import LogLevel, Stage
from app.domain.injection import PropertyVerdict
from app.domain.results import AttemptKey, CampaignPlan
from app.measurement.comparison.planning import is_first
from app.measurement.interfaces import StageSink
from app.probes.capture import CaptureTestsRequest
from app.probes.proof import prove
from app.wording.capture_sentences import break_sentence, leak_sentence, property_sentence, wire_line


def has_capture_tests(plan: CampaignPlan, key: AttemptKey) -> bool:
    """Return whether an attempt has packet tests: each candidate's first one does, as their outcome does not change."""
    return is_first(key, plan.attempts)


def look_at_wire(
    request: CaptureTestsRequest,
    sessions: SessionPair,
    *,
    token: CancelToken,
    on_stage: StageSink,
    audit: Callable[[AuditEntry], None],
) -> CaptureReport:
    """Run the packet tests on a tunnel that has been measured; it no longer works afterwards.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    return prove(sessions, request, token=token, on_stage=lambda text: on_stage(Stage.WIRE, text), audit=audit)


def wire_log(report: CaptureReport) -> Iterator[tuple[LogLevel, str]]:
    """Return what the log says of it."""
    proof = report.leak
    is_doubtful = proof is not None and proof.verdict is LeakVerdict.NOT_PROVEN
    yield (LogLevel.WARNING if is_doubtful else LogLevel.INFO), f"packet tests: {wire_line(report)}"
    for outcome in proof.broken if proof is not None else ():
        if outcome.verdict is not BreakVerdict.FAILS_CLOSED:
            yield LogLevel.WARNING, f"{outcome.verdict.value.replace('-', ' ')}: {break_sentence(outcome)}"
    for kind, result in properties_of(report).items():
        if report.injection is not None and kind is not Property.CONFIDENTIAL:
            is_shown = result.verdict is PropertyVerdict.HOLDS or report.injection.is_exempt
            yield (LogLevel.INFO if is_shown else LogLevel.WARNING), property_sentence(kind, result)


def raise_if_leaking(report: CaptureReport) -> None:
    """End an attempt whose tunnel does not protect.

    Raises:
        PlaintextSeen: The mark was read on the underlay.
        ForgeryAccepted: Packets got in that did not come through its cryptography.
    """
    proof = report.leak
    if proof is not None and proof.verdict is LeakVerdict.LEAKS:
        raise PlaintextSeen(
            f"Frames inside the tunnel can be read on the underlay. {leak_sentence(proof)}",
            hint="Do not use this configuration.",
        )
    if report.injection is None or report.injection.is_exempt:
        return
    for kind, result in properties_of(report).items():
        if kind is not Property.CONFIDENTIAL and result.verdict is PropertyVerdict.FAILS:
            raise ForgeryAccepted(
                f"Packets get into the tunnel that did not come through its cryptography. {result.note}",
                hint="Do not use this configuration.",
            )
