"""Words of states and verdicts within messages."""

from __future__ import annotations

from app.domain.deployment import DeploymentState
from app.domain.messages import MessageForm
from app.domain.verdicts import Verdict

STATES = {
    DeploymentState.PREPARED: MessageForm("state.prepared", "preparing"),
    DeploymentState.APPLIED: MessageForm("state.applied", "awaiting confirmation"),
    DeploymentState.CONFIRMED: MessageForm("state.confirmed", "active"),
    DeploymentState.HALF_CONFIRMED: MessageForm("state.half-confirmed", "on one host only"),
    DeploymentState.REPLACED: MessageForm("state.replaced", "replaced"),
    DeploymentState.REMOVED: MessageForm("state.undone", "removed"),
    DeploymentState.FAILED: MessageForm("state.failed", "failed"),
}
"""As the window shows them; JSON has the states' values."""

VERDICTS = {
    Verdict.RECOMMENDED: MessageForm("verdict.recommended", "recommended"),
    Verdict.ACCEPTABLE: MessageForm("verdict.acceptable", "acceptable"),
    Verdict.LEGACY: MessageForm("verdict.legacy", "legacy"),
    Verdict.UNKNOWN: MessageForm("verdict.unknown", "unknown"),
    Verdict.INSECURE: MessageForm("verdict.insecure", "insecure"),
    Verdict.UNPROTECTED: MessageForm("verdict.unprotected", "unprotected"),
}
