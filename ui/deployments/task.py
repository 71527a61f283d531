"""Work on a pair that the window shows live, and the user's answer that it waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from app.deployment.events import Confirmation, Decision, DeploymentSink, DeploymentStage
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment
from app.domain.hosts import PairSpec, Side


class WindowConfirmation:
    """Implements `Confirmation`: the window's thread answers, a worker waits.

    The first decision counts; more time may be asked for any number of times before it.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._decision: Decision | None = None

    def decide(self, decision: Decision) -> None:
        """Give the answer."""
        with self._changed:
            if self._decision in (None, Decision.EXTEND):
                self._decision = decision
            self._changed.notify_all()

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        """Wait for the answer, but not longer than the time limit or until cancelled."""
        unregister = token.on_cancel(self._wake)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._decision is not None or token.is_cancelled, timeout_s)
                decision = self._decision
                if decision is Decision.EXTEND:
                    self._decision = None
                return decision
        finally:
            unregister()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


@dataclass(frozen=True)
class DeploymentTask:
    """A task on a pair.

    Attributes:
        name: Shown in the status line.
        title: Solution and suite for people.
        pair: The pair.
        job: Does it; blocks.
        former: Title of the current deployment; empty for none.
        within_s: Time the user has to confirm, in seconds; None where Tunnelmark confirms.
        is_removal: Whether it is a removal, which cannot be stopped.
        is_confirming: Whether it only confirms, which cannot be stopped either.
        is_replacing: Whether it replaces the current deployment with another VPN.
        only: The host on which it runs, because the other one is unreachable; None for both.
    """

    name: str
    title: str
    pair: PairSpec
    job: Callable[[CancelToken, DeploymentSink, Confirmation], Deployment]
    former: str = ""
    within_s: float | None = None
    is_removal: bool = False
    is_confirming: bool = False
    is_replacing: bool = False
    only: Side | None = None

    @property
    def can_be_stopped(self) -> bool:
        """Whether both hosts roll back when it is cancelled."""
        return not self.is_removal and not self.is_confirming

    @property
    def stages(self) -> tuple[DeploymentStage, ...]:
        """The expected stages."""
        if self.is_removal:
            return (DeploymentStage.ROLLBACK,)
        if self.is_confirming:
            return (DeploymentStage.ENABLE,)
        unexpected = (
            {DeploymentStage.ROLLBACK}
            if self.within_s is not None
            else {DeploymentStage.ROLLBACK, DeploymentStage.CONFIRM}
        )
        return tuple(stage for stage in DeploymentStage if stage not in unexpected)
