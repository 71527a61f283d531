"""Status of a pair: facts of both hosts, round-trip times while it is monitored, and outages."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QListWidgetItem,
    QWidget,
)

from app.deployment.lan.clamp import clamp_text
from app.deployment.monitor_log import MonitorLimits, MonitorLine, MonitorLog
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.ranking.controllers import outage_advice
from app.wording.controllers import outage_words
from app.wording.deployment_sentences import keepalive_sentence
from app.wording.messages import local_text
from ui.common.basics import column, holder
from ui.common.deployment_states import moment, state_appearance
from ui.common.number_boxes import decimal_box
from ui.common.splits import split
from ui.common.text_list import text_list
from ui.common.texts import NONE, count, duration, ms, pct, size, tr
from ui.common.theme import GRID, Theme
from ui.deployments.host_table import SidesTable, yes_no
from ui.plots.framed import framed
from ui.plots.rtt_history import RttHistoryPlot

_LEAST_PLOT_PX = 160
"""In less height the plot has no room for its title and its axis."""


class NowView(QWidget):
    """Facts on the left; plot, limits and log on the right."""

    limits_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.facts = SidesTable(tr("Now"))
        self.plot = RttHistoryPlot(theme)
        self.log = text_list(tr("Outages while monitored"), is_wrapping=True)
        self.log.setIconSize(QSize(16, 16))
        self._logged: tuple[MonitorLine, ...] | None = None
        theme.changed.connect(self._show_lines)
        self.rtt = _limit(tr("Limit of the round-trip time"), " ms", 20.0)
        self.loss = _limit(tr("Limit of the loss"), " %", 1.0)
        plot = framed(self.plot)
        plot.setMinimumHeight(_LEAST_PLOT_PX)
        right = holder(column((plot, 3), self._limits_row(), (self.log, 2)))
        self.setLayout(column(split(self.facts, right, sizes_px=(640, 400)), margin_px=GRID))

    def _limits_row(self) -> QHBoxLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(GRID // 2)
        for nth, (text, (check, spin)) in enumerate(
            ((tr("Alert if RTT exceeds"), self.rtt), (tr("Alert if loss exceeds"), self.loss))
        ):
            check.setText(text)
            grid.addWidget(check, nth, 0)
            grid.addWidget(spin, nth, 1)
            check.toggled.connect(lambda is_on, box=spin: box.setEnabled(is_on))
            check.toggled.connect(self.limits_changed)
            spin.valueChanged.connect(self.limits_changed)
        line = QHBoxLayout()
        line.addLayout(grid)
        line.addStretch(1)
        return line

    @property
    def limits(self) -> MonitorLimits:
        """Limits beyond which the user is alerted."""
        rtt, loss = self.rtt, self.loss
        return MonitorLimits(
            rtt[1].value() if rtt[0].isChecked() else None,
            loss[1].value() if loss[0].isChecked() else None,
        )

    def show_status(self, status: PairStatus | None, labels: tuple[str, str]) -> None:
        """Show the status of both hosts; None before the first check."""
        if status is None:
            self.facts.show_sides(*labels, [(tr("Checked"), tr("not yet"), tr("not yet"))])
            return
        self.facts.show_sides(status.a.label, status.b.label, _rows(status))

    def show_log(self, log: MonitorLog, solution: str) -> None:
        """Show what was seen while it was watched."""
        self.plot.draw(solution, list(log.samples))
        lines = tuple(reversed(log.lines))
        if lines != self._logged:  # else what is selected would be lost
            self._logged = lines
            self._show_lines()

    def _show_lines(self) -> None:
        self.log.clear()
        for line in self._logged or ():
            icon = self._theme.icon("warning", "bad") if line.is_bad else self._theme.icon("check", "good")
            self.log.addItem(QListWidgetItem(icon, f"{line.at.astimezone():%H:%M:%S}  {local_text(line.text)}"))
        if not self._logged:
            self.log.addItem(QListWidgetItem(tr("Start monitoring to log outages here.")))


def _limit(name: str, suffix: str, value: float) -> tuple[QCheckBox, QDoubleSpinBox]:
    check, most = QCheckBox(), 10_000.0 if suffix.strip() == "ms" else 100.0
    check.setAccessibleName(name)
    spin = decimal_box(f"{name}{suffix}", 0.0, most, value, suffix)
    spin.setEnabled(False)
    return check, spin


def _rows(status: PairStatus) -> list[tuple[str, str, str]]:
    a, b = status.a, status.b

    def both(name: str, a_text: str, b_text: str) -> tuple[str, str, str]:
        return name, a_text if a.is_reachable else NONE, b_text if b.is_reachable else NONE

    rows = [
        (tr("SSH"), _reached(a), _reached(b)),
        both(tr("State"), _state(a, status), _state(b, status)),
        both(tr("Tunnel"), _up(a), _up(b)),
        both(tr("RTT now"), ms(a.rtt_ms), ms(b.rtt_ms)),
        both(tr("Loss now"), pct(a.loss_pct), pct(b.loss_pct)),
        both(tr("Last handshake"), _ago(a.last_handshake_s), _ago(b.last_handshake_s)),
        both(tr("Received"), size(a.rx_bytes), size(b.rx_bytes)),
        both(tr("Sent"), size(a.tx_bytes), size(b.tx_bytes)),
        both(tr("Interface"), a.interface or NONE, b.interface or NONE),
        both(tr("Starts at boot"), _known(a, is_so=a.is_enabled), _known(b, is_so=b.is_enabled)),
        both(tr("Supervisor runs"), _known(a, is_so=a.is_watched), _known(b, is_so=b.is_watched)),
        both(tr("Restarts"), _times(a.restarts), _times(b.restarts)),
        both(tr("Time to connect (last start)"), _seconds(_started_s(a, status)), _seconds(_started_s(b, status))),
        both(tr("Time to connect (after boot)"), _seconds(a.boot_connect_s), _seconds(b.boot_connect_s)),
        both(tr("Outages recovered"), _losses(a), _losses(b)),
        both(tr("Controllers in an outage"), _controllers(a), _controllers(b)),
        both(tr("Joined LANs"), _lans(a), _lans(b)),
    ]
    one = status.deployment
    segments = _segments(a, one.a.clamped if one else ""), _segments(b, one.b.clamped if one else "")
    if any(segments):
        rows.append(both(tr("TCP segments"), segments[0] or NONE, segments[1] or NONE))
    if one is not None and (sentence := keepalive_sentence(one.options.keepalive)):
        rows.append(both(tr("Keepalive"), sentence, sentence))
    if a.note or b.note:
        rows.append((tr("Note"), local_text(a.note), local_text(b.note)))
    return rows


def _lans(end: EndpointStatus) -> str:
    if end.is_looped:
        return tr("parted: a loop")
    if end.limited_broadcasts is None:
        return NONE
    if end.limited_broadcasts:
        return tr("no loop; broadcasts over the limit: %1", count(end.limited_broadcasts))
    return tr("no loop")


def _segments(end: EndpointStatus, deployed: str) -> str:
    if end.is_unfitted:
        return tr("not fitted to the path: the firewall table is missing or was changed, or nft is missing")
    return local_text(clamp_text(end, deployed))


def _reached(end: EndpointStatus) -> str:
    return tr("answers") if end.is_reachable else tr("unreachable")


def _state(end: EndpointStatus, status: PairStatus) -> str:
    if end in status.unfinished:
        return tr("files of an interrupted deployment")
    if end in status.damaged:
        return tr("files missing or changed")
    if not end.deployment_id:
        return state_appearance(None).word
    if end.left_s is not None:
        return tr("rolls back in %1 unless confirmed", duration(end.left_s))
    if not end.is_confirmed:
        return state_appearance(DeploymentState.APPLIED).word
    is_other = status.deployment is not None and end.deployment_id != status.deployment.id
    return tr("another deployment") if is_other else state_appearance(DeploymentState.CONFIRMED).word


def _up(end: EndpointStatus) -> str:
    if end.is_waiting:
        return tr("not pinged before confirmation")
    if end.missing:
        return tr("unknown")
    return tr("up") if end.is_up else tr("down")


def _known(end: EndpointStatus, *, is_so: bool) -> str:
    """Return yes or no; nothing is read of a deployment whose files are not as they were installed."""
    return tr("unknown") if end.missing else yes_no(is_so)


def _ago(seconds: float | None) -> str:
    return NONE if seconds is None else tr("%1 ago", duration(seconds))


def _times(number: int) -> str:
    if number < 2:
        return tr("once") if number else tr("never")
    return tr("%1 times", number)


def _started_s(end: EndpointStatus, status: PairStatus) -> float | None:
    """Return the time to connect that the host measured; before its first start of its own, that of the deployment."""
    return status.connect_s if end.connect_s is None else end.connect_s


def _seconds(seconds: float | None) -> str:
    return NONE if seconds is None else duration(seconds)


def _controllers(end: EndpointStatus) -> str:
    longest_s = end.longest_outage_s
    return outage_words(longest_s, outage_advice(longest_s, end.rtt_ms or 0.0) if longest_s is not None else ())


def _losses(end: EndpointStatus) -> str:
    ended = [one for one in end.outages if one.lasted_s is not None]
    words = [tr("%1, the last after %2", _times(len(ended)), _seconds(end.reconnect_s))]
    if end.outages and end.outages[-1].lasted_s is None:
        words.append(tr("lost since %1", moment(end.outages[-1].began_at)))
    return "; ".join(words if ended else words[1:]) or tr("never")
