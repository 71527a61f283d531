"""Details of one pair: deployment, status, drift, keys, history, audit log."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QTabWidget, QWidget

from app.deployment.contact import is_half_removed, only_host
from app.deployment.monitor_log import MonitorLog
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.verdicts import by_weight
from app.wording.findings import replacement_words
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title
from ui.common.basics import ScrollPage, button, column, holder, icon_label, label, name_tabs, row
from ui.common.deployment_states import moment
from ui.common.icons import set_icon
from ui.common.texts import tr
from ui.common.theme import GRID, Theme
from ui.common.tips import enable
from ui.deployments.deployments_table import DeploymentEntry, tunnel_word
from ui.deployments.diff_view import DiffView, parts_text
from ui.deployments.history_view import AuditView, EarlierView, KeysTable
from ui.deployments.status_view import NowView
from ui.deployments.texts import host_name


class DeploymentDetail(QWidget):
    """Buttons, sentences, tabs."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.refresh = button(tr("Refresh &now"), "search", variant="primary")
        self.watch = button(tr("&Monitor"), "eye", tip=tr("Checks every few seconds in the background"))
        self.watch.setCheckable(True)
        self.replace = button(tr("Re&place…"), "repeat", tip=tr("Another solution or suite with the same guarantees"))
        self.rotate = button(tr("R&otate keys…"), "key")
        self.remove = button(tr("Remo&ve…"), "undo")
        self.repair = button(tr("Repa&ir"), "repeat", tip=tr("Completes on both hosts what only one of them has"))
        self.confirm = button(tr("Con&firm"), "check", tip=tr("Both hosts wait for confirmation"))
        self._icon = icon_label("info", "accent")
        self.sentence = label("", is_selectable=True)
        self.tabs = QTabWidget()
        name_tabs(self.tabs, tr("Views of the pair"))
        self.now = NowView(theme)
        self.drift = DiffView(theme, tr("Drift"))
        self.keys = KeysTable()
        self.earlier = EarlierView(theme)
        self.audit = AuditView()
        self.tabs.addTab(self.now, tr("Now"))
        self._drift_at = self.tabs.addTab(holder(column(self.drift, margin_px=GRID)), tr("Drift"))
        self.tabs.addTab(holder(column(self.keys, margin_px=GRID)), tr("Keys"))
        self._earlier_at = self.tabs.addTab(self.earlier, tr("Deployments"))
        self.tabs.addTab(self.audit, tr("Audit log"))
        words = row(self._icon, (self.sentence, 1))
        actions = row(self.refresh, self.watch, self.repair, self.confirm, 0, self.replace, self.rotate, self.remove)
        self.setLayout(column(actions, words, (ScrollPage(self.tabs, max_width_px=None), 1)))

    def show_pair(
        self,
        one: DeploymentEntry,
        status: PairStatus | None,
        log: MonitorLog,
        *,
        is_watched: bool,
        is_repair_needed: bool = False,
    ) -> None:
        """Show a pair.

        Args:
            one: The pair with its deployments.
            status: Result of the last inspection; None where there is none.
            log: Events seen while monitored.
            is_watched: Whether it is monitored.
            is_repair_needed: Whether a repair was offered, or a repair or cleaning up did not succeed.
        """
        active = one.active
        for target in (self.replace, self.rotate, self.remove):
            enable(target, is_on=active is not None, reason=tr("No tunnel is deployed on this pair."))
        state = one.state(status)
        is_broken = state is DeploymentState.HALF_CONFIRMED or (status is not None and bool(status.unfinished))
        self.repair.setVisible(is_broken and is_repair_needed)
        self.confirm.setVisible(state is DeploymentState.APPLIED)
        is_watchable = active is not None or is_watched
        enable(self.watch, is_on=is_watchable, reason=tr("No tunnel is deployed on this pair."))
        self.watch.setChecked(is_watched)
        self.watch.setText(tr("Stop &monitoring") if is_watched else tr("&Monitor"))
        self.watch.setAccessibleName(self.watch.text().replace("&", ""))
        self._show_texts(one, status)
        self.now.show_status(status, (one.pair.a.label, one.pair.b.label))
        self.now.show_log(log, (active or one.deployments[0]).solution)
        self._show_drift(status)
        self.keys.show_status(status)
        self.earlier.show_deployments(one.deployments)
        number = len(one.deployments)
        self.tabs.setTabText(self._earlier_at, tr("Deployments (%1)", number))

    def show_past(self, deployment_id: str) -> None:
        """Bring one of the pair's past deployments to the front; one that is active, or none, changes nothing."""
        if self.earlier.choose(deployment_id):
            self.tabs.setCurrentIndex(self._earlier_at)

    def _show_texts(self, one: DeploymentEntry, status: PairStatus | None) -> None:
        texts = list(_sentences(one, status))
        self.sentence.setText(" ".join(texts))
        if status is None:
            set_icon(self._icon, "info", "accent")
        elif status.is_healthy or _has_nothing(status):
            set_icon(self._icon, "check", "good")
        else:
            set_icon(self._icon, "warning", "legacy")

    def _show_drift(self, status: PairStatus | None) -> None:
        ends = (status.a, status.b) if status is not None else ()
        parts = [
            (f"{host_name(end.side, end.label)}  {one.path}", f"{local_text(one.what)}\n{one.diff}".rstrip())
            for end in ends
            for one in end.drift
        ]
        name = tr("Drift")
        self.tabs.setTabText(self._drift_at, f"{name} ({len(parts)})" if parts else name)
        if parts:
            text = parts_text(parts)
        elif status is None:
            text = tr("Not checked yet: “Refresh now” compares the hosts with the deployment.")
        else:
            text = _no_drift(status)
        if text != self.drift.view.toPlainText():  # else the place that is being read would be lost
            self.drift.show_text(text)


def _sentences(one: DeploymentEntry, status: PairStatus | None) -> Iterator[str]:
    active = one.active
    if active is not None:
        since = moment(active.confirmed_at or active.state_at)
        yield tr("%1, deployed %2 by %3.", local_title(active.title), since, active.by)
        if is_half_removed(active):
            yield tr("It is being removed. The rest is removed at the next contact with both hosts.")
    if status is None:
        if active is None:
            yield tr("No tunnel is deployed on this pair. You can deploy an earlier one again.")
        else:
            yield tr("“Refresh now” shows the current status.")
        return
    yield _inspected_words(status).replace("%1", moment(status.at)).replace("%2", tunnel_word(status))
    yield from map(local_text, status.sentences)
    alone = only_host(status)
    if active is not None and alone is not None and alone.can_be_removed:
        yield tr("“Remove…” can remove it from %1 alone.", alone.reached.label)
    for finding in by_weight(status.findings):
        if not finding.verdict.is_deployable:
            instead = f" {tr('Instead')}: {replacement_words(finding.replacement)}." if finding.replacement else ""
            yield f"{local_name(finding.subject)}: {local_text(finding.reason)} ({local_text(finding.source)}){instead}"


def _no_drift(status: PairStatus) -> str:
    silent = [end.label for end in (status.a, status.b) if not end.is_reachable]
    if silent:
        return tr("Unknown, because the host is unreachable: %1.", ", ".join(silent))
    if status.damaged:
        missing = ", ".join(f"{end.label}: {end.missing}" for end in status.damaged)
        return tr("Missing, or not as it was installed: %1.", missing)
    if status.state is not DeploymentState.CONFIRMED:
        return tr("No drift.")
    return tr("No drift: both hosts match the deployment.")


def _inspected_words(status: PairStatus) -> str:
    is_whole = status.a.is_reachable and status.b.is_reachable
    if status.deployment is not None or status.state is not None:
        return tr("Checked %1: the tunnel is %2.") if is_whole else tr("Checked %1.")
    return (
        tr("Checked %1: no tunnel is deployed on this pair.")
        if is_whole
        else tr("Checked %1: it is unknown whether a tunnel is deployed on this pair.")
    )


def _has_nothing(status: PairStatus) -> bool:
    """Whether both hosts say that nothing is there."""
    is_whole = status.a.is_reachable and status.b.is_reachable
    return (
        status.deployment is None and status.state is None and is_whole and not status.unfinished and not status.damaged
    )
