"""Stages of an attempt in words."""

from __future__ import annotations

from app.domain.events import Stage
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
        Stage.WIRE: tr("packet tests"),
        Stage.CLEANUP: tr("restoring hosts"),
    }
    return words[stage] if stage is not None else tr("starting")


def joined(what: str, detail: str) -> str:
    """Return a stage with what is known beside it: a frame size follows directly, a sentence after a colon."""
    if not detail:
        return what
    return f"{what} {detail}" if detail[:1].isdigit() and detail.endswith(" B") else f"{what}: {detail}"
