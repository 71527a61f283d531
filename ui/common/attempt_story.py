"""Attempts of a comparison in words: outcome, negotiated parameters, daemon output."""

from __future__ import annotations

from app.domain.results import Attempt, AttemptStatus
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from ui.common.texts import count, duration, tr


def attempt_story(attempt: Attempt) -> str:
    """Return how an attempt went, with its counts and the daemons' log."""
    words = [f"{tr('Round')} {attempt.key.round}: {attempt.status.value}"]
    if attempt.status is AttemptStatus.COMPLETED:
        words.append(
            tr(
                "set up in %1, measured for %2, removed in %3",
                f"{decimal(attempt.setup_s, 1)} s",
                duration(attempt.probe_s),
                f"{decimal(attempt.cleanup_s, 1)} s",
            )
        )
    else:
        words.append(local_text(attempt.message))
    lines = [", ".join(word for word in words if word)]
    if attempt.negotiated:
        lines.append(f"{tr('Negotiated')}: {attempt.negotiated}")
    for series in attempt.latency:
        replies = f"{count(series.received)} {tr('of')} {count(series.sent)} {tr('replies')}"
        lines.append(f"  {series.frame_bytes:>5} B  {replies}  {local_text(series.note)}".rstrip())
    if attempt.daemon_log:
        lines += [tr("Daemon output:"), attempt.daemon_log.rstrip()]
    return "\n".join(lines)
