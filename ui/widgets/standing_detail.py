"""Everything about one pair: what stands, how it is, what was changed by hand, its keys, its past, the audit log."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.domain.rollout import DeploymentState
from app.domain.rollout_status import PairStatus
from app.domain.rollout_watch import WatchLog
from ui.icons import set_icon
from ui.rollout_texts import host_name, moment
from ui.texts import tr
from ui.theme import GRID, Theme
from ui.widgets.basics import button, icon_label, label, row
from ui.widgets.diff_view import DiffView, parts_text
from ui.widgets.standing_now import NowView
from ui.widgets.standing_past import AuditView, EarlierView, KeysTable
from ui.widgets.standing_table import StandingPair, tunnel_word


class StandingDetail(QWidget):
    """Buttons, sentences, tabs.

    Args:
        theme: Colours.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.look = button(tr("Look &now"), "search", look="primary")
        self.watch = button(tr("&Watch"), "eye", tip=tr("Looks every few seconds, whatever page is on show"))
        self.watch.setCheckable(True)
        self.replace = button(tr("Re&place…"), "repeat", tip=tr("Another solution or suite with the same guarantees"))
        self.rotate = button(tr("R&otate keys…"), "key")
        self.undo = button(tr("&Undo…"), "undo")
        self.repair = button(tr("Repa&ir"), "repeat", tip=tr("Tries once more to make both hosts alike"))
        self.keep = button(tr("&Keep it"), "check", tip=tr("Both hosts wait for it to be confirmed"))
        self._icon = icon_label("info", "accent")
        self.sentence = label("", is_selectable=True)
        self.tabs = QTabWidget()
        self.tabs.tabBar().setAccessibleName(tr("Views of the pair"))
        self.now = NowView(theme)
        self.drift = DiffView(theme, tr("Changed by hand"))
        self.keys = KeysTable()
        self.earlier = EarlierView(theme)
        self.audit = AuditView()
        self.tabs.addTab(self.now, tr("Now"))
        self._drift_at = self.tabs.addTab(_padded(self.drift), tr("Changed by hand"))
        self.tabs.addTab(_padded(self.keys), tr("Keys"))
        self._earlier_at = self.tabs.addTab(self.earlier, tr("Deployments"))
        self.tabs.addTab(self.audit, tr("Audit log"))
        words = row(self._icon, self.sentence)
        words.setStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(row(self.look, self.watch, self.repair, self.keep, 0, self.replace, self.rotate, self.undo))
        layout.addLayout(words)
        layout.addWidget(self.tabs, 1)

    def show_pair(
        self,
        one: StandingPair,
        status: PairStatus | None,
        log: WatchLog,
        *,
        is_watched: bool,
        is_repair_needed: bool = False,
    ) -> None:
        """Show a pair.

        Args:
            one: The pair and what was rolled out on it.
            status: How it was when it was looked at; None where it was not.
            log: What was seen while it was watched.
            is_watched: Whether it is watched.
            is_repair_needed: Whether a repair was begun at a contact and did not succeed.
        """
        standing = one.standing
        for target in (self.replace, self.rotate, self.undo):
            target.setEnabled(standing is not None)
        state = one.state(status)
        self.repair.setVisible(state is DeploymentState.HALF_CONFIRMED and is_repair_needed)
        self.keep.setVisible(state is DeploymentState.APPLIED)
        self.watch.setEnabled(standing is not None or is_watched)
        self.watch.setChecked(is_watched)
        self.watch.setText(tr("Stop &watching") if is_watched else tr("&Watch"))
        self.watch.setAccessibleName(self.watch.text().replace("&", ""))
        self._say(one, status)
        self.now.show_status(status, (one.pair.a.label, one.pair.b.label))
        self.now.show_log(log, standing.solution if standing is not None else "")
        self._show_drift(status)
        self.keys.show_status(status)
        self.earlier.show_deployments(one.deployments)
        number = len(one.deployments)
        self.tabs.setTabText(self._earlier_at, tr("Deployments (%1)").replace("%1", str(number)))

    def _say(self, one: StandingPair, status: PairStatus | None) -> None:
        sentences = list(_sentences(one, status))
        self.sentence.setText(" ".join(sentences))
        if status is None:
            set_icon(self._icon, "info", "accent")
        elif status.deployment is None or status.is_healthy:
            set_icon(self._icon, "check", "good")
        else:
            set_icon(self._icon, "warning", "legacy")

    def _show_drift(self, status: PairStatus | None) -> None:
        ends = (status.a, status.b) if status is not None else ()
        parts = [
            (f"{host_name(end.side, end.label)}  {one.path}", f"{one.what}\n{one.diff}".rstrip())
            for end in ends
            for one in end.drift
        ]
        name = tr("Changed by hand")
        self.tabs.setTabText(self._drift_at, f"{name} ({len(parts)})" if parts else name)
        if parts:
            text = parts_text(parts)
        elif status is None:
            text = tr("Not looked at yet: “Look now” compares the hosts with what was rolled out.")
        else:
            text = tr("Nothing was changed by hand: both hosts have what was rolled out.")
        if text != self.drift.view.toPlainText():  # else the place that is being read would be lost
            self.drift.show_text(text)


def _sentences(one: StandingPair, status: PairStatus | None) -> Iterator[str]:
    standing = one.standing
    if standing is not None:
        words = tr("%1 stands since %2, rolled out by %3.").replace("%1", standing.title).replace("%3", standing.by)
        yield words.replace("%2", moment(standing.confirmed_at or standing.state_at))
    if status is None:
        if standing is None:
            yield tr("Nothing stands on this pair. An earlier deployment can be deployed again.")
        else:
            yield tr("“Look now” asks both hosts how it is.")
        return
    looked = tr("Looked at %1: the tunnel is %2.").replace("%1", moment(status.at))
    yield (
        looked.replace("%2", tunnel_word(status))
        if status.deployment is not None
        else tr("Looked at %1: nothing stands on this pair.").replace("%1", moment(status.at))
    )
    yield from status.sentences
    for finding in status.findings:
        if not finding.verdict.is_deployable:
            instead = f" {tr('Instead')}: {finding.replacement}." if finding.replacement else ""
            yield f"{finding.subject}: {finding.reason} ({finding.source}){instead}"


def _padded(inner: QWidget) -> QWidget:
    outer = QWidget()
    layout = QVBoxLayout(outer)
    layout.setContentsMargins(GRID, GRID, GRID, GRID)
    layout.addWidget(inner)
    return outer
