"""Monitor of pairs: repeated status checks in the background, and reports of changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.deployment.monitor_log import MonitorLimits, MonitorLine, MonitorLog
from app.domain.deployment_status import PairStatus
from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from ui.common.context import PageContext
from ui.common.operations import Operation
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.services.interfaces.deployments import DeploymentServices

EVERY_MS = 5_000
"""Pause between two checks."""
_TICK_MS = 250


@dataclass
class _Watched:
    pair: PairSpec
    log: MonitorLog = field(default_factory=MonitorLog)
    is_on: bool = True
    asked: Operation | None = None
    since: QElapsedTimer | None = None


class Watcher(QObject):
    """Monitor of the deployed tunnels page.

    Attributes:
        every_ms: Pause between two checks of one pair.
        limits: Limits beyond which the user is alerted.
        is_being_changed: Whether a deployment is running on a pair, by its name: it is not checked meanwhile.
    """

    inspected = Signal(str, object)
    """Carries a pair's name, and its PairStatus; None where it is unreachable."""
    reported = Signal(str, object)
    """Carries a pair's name and a new MonitorLine."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.every_ms = EVERY_MS
        self.limits = MonitorLimits()
        self.is_being_changed: Callable[[str], bool] = lambda _name: False
        self._watched: dict[str, _Watched] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(min(_TICK_MS, EVERY_MS))
        self._timer.timeout.connect(self._on_tick)

    def is_watching(self, pair_name: str) -> bool:
        """Whether a pair is watched."""
        found = self._watched.get(pair_name)
        return found is not None and found.is_on

    def log(self, pair_name: str) -> MonitorLog:
        """Return what was seen of a pair."""
        found = self._watched.get(pair_name)
        return found.log if found is not None else MonitorLog()

    def watch(self, pair: PairSpec) -> None:
        """Start monitoring a pair, with a first check now."""
        known = self._watched.setdefault(pair.name, _Watched(pair))
        known.pair, known.is_on, known.since = pair, True, None
        self._timer.start()
        self._on_tick()

    def rest(self, pair_name: str) -> None:
        """Stop monitoring a pair; keep its log."""
        found = self._watched.get(pair_name)
        if found is None:
            return
        found.is_on = False
        if found.asked is not None:
            found.asked.abandon()
            found.asked = None
        if not any(one.is_on for one in self._watched.values()):
            self._timer.stop()

    def _on_tick(self) -> None:
        if self._context.bridge.is_closing:
            self._timer.stop()
            return
        for one in self._watched.values():
            is_due = one.since is None or one.since.hasExpired(self.every_ms)
            if one.is_on and one.asked is None and is_due and not self.is_being_changed(one.pair.name):
                self._ask(one)

    def _ask(self, one: _Watched) -> None:
        services = cast("DeploymentServices", self._context.services)
        pair = one.pair
        one.asked = self._context.runner.run(
            tr("Checking %1", pair.name),
            lambda token, _pass_on: services.status(pair, token=token),
            on_success=partial(self._take, one),
            on_failure=partial(self._fail, one),
            on_cancelled=partial(self._done, one),
            is_quiet=True,
        )

    def _take(self, one: _Watched, status: PairStatus) -> None:
        self._done(one)
        self._pass_on(one, one.log.take(status, self.limits), status)

    def _fail(self, one: _Watched, error: TunnelmarkError) -> None:
        self._done(one)
        self._pass_on(one, one.log.fail(datetime.now(UTC), error.message), None)

    def _pass_on(self, one: _Watched, new: tuple[MonitorLine, ...], status: PairStatus | None) -> None:
        self.inspected.emit(one.pair.name, status)
        for line in new:
            self.reported.emit(one.pair.name, line)

    def _done(self, one: _Watched) -> None:
        one.asked = None
        one.since = QElapsedTimer()
        one.since.start()
