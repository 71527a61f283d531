"""Deployment on many pairs, a limited number in parallel; no further pair is begun after too many failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.deployment.messages import FLEET_OWN_FAULT, IS_IN_STATE
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.errors import Cancelled, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.messages.words import STATES


@dataclass(frozen=True, slots=True)
class FleetEntry:
    """One pair of a fleet, and the deployment that it gets.

    Attributes:
        pair: The hosts.
        solution: The VPN.
        suite: Name of its suite; empty for the safe default.
        options: What else was chosen.
    """

    pair: PairSpec
    solution: str
    suite: str = ""
    options: DeploymentOptions = field(default_factory=DeploymentOptions)

    @property
    def hosts(self) -> frozenset[tuple[str, int | None]]:
        """Addresses of its hosts: two pairs that share a host must not be changed at the same time."""
        return frozenset((self.pair.host(side).address, self.pair.host(side).port) for side in Side)


class FleetState(StrEnum):
    """State of one pair of a fleet."""

    WAITING = "waiting"
    RUNNING = "running"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_BEGUN = "not-begun"  # because too many others had failed, or the user cancelled


@dataclass(frozen=True, slots=True)
class FleetOutcome:
    """Outcome on one pair.

    Attributes:
        entry: What was wanted.
        state: How far it is.
        seconds: How long it took, in seconds.
        message: Why it failed, as a sentence.
        details: Further facts: the host, output of its programs.
        deployment: The deployment; None if nothing was deployed.
    """

    entry: FleetEntry
    state: FleetState
    seconds: float = 0.0
    message: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    deployment: Deployment | None = None


FleetWork = Callable[[FleetEntry, CancelToken], Deployment]
"""Deploys on one pair; raises if that fails, with both hosts as they were before."""
FleetSink = Callable[[FleetOutcome], None]
"""Gets each change; called in any thread, one at a time."""


@dataclass(slots=True)
class _Fleet:
    entries: Sequence[FleetEntry]
    work: FleetWork
    stop_after: int
    token: CancelToken
    report: FleetSink
    changed: threading.Condition = field(default_factory=threading.Condition)
    outcomes: dict[int, FleetOutcome] = field(default_factory=dict)
    busy: set[tuple[str, int | None]] = field(default_factory=set)

    def run_worker(self) -> None:
        """Take one entry after another, until there is none left to take."""
        while (index := self._take()) is not None:
            entry = self.entries[index]
            began_s = time.monotonic()
            outcome = self._worked(entry, began_s)
            with self.changed:
                self._note(index, outcome)
                self.busy -= entry.hosts
                self.changed.notify_all()

    def _take(self) -> int | None:
        with self.changed:
            while True:
                waiting = [index for index in range(len(self.entries)) if index not in self.outcomes]
                if not waiting or self._is_over():
                    return None
                free = next((index for index in waiting if not self.entries[index].hosts & self.busy), None)
                if free is not None:
                    self.busy |= self.entries[free].hosts
                    self._note(free, FleetOutcome(self.entries[free], FleetState.RUNNING))
                    return free
                self.changed.wait(0.2)  # checks the token from time to time

    def _is_over(self) -> bool:
        failures = sum(outcome.state is FleetState.FAILED for outcome in self.outcomes.values())
        return self.token.is_cancelled or failures >= self.stop_after

    def _worked(self, entry: FleetEntry, began_s: float) -> FleetOutcome:
        state, message, deployment = FleetState.CONFIRMED, "", None
        details: Mapping[str, str] = {}
        try:
            deployment = self.work(entry, self.token)
            if deployment.state is not DeploymentState.CONFIRMED:
                state, message = FleetState.FAILED, deployment.message or IS_IN_STATE(state=STATES[deployment.state]())
        except Cancelled:
            state = FleetState.CANCELLED
        except TunnelmarkError as error:
            state, message, details = FleetState.FAILED, error.sentence(), error.context
        except Exception as error:  # noqa: BLE001 - the edge of the job: one pair's fault must not stop the others
            state, message = FleetState.FAILED, FLEET_OWN_FAULT(error=repr(error))
        return FleetOutcome(entry, state, time.monotonic() - began_s, message, details, deployment)

    def _note(self, index: int, outcome: FleetOutcome) -> None:
        self.outcomes[index] = outcome
        self.report(outcome)


def run_fleet(
    entries: Sequence[FleetEntry],
    work: FleetWork,
    *,
    parallel: int,
    stop_after: int,
    token: CancelToken,
    report: FleetSink = lambda _outcome: None,
) -> tuple[FleetOutcome, ...]:
    """Deploy on every pair. Returns when nothing runs any more.

    Pairs that share a host are deployed in turn.

    Args:
        entries: The pairs, in the order in which they are begun.
        work: Deploys on one pair.
        parallel: On so many at the same time, at most.
        stop_after: No further pair is begun after so many have failed; those that run come to their end.
        token: Cancelling it rolls back what runs, and begins nothing more.
        report: Gets each change.

    Returns:
        What became of each, in the order of the entries.
    """
    fleet = _Fleet(entries, work, stop_after, token, report)
    threads = [
        threading.Thread(target=fleet.run_worker, name=f"fleet-{number}")
        for number in range(min(parallel, len(entries)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(
        fleet.outcomes.get(index, FleetOutcome(entry, FleetState.NOT_BEGUN)) for index, entry in enumerate(entries)
    )
