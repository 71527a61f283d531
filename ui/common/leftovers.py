"""Hosts that a comparison may have left changed: reported on every page until both are restored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.domain.errors import CleanupFailed
from app.wording.messages import local_sentence, local_text
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.domain.errors import TunnelmarkError
    from app.domain.hosts import PairSpec
    from app.domain.results import CampaignRecord
    from app.tunnel.recovery import RecoveryReport
    from ui.common.context import PageContext
    from ui.common.notices import Notice


@dataclass(frozen=True, slots=True)
class Leftover:
    """A pair one host of which may not be fully restored.

    Attributes:
        pair: The pair.
        message: What was left, or why it could not be removed.
        campaign_id: Number of the comparison that left it.
        is_busy: Whether both hosts are being restored now.
        is_of_nodes: Whether both gateways are restored, so that machines behind them alone remain.
    """

    pair: PairSpec
    message: str
    campaign_id: int
    is_busy: bool = False
    is_of_nodes: bool = False


class Leftovers(QObject):
    """Pairs whose hosts have to be restored, by name; the oldest comes first."""

    changed = Signal(str)
    """Carries the name of the pair that was added, restored or tried."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.found: dict[str, Leftover] = {}
        self._title = tr("A host may not be fully restored.")
        self._report = ""

    def take(self, record: CampaignRecord) -> None:
        """Add the pair of a comparison whose last attempt could not be cleaned up."""
        message = left_behind(record)
        if message:
            self._set(Leftover(record.plan.pair, message, record.campaign_id))

    def forget(self, pair_name: str) -> None:
        """Remove a pair from the list: its hosts are as they were before."""
        if self.found.pop(pair_name, None) is not None:
            self.changed.emit(pair_name)

    def take_recovery(self, pair_name: str, report: RecoveryReport) -> None:
        """Take what became of a listed pair: it leaves the list once its hosts, and nodes, are as they were before."""
        former = self.found.get(pair_name)
        if report.is_clean:
            self.forget(pair_name)
        elif former is not None:
            message = " ".join(map(local_text, report.sentences()))
            self._set(replace(former, message=message, is_busy=False, is_of_nodes=report.are_gateways_clean))

    def forget_gateways(self, pair_name: str) -> None:
        """Remove a pair from the list, as its gateways are restored, unless a node of it remains to be restored."""
        former = self.found.get(pair_name)
        if former is not None and not former.is_of_nodes:
            self.forget(pair_name)

    def roll_back(self, pair_name: str) -> None:
        """Roll back both hosts of a pair; it leaves the list once both are clean."""
        former = self.found.get(pair_name)
        if former is None or former.is_busy:
            return
        self._set(replace(former, is_busy=True))
        services = self._context.services

        def done(report: RecoveryReport) -> None:
            self._report = " ".join(map(local_text, report.sentences()))
            self.take_recovery(pair_name, report)

        def failed(error: TunnelmarkError) -> None:
            self._set(replace(former, message=local_sentence(error)))

        self._context.runner.run(
            tr("Restoring both hosts"),
            lambda token, _report: services.recover(former.pair, token=token),
            on_success=done,
            on_failure=failed,
            on_cancelled=lambda: self._set(former),
        )

    def show_in(self, notice: Notice, pair_name: str) -> bool:
        """Show in a page's notice that a pair's hosts have to be restored; return whether they have to."""
        found = self.found.get(pair_name)
        if found is None:
            return False
        if found.is_busy:
            notice.show_message("error", self._title, tr("Restoring both hosts"))
        else:
            actions = {tr("Restore both hosts"): lambda: self.roll_back(pair_name)}
            notice.show_message("error", self._title, local_text(found.message), actions)
        return True

    def is_in(self, notice: Notice) -> bool:
        """Whether a page's notice shows it."""
        return notice.text.startswith(self._title)

    def follow(self, notice: Notice, pair_name: str) -> None:
        """Show in a notice that reports it what has become of it."""
        if self.is_in(notice) and not self.show_in(notice, pair_name):
            notice.show_message("info", tr("Both hosts are restored."), self._report)

    def _set(self, found: Leftover) -> None:
        self.found[found.pair.name] = found
        self.changed.emit(found.pair.name)


def left_behind(record: CampaignRecord) -> str:
    """Return what the last attempt left on a host; empty if nothing. Attempts before it were recovered from."""
    from app.domain.results import AttemptStatus

    ran = [attempt for attempt in record.attempts if attempt.status is not AttemptStatus.NOT_RUN]
    return local_text(ran[-1].message) if ran and ran[-1].reason == CleanupFailed.reason else ""
