"""Removal of interrupted deployments during an inspection, as with `status --repair`.

There is no deployment to monitor: it is a small operation in the background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from app.deployment.contact import RepairAttempts
from app.domain.cancel import CancelToken
from app.domain.deployment_status import PairStatus
from app.domain.errors import TunnelmarkError
from app.domain.hosts import PairSpec
from app.domain.progress import ProgressSink
from app.wording.messages import local_sentence, local_text
from ui.common.context import PageContext
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.services.interfaces.deployments import DeploymentServices


class Cleaner(QObject):
    """Removes such files: once for each pair by itself, again only where the user asks."""

    inspected = Signal(str, object)
    """Carries a pair's name, and its PairStatus after the files were removed."""
    reported = Signal(str, str, str)
    """Carries kind, title and sentences of a notice."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._attempts = RepairAttempts()
        self._running: set[str] = set()

    def is_due(self, status: PairStatus) -> bool:
        """Whether there are such files, and nothing was tried about them yet."""
        return bool(status.unfinished) and self._attempts.is_due(status)

    def has_failed(self, status: PairStatus | None) -> bool:
        """Whether files are there still, though they were to be removed."""
        if status is None or not status.unfinished or status.pair in self._running:
            return False
        return self._attempts.was_tried(status.pair, None)

    def clean(self, pair: PairSpec, before: PairStatus) -> None:
        """Remove the files, and inspect again."""
        services, name = cast("DeploymentServices", self._context.services), pair.name

        def job(token: CancelToken, _report: ProgressSink) -> PairStatus:
            services.remove_unfinished(pair, token=token)
            return services.status(pair, token=token)

        self._attempts.note(name, None)
        self._running.add(name)
        self.reported.emit("info", tr("%1 is being cleaned up.", name), local_text(before.repair_text))
        self._context.runner.run(
            tr("Cleaning up %1", name),
            job,
            on_success=lambda after: self._take(before, after),
            on_failure=lambda error: self._fail(name, error),
            on_cancelled=lambda: self._running.discard(name),
        )

    def _take(self, before: PairStatus, after: PairStatus) -> None:
        name = before.pair
        self._running.discard(name)
        self.inspected.emit(name, after)
        if _is_clean(before, after):
            self._attempts.forget(name, None)  # what another loss of power leaves is another case
            self.reported.emit("info", tr("%1 is cleaned up.", name), local_text(before.repair_text))
        else:
            self.reported.emit(
                "caution",
                tr("%1 could not be cleaned up completely.", name),
                " ".join(map(local_text, after.sentences)),
            )

    def _fail(self, name: str, error: TunnelmarkError) -> None:
        self._running.discard(name)
        self.reported.emit("caution", tr("%1 could not be cleaned up.", name), local_sentence(error))


def _is_clean(before: PairStatus, after: PairStatus) -> bool:
    """Whether every host that had such files says that it has none any more."""
    ends = {end.side: end for end in (after.a, after.b)}
    return all(ends[end.side].is_reachable and not ends[end.side].is_unfinished for end in before.unfinished)
