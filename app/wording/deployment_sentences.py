"""Words and sentences on deployments that the terminal and the window both show."""

from __future__ import annotations

from app.domain.deployment import Deployment, DeploymentState

STATE_WORDS = {
    DeploymentState.PREPARED: "preparing",
    DeploymentState.APPLIED: "awaiting confirmation",
    DeploymentState.CONFIRMED: "active",
    DeploymentState.HALF_CONFIRMED: "on one host only",
    DeploymentState.REPLACED: "replaced",
    DeploymentState.UNDONE: "removed",
    DeploymentState.FAILED: "failed",
}
"""States as they are shown; JSON has their values."""


def state_word(state: DeploymentState, *, is_refused: bool = False) -> str:
    """Return the word for a state; of a deployment that was refused before anything was changed, `refused`."""
    return "refused" if is_refused else STATE_WORDS[state]


def replaced_sentence(replaced: Deployment) -> str:
    """Return that a deployment is about to be replaced, and when it would be active again."""
    since = (replaced.confirmed_at or replaced.state_at).astimezone()
    return (
        f"Replaces {replaced.title}, active since {since:%Y-%m-%d %H:%M}. "
        "If the new tunnel fails or is not confirmed, both hosts roll back to it."
    )


def unreachable_sentence(label: str) -> str:
    """Return that a host could not be asked about a deployment."""
    return f"{label} is unreachable."
