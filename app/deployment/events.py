"""Events of a deployment in progress, and the source of the user's confirmation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from app.domain.cancel import CancelToken
from app.domain.capture import CaptureReport, LeakProof
from app.domain.deployment import Deployment
from app.domain.hosts import Side
from app.wording.capture_sentences import unproven_sentences


class DeploymentStage(StrEnum):
    """Stage of a deployment in progress."""

    PREPARE = "prepare"
    ARM = "arm"
    IDENTITY = "identity"
    APPLY = "apply"
    VERIFY = "verify"
    CONFIRM = "confirm"
    ENABLE = "enable"
    ROLLBACK = "undo"


@dataclass(frozen=True, slots=True)
class DeploymentStageStarted:
    """A deployment goes on to its next stage. `detail` says more, for example a host's name."""

    stage: DeploymentStage
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DeploymentApplied:
    """The tunnel is up on both hosts: frames cross, and new connections work; `report` has the packet captures."""

    deployment: Deployment
    report: CaptureReport | None = None

    @property
    def leak(self) -> LeakProof | None:
        """The leak test."""
        return self.report.leak if self.report is not None else None

    @property
    def unproven(self) -> tuple[str, ...]:
        """Claims that the packet tests did not prove, a sentence each."""
        return unproven_sentences(self.leak)


@dataclass(frozen=True, slots=True)
class DeploymentCountdown:
    """Both hosts roll back in so many seconds unless the user confirms; emitted about once a second."""

    left_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class DeploymentNote:
    """A sentence for the user.

    Attributes:
        text: The sentence.
        is_warning: Whether it is more than information.
        sides: Hosts on which it casts doubt.
        stage: What it casts doubt on there; None for the stage that is being worked on.
    """

    text: str
    is_warning: bool = False
    sides: tuple[Side, ...] = ()
    stage: DeploymentStage | None = None


@dataclass(frozen=True, slots=True)
class DeploymentEnded:
    """It ended, in whatever state."""

    deployment: Deployment


DeploymentEvent = DeploymentStageStarted | DeploymentApplied | DeploymentCountdown | DeploymentNote | DeploymentEnded
DeploymentSink = Callable[[DeploymentEvent], None]


EXTENSION_S = 300.0
"""Time by which the user extends the wait at once, in seconds."""


class Decision(StrEnum):
    """The user's answer while a deployment waits for confirmation."""

    CONFIRM = "keep"
    ROLLBACK = "undo"
    EXTEND = "extend"  # decides nothing: both hosts wait `EXTENSION_S` longer


class Confirmation(Protocol):
    """Source of the user's confirmation."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        """Wait for the user's decision, not longer than that.

        Args:
            timeout_s: At most so many seconds; it is asked again after that.

        Returns:
            The decision; None if there is none yet.
        """
        ...
