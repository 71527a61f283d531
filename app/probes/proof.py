"""Proof of a tunnel's protection, both ways: the injection test, then the packet captures with every breakage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport
from app.domain.commands import SessionPair
from app.domain.errors import DeadlineExceeded, ProbeFailed
from app.domain.hosts import Side
from app.domain.injection import HostInjection, InjectionReport, TrialKind
from app.probes.capture import CaptureTestsRequest, missing_for_capture, run_capture_tests
from app.probes.injection.probe import InjectionRequest, probe_injection


def prove(
    sessions: SessionPair,
    request: CaptureTestsRequest,
    *,
    token: CancelToken,
    on_stage: Callable[[str], None],
    audit: Callable[[AuditEntry], None] = lambda _entry: None,
) -> CaptureReport:
    """Test whether packets get into a tunnel that did not come through its cryptography, then what leaves it.

    The tunnel does not work any more afterwards where its plan has breakages.

    Args:
        on_stage: Gets what begins, in words.
        audit: Gets what changes a host.

    Returns:
        What was seen. Where a test could not be run, it says so and why.

    Raises:
        ConnectionLost, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    injection = _inject(sessions, request, token, on_stage, audit)
    report = run_capture_tests(sessions, request, token=token, on_stage=on_stage, audit=audit)
    return replace(report, injection=injection)


def _inject(
    sessions: SessionPair,
    request: CaptureTestsRequest,
    token: CancelToken,
    on_stage: Callable[[str], None],
    audit: Callable[[AuditEntry], None],
) -> InjectionReport | None:
    """Return what the injection test showed, or why it showed nothing; None for the bare underlay."""
    if not request.plan.b.interface:
        return None
    missing = missing_for_capture(sessions, request.facts)
    if not missing:
        injection = InjectionRequest(request.link, request.plan, request.is_unprotected, request.is_stream)
        try:
            return probe_injection(sessions, injection, token=token, on_stage=on_stage, audit=audit)
        except (ProbeFailed, DeadlineExceeded) as error:
            missing = error.sentence()
    host = HostInjection(missing={kind.value: missing for kind in TrialKind})
    return InjectionReport({side.value: host for side in Side}, is_exempt=request.is_unprotected)
