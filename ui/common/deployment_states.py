"""State and time of a deployment as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.deployment import DeploymentState
from ui.common.texts import NONE, tr


@dataclass(frozen=True, slots=True)
class StateAppearance:
    """How a state is shown: icon (empty for none), word, and the name of a colour in `Colours`."""

    icon: str
    word: str
    role: str


def state_appearance(state: DeploymentState | None) -> StateAppearance:
    """Return how a deployment's state is shown; None stands for nothing."""
    return {
        None: StateAppearance("open", tr("nothing"), "muted"),
        DeploymentState.PREPARED: StateAppearance("clock", tr("being made"), "muted"),
        DeploymentState.APPLIED: StateAppearance("clock", tr("waits for confirmation"), "legacy"),
        DeploymentState.CONFIRMED: StateAppearance("check", tr("stays"), "good"),
        DeploymentState.HALF_CONFIRMED: StateAppearance("warning", tr("on one host only"), "bad"),
        DeploymentState.REPLACED: StateAppearance("repeat", tr("replaced"), "muted"),
        DeploymentState.UNDONE: StateAppearance("undo", tr("undone"), "muted"),
        DeploymentState.FAILED: StateAppearance("error", tr("failed"), "bad"),
    }[state]


def moment(at: datetime | None) -> str:
    """Return a date and time of the user's own clock."""
    return NONE if at is None else f"{at.astimezone():%Y-%m-%d %H:%M}"
