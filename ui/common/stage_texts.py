"""Stages of an attempt in words."""

from __future__ import annotations

from app.domain.events import Stage
from ui.common.texts import tr


def stage_text(stage: Stage | None) -> str:
    """Return a stage in words."""
    words = {
        Stage.PREFLIGHT: tr("checking for obstacles"),
        Stage.ARM: tr("arming the undo"),
        Stage.IDENTITY: tr("making keys"),
        Stage.APPLY: tr("building the tunnel"),
        Stage.VERIFY: tr("checking the tunnel"),
        Stage.LATENCY: tr("latency"),
        Stage.THROUGHPUT: tr("throughput"),
        Stage.WIRE: tr("looking at the wire"),
        Stage.CLEANUP: tr("putting the hosts back"),
    }
    return words[stage] if stage is not None else tr("starting")


def joined(what: str, detail: str) -> str:
    """Return a stage with what is known beside it: a frame size follows directly, a sentence after a colon."""
    if not detail:
        return what
    return f"{what} {detail}" if detail[:1].isdigit() and detail.endswith(" B") else f"{what}: {detail}"
