"""Words and sentences on deployments that the terminal and the window both show."""

from __future__ import annotations

from app.domain.deployment import Deployment, DeploymentState
from app.domain.keepalive import Keepalive
from app.wording.language import mark, tr
from app.wording.local_forms import minute_text
from app.wording.titles import local_title

STATE_WORDS = {
    DeploymentState.PREPARED: mark("preparing"),
    DeploymentState.APPLIED: mark("awaiting confirmation"),
    DeploymentState.CONFIRMED: mark("active"),
    DeploymentState.HALF_CONFIRMED: mark("on one host only"),
    DeploymentState.REPLACED: mark("replaced"),
    DeploymentState.REMOVED: mark("removed"),
    DeploymentState.FAILED: mark("failed"),
}
"""States as they are shown; JSON has their values."""


def state_word(state: DeploymentState, *, is_refused: bool = False, is_rolled_back: bool = False) -> str:
    """Return the word for a state.

    Args:
        is_refused: Whether the deployment was refused before anything was changed.
        is_rolled_back: Whether it ended without confirmation.
    """
    if is_rolled_back:
        return tr("rolled back")
    return tr("refused") if is_refused else tr(STATE_WORDS[state])


def keepalive_sentence(keepalive: Keepalive) -> str:
    """Return what a keepalive costs in time; empty for the default."""
    sentence = tr(
        "Metered: while idle, the tunnel is probed about once a minute. A lost peer is noticed within about 1 minute, "
        "and the tunnel is started again within about 2."
    )
    return keepalive.pick(wired="", metered=sentence)


def replaced_sentence(replaced: Deployment) -> str:
    """Return that a deployment is about to be replaced, and when it would be active again."""
    since = (replaced.confirmed_at or replaced.state_at).astimezone()
    return tr(
        "Replaces {title}, active since {since}. If the new tunnel fails or is not "
        "confirmed, both hosts roll back to it."
    ).format(title=local_title(replaced.title), since=minute_text(since))
