"""Words of states, stages and kinds for the terminal, whose values are for programs."""

from __future__ import annotations

from collections.abc import Mapping

from app.deployment.events import DeploymentStage
from app.wording.language import mark, tr

_WORDS: Mapping[str, str] = {
    # attempts, campaigns, options of a census
    "completed": mark("completed"),
    "failed": mark("failed"),
    "not-run": mark("not run"),
    "cancelled": mark("cancelled"),
    "skipped": mark("skipped"),
    "running": mark("running"),
    "interrupted": mark("interrupted"),
    "works": mark("works"),
    "fails": mark("fails"),
    # deployments, and those of many pairs
    "preparing": mark("preparing"),
    "awaiting confirmation": mark("awaiting confirmation"),
    "active": mark("active"),
    "on one host only": mark("on one host only"),
    "replaced": mark("replaced"),
    "removed": mark("removed"),
    "refused": mark("refused"),
    "waiting": mark("waiting"),
    "confirmed": mark("confirmed"),
    "not-begun": mark("not begun"),
    # verdicts and what else a finding says
    "recommended": mark("recommended"),
    "acceptable": mark("acceptable"),
    "legacy": mark("legacy"),
    "unknown": mark("unknown"),
    "insecure": mark("insecure"),
    "unprotected": mark("unprotected"),
    "slow": mark("slow"),
    "missing": mark("missing"),
    "hybrid": mark("hybrid"),
    "pure": mark("without classical part"),
    "hybrid-stored-key": mark("hybrid with stored key"),
    "symmetric": mark("symmetric"),
    # kinds
    "comparison": mark("comparison"),
    "census": mark("census"),
    "deployment": mark("deployment"),
    "cipher": mark("cipher"),
    "mode": mark("mode"),
    "mac": "MAC",
    "aead": "AEAD",
    "key-exchange": mark("key exchange"),
    "signature": mark("signature"),
    "protocol": mark("protocol"),
    "option": mark("option"),
    "file": mark("file"),
    "command": mark("command"),
    "undo": mark("undo"),
    # conditions of the link that no option names
    "as-found": mark("as found"),
}

_STAGES: Mapping[DeploymentStage, str] = {
    DeploymentStage.PREPARE: mark("preflight checks"),
    DeploymentStage.ARM: mark("arming rollback timer"),
    DeploymentStage.IDENTITY: mark("generating keys"),
    DeploymentStage.APPLY: mark("setting up tunnel"),
    DeploymentStage.VERIFY: mark("verifying tunnel"),
    DeploymentStage.CONFIRM: mark("awaiting confirmation"),
    DeploymentStage.ENABLE: mark("enabling at boot"),
    DeploymentStage.ROLLBACK: mark("rolling back"),
}


def word_of(value: str) -> str:
    """Return the word for a value of an enumeration, or for a word that is stored; any other text as it is."""
    return tr(_WORDS.get(value, value))


def capital_word(value: str) -> str:
    """Return the word for a value with a capital letter."""
    word = word_of(value)
    return word[:1].upper() + word[1:]


def deployment_stage_word(stage: DeploymentStage) -> str:
    """Return a stage of a deployment in words."""
    return tr(_STAGES[stage])


def is_yes(answer: str) -> bool:
    """Whether an answer is the whole word yes, in English or in the language of the question."""
    return answer.strip().lower() in ("yes", tr("yes"))
