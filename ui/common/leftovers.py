"""Hosts that measuring may have left changed: reported on every page until they are restored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.wording.messages import local_sentence, local_text
from ui.common.texts import tr

if TYPE_CHECKING:
    from app.domain.cancel import CancelToken
    from app.domain.errors import TunnelmarkError
    from app.domain.hosts import PairSpec
    from app.domain.progress import ProgressSink
    from app.domain.results import CampaignRecord
    from app.services.interfaces.comparison import ComparisonServices
    from app.tunnel.recovery import RecoveryReport
    from ui.common.notices import Notice
    from ui.common.operations import OperationRunner


@dataclass(frozen=True, slots=True)
class Leftover:
    """A pair one host of which may not be fully restored.

    Attributes:
        pair: The pair.
        message: What was left, or why it could not be removed.
        campaign_id: Number of the comparison that left it; None for other work.
        is_busy: Whether both hosts are being restored now.
        is_of_nodes: Whether machines behind the gateways may have to be restored, which restored gateways do not show.
    """

    pair: PairSpec
    message: str
    campaign_id: int | None = None
    is_busy: bool = False
    is_of_nodes: bool = False


class Leftovers(QObject):
    """Pairs whose hosts have to be restored, by name; the oldest comes first.

    Args:
        runner: Restores them outside the window's thread.
        services: Returns the services, which are open by the time that a host has to be restored.
    """

    changed = Signal(str)
    """Carries the name of the pair that was added, restored or tried."""

    def __init__(self, runner: OperationRunner, services: Callable[[], ComparisonServices]) -> None:
        super().__init__()
        self._runner, self._services = runner, services
        self.found: dict[str, Leftover] = {}
        self._title = tr("A host may not be fully restored.")
        self._end = tr("Both hosts are restored."), ""

    def take(self, record: CampaignRecord, left: str = "") -> None:
        """Add the pair of a comparison that ended while a host may not be restored.

        Args:
            left: Why, from its end; the reason is from its attempts where that is empty.
        """
        from app.ranking.outcome import left_behind  # not when the first window opens: it imports numpy

        self.take_left(record.plan.pair, left or left_behind(record), campaign_id=record.campaign_id)

    def take_left(
        self, pair: PairSpec, left: str, *, campaign_id: int | None = None, is_of_nodes: bool = False
    ) -> None:
        """Add a pair of which a host may not be restored; nothing where no reason is given.

        Args:
            left: The reason, as a sentence.
            campaign_id: Number of the comparison that left it; None for other work.
            is_of_nodes: Whether machines behind its gateways were changed as well.
        """
        if not left:
            return
        former = self.found.get(pair.name)
        if former is not None and former.is_of_nodes and not is_of_nodes:
            pair, is_of_nodes = former.pair, True  # the pair may have other nodes now, or none
        self._set(Leftover(pair, left, campaign_id, is_of_nodes=is_of_nodes))

    def forget(self, pair_name: str) -> None:
        """Remove a pair from the list: its hosts are as they were before."""
        if self.found.pop(pair_name, None) is not None:
            self.changed.emit(pair_name)

    def take_recovery(self, pair: PairSpec, report: RecoveryReport) -> None:
        """Take what became of a pair: it leaves the list once its hosts, and nodes, are as they were before.

        Until then it is in the list, unless nothing more is known than that another Tunnelmark works on it. One whose
        nodes may have to be restored remains where others were asked.
        """
        former = self.found.get(pair.name)
        if former is not None and former.is_of_nodes and former.pair.nodes != pair.nodes:
            return  # other nodes than those that may have to be restored, or none, were asked
        if report.is_clean:
            self.forget(pair.name)
        elif former is not None or report.has_leftovers:
            message = " ".join(map(local_text, report.sentences()))
            are_nodes_left = any(not one.is_clean for one in report.nodes)
            campaign_id = former.campaign_id if former is not None else None
            self._set(Leftover(pair, message, campaign_id, is_of_nodes=are_nodes_left))

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
        services = self._services()

        def recover(token: CancelToken, _report: ProgressSink) -> RecoveryReport | None:
            report = services.recover(former.pair, token=token)
            return None if not report.is_clean and _has_ended(services, former.pair) else report

        def done(report: RecoveryReport | None) -> None:
            if report is None:
                self._end = tr("The practice lab has ended: nothing is left to restore."), ""
                self.forget(pair_name)
                return
            self._end = tr("Both hosts are restored."), " ".join(map(local_text, report.sentences()))
            self.take_recovery(former.pair, report)

        def failed(error: TunnelmarkError) -> None:
            self._set(replace(former, message=local_sentence(error)))

        self._runner.run(
            tr("Restoring both hosts"),
            recover,
            on_success=done,
            on_failure=failed,
            on_cancelled=lambda: self._set(former),
            is_awaited=True,
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
            notice.show_message("info", *self._end)

    def _set(self, found: Leftover) -> None:
        self.found[found.pair.name] = found
        self.changed.emit(found.pair.name)


def _has_ended(services: ComparisonServices, pair: PairSpec) -> bool:
    """Return whether a pair is of a practice lab that does not run any more."""
    ports = pair.a.port, pair.b.port
    return pair.is_lab and not any(
        one.pair.is_lab and (one.pair.a.port, one.pair.b.port) == ports for one in services.pairs()
    )
