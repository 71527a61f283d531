"""State and time of a deployment as they are shown."""

from __future__ import annotations

from datetime import datetime

from app.domain.deployment import DeploymentState
from app.wording.local_forms import minute_text
from ui.common.texts import NONE, tr
from ui.common.verdicts import Appearance


def state_appearance(state: DeploymentState | None) -> Appearance:
    """Return the appearance of a deployment's state; None is no deployment."""
    return {
        None: Appearance("open", tr("none"), "muted"),
        DeploymentState.PREPARED: Appearance("clock", tr("preparing"), "muted"),
        DeploymentState.APPLIED: Appearance("clock", tr("awaiting confirmation"), "legacy"),
        DeploymentState.CONFIRMED: Appearance("check", tr("active"), "good"),
        DeploymentState.HALF_CONFIRMED: Appearance("warning", tr("on one host only"), "bad"),
        DeploymentState.REPLACED: Appearance("repeat", tr("replaced"), "muted"),
        DeploymentState.REMOVED: Appearance("undo", tr("removed"), "muted"),
        DeploymentState.FAILED: Appearance("error", tr("failed"), "bad"),
    }[state]


def moment(at: datetime | None) -> str:
    """Return a date and time of the user's own clock."""
    return NONE if at is None else minute_text(at.astimezone())
