"""Stages of an attempt in words."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.events import Stage
from ui.common.candidate_rows import Row
from ui.common.texts import tr


def stage_text(stage: Stage | None) -> str:
    """Return a stage in words."""
    words = {
        Stage.PREFLIGHT: tr("preflight checks"),
        Stage.ARM: tr("arming rollback timer"),
        Stage.IDENTITY: tr("generating keys"),
        Stage.APPLY: tr("setting up tunnel"),
        Stage.VERIFY: tr("verifying tunnel"),
        Stage.LATENCY: tr("latency"),
        Stage.THROUGHPUT: tr("throughput"),
        Stage.WORKLOAD: tr("workloads"),
        Stage.PACKET_TESTS: tr("packet tests"),
        Stage.CLEANUP: tr("restoring hosts"),
    }
    return words[stage] if stage is not None else tr("starting")


def place_text(rows: Sequence[Row]) -> str:
    """Return which attempt of how many is running; of an adaptive comparison, which has no fixed number, the round."""
    if any(row.is_open_ended for row in rows):
        return tr("round %1", str(1 + max(row.rounds_done for row in rows if row.is_open_ended)))
    done, total = sum(row.attempts_done for row in rows), sum(row.attempts for row in rows)
    return tr("%1 of %2", min(done + 1, total), total) if total else ""


def joined(what: str, detail: str) -> str:
    """Return a stage with what is known beside it: a frame size follows directly, a sentence after a colon."""
    if not detail:
        return what
    return f"{what} {detail}" if detail[:1].isdigit() and detail.endswith(" B") else f"{what}: {detail}"
