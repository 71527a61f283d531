"""State and time of a deployment as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.deployment import DeploymentState
from app.wording.local_forms import minute_text
from ui.common.texts import NONE, tr


@dataclass(frozen=True, slots=True)
class StateAppearance:
    """Appearance of a state: icon (empty for none), word, and the name of a colour in `Colours`."""

    icon: str
    word: str
    role: str


def state_appearance(state: DeploymentState | None) -> StateAppearance:
    """Return the appearance of a deployment's state; None is no deployment."""
    return {
        None: StateAppearance("open", tr("none"), "muted"),
        DeploymentState.PREPARED: StateAppearance("clock", tr("preparing"), "muted"),
        DeploymentState.APPLIED: StateAppearance("clock", tr("awaiting confirmation"), "legacy"),
        DeploymentState.CONFIRMED: StateAppearance("check", tr("active"), "good"),
        DeploymentState.HALF_CONFIRMED: StateAppearance("warning", tr("on one host only"), "bad"),
        DeploymentState.REPLACED: StateAppearance("repeat", tr("replaced"), "muted"),
        DeploymentState.REMOVED: StateAppearance("undo", tr("removed"), "muted"),
        DeploymentState.FAILED: StateAppearance("error", tr("failed"), "bad"),
    }[state]


def moment(at: datetime | None) -> str:
    """Return a date and time of the user's own clock."""
    return NONE if at is None else minute_text(at.astimezone())
