"""Packet tests of an attempt: when they run, what they report, and when they end the attempt."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.adapters import TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.capture import BreakVerdict, CaptureReport, LeakVerdict, Property, properties_of
from app.domain.errors import ForgeryAccepted, PlaintextSeen
from app.domain.events import LogLevel, Stage
from app.domain.injection import PropertyVerdict
from app.domain.link import Link
from app.domain.results import AttemptKey, CampaignPlan
from app.domain.solutions import Carrier, SecurityProperties, SolutionInfo
from app.measurement.comparison.planning import is_first
from app.measurement.interfaces import StageSink
from app.measurement.messages import FORGED_PACKETS_GET_IN, INNER_FRAMES_READABLE, PACKET_TESTS_DONE
from app.measurement.work import ComparisonContext
from app.probes.capture import CaptureTestsRequest
from app.probes.proof import prove
from app.wording.capture_sentences import BREAK_WORDS, break_sentence, capture_line, leak_message, property_sentence
from app.wording.language import tr


def has_capture_tests(plan: CampaignPlan, key: AttemptKey) -> bool:
    """Return whether an attempt has packet tests: each candidate's first one does, as their outcome does not change."""
    return is_first(key, plan.attempts)


def run_packet_tests(
    context: ComparisonContext,
    key: AttemptKey,
    info: SolutionInfo,
    plan: TunnelPlan,
    link: Link,
    *,
    token: CancelToken,
    on_stage: StageSink,
) -> CaptureReport:
    """Run the packet tests on a tunnel that has been measured; it no longer works afterwards.

    Args:
        key: The attempt.
        info: Its solution.
        plan: What was built.
        link: What it was built on.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    candidate = (key.solution, key.suite)
    request = CaptureTestsRequest(
        link=link,
        plan=plan,
        facts=context.facts,
        frame_bytes=context.plan.profile.frame_bytes,
        is_unprotected=info.is_unprotected
        or any(one.is_unprotected for one in context.plan.candidates if (one.solution, one.suite) == candidate),
        is_stream=info.carrier is Carrier.TCP,
    )
    return prove(
        *(context.sessions, request),
        token=token,
        on_stage=lambda text: on_stage(Stage.PACKET_TESTS, text),
        audit=context.audit,
    )


def capture_log(report: CaptureReport) -> Iterator[tuple[LogLevel, str]]:
    """Return what the log says of it."""
    proof = report.leak
    is_doubtful = proof is not None and proof.verdict is LeakVerdict.NOT_PROVEN
    yield (LogLevel.WARNING if is_doubtful else LogLevel.INFO), PACKET_TESTS_DONE(line=capture_line(report))
    for outcome in proof.broken if proof is not None else ():
        if outcome.verdict is not BreakVerdict.FAILS_CLOSED:
            yield LogLevel.WARNING, f"{tr(BREAK_WORDS[outcome.verdict])}: {break_sentence(outcome)}"
    for kind, result in properties_of(report).items():
        if report.injection is not None and kind is not Property.CONFIDENTIAL:
            is_shown = result.verdict is PropertyVerdict.HOLDS or report.injection.is_exempt
            yield (LogLevel.INFO if is_shown else LogLevel.WARNING), property_sentence(kind, result)


def raise_if_leaking(report: CaptureReport, security: SecurityProperties) -> None:
    """End an attempt whose tunnel does not protect as its solution promises.

    Args:
        security: The promises. Altered packets that get into what authenticates none are in the report alone: its
            verdict is insecure already, and it is measured to be compared.

    Raises:
        PlaintextSeen: The mark was read on the underlay.
        ForgeryAccepted: Packets got in that did not come through its cryptography.
    """
    proof = report.leak
    if proof is not None and proof.verdict is LeakVerdict.LEAKS:
        raise PlaintextSeen(
            INNER_FRAMES_READABLE(proof=leak_message(proof)),
        )
    if report.injection is None or report.injection.is_exempt or not security.has_integrity:
        return
    for kind, result in properties_of(report).items():
        if kind is not Property.CONFIDENTIAL and result.verdict is PropertyVerdict.FAILS:
            raise ForgeryAccepted(
                FORGED_PACKETS_GET_IN(proof=result.note),
            )
