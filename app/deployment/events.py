"""What rolling out tells while it works, and where the user's confirmation comes from."""

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


class RolloutStage(StrEnum):
    """What a deployment is doing."""

    PREPARE = "prepare"
    ARM = "arm"
    IDENTITY = "identity"
    APPLY = "apply"
    VERIFY = "verify"
    CONFIRM = "confirm"
    ENABLE = "enable"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class RolloutStageStarted:
    """A deployment goes on to its next stage. `detail` says more, for example a host's name."""

    stage: RolloutStage
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RolloutApplied:
    """It stands on both hosts: frames cross, and new connections work; `report` has the packet captures."""

    deployment: Deployment
    report: CaptureReport | None = None

    @property
    def leak(self) -> LeakProof | None:
        """The leak test."""
        return self.report.leak if self.report is not None else None

    @property
    def unproven(self) -> tuple[str, ...]:
        """What was not proven on the wire, a sentence each."""
        return unproven_sentences(self.leak)


@dataclass(frozen=True, slots=True)
class RolloutCountdown:
    """Both hosts go back in so many seconds unless the user confirms; told about once a second."""

    left_s: float
    total_s: float


@dataclass(frozen=True, slots=True)
class RolloutNote:
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
    stage: RolloutStage | None = None


@dataclass(frozen=True, slots=True)
class RolloutEnded:
    """It ended, in whatever state."""

    deployment: Deployment


RolloutEvent = RolloutStageStarted | RolloutApplied | RolloutCountdown | RolloutNote | RolloutEnded
RolloutSink = Callable[[RolloutEvent], None]


EXTENSION_S = 300.0
"""How much more time the user gets at a time, in seconds."""


class Decision(StrEnum):
    """The user's answer while a deployment waits for confirmation."""

    KEEP = "keep"
    UNDO = "undo"
    EXTEND = "extend"  # decides nothing: both hosts wait `EXTENSION_S` longer


class Confirmation(Protocol):
    """Where the user's confirmation comes from."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        """Wait for the user's decision, not longer than that.

        Args:
            timeout_s: At most so many seconds; it is asked again after that.
            token: Cancelling it ends the wait.

        Returns:
            The decision; None if there is none yet.
        """
        ...
