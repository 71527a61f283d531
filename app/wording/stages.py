"""Stages of an attempt in words."""

from __future__ import annotations

from app.domain.events import Stage
from app.wording.language import mark

STAGE_WORDS = {
    Stage.PREFLIGHT: mark("preflight checks"),
    Stage.ARM: mark("arming the rollback timers"),
    Stage.IDENTITY: mark("generating keys"),
    Stage.APPLY: mark("setting up the tunnel"),
    Stage.VERIFY: mark("verifying that frames cross"),
    Stage.LATENCY: mark("measuring latency"),
    Stage.THROUGHPUT: mark("measuring throughput"),
    Stage.WORKLOAD: mark("workloads"),
    Stage.PACKET_TESTS: mark("packet tests"),
    Stage.CLEANUP: mark("restoring both hosts"),
}


def stage_word(stage: str) -> str:
    """Return a stored stage in words, to be translated; one of another version as it is."""
    return next((word for known, word in STAGE_WORDS.items() if known.value == stage), stage)
