"""Two comparisons side by side: what became faster or slower, what else changed, and the pair's history."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from app.domain.cancel import CancelToken
from app.domain.progress import ProgressSink
from app.domain.results import CampaignRecord
from app.ranking.compared_settings import ComparedSetting
from app.ranking.comparing import Change, ComparisonDiff
from app.ranking.over_time import PastComparison
from app.wording.local_forms import decimal, minute_text
from app.wording.messages import local_text
from ui.common.basics import button, column, holder, label, name_tabs, row
from ui.common.context import PageContext
from ui.common.data_table import DataTable
from ui.common.page import BusyLine, Page
from ui.common.swatch import swatch_icon
from ui.common.text_list import text_list
from ui.common.texts import NONE, ms, plain_tip, tr
from ui.common.theme import GRID
from ui.plots.framed import framed
from ui.plots.hover import interval_text
from ui.plots.intervals import IntervalPlot
from ui.plots.overlay import OverlayPlot
from ui.plots.shown import Shown
from ui.plots.trend import TrendPlot, comparison_name
from ui.results.changes_data import ChangesData, read_changes

_CANDIDATE, _BEFORE, _AFTER, _RATIO, _INTERVAL, _BEYOND, _THROUGHPUT, _STATE = range(8)
_WHAT, _OLD, _NEW = range(3)
_LEAST_LIST_EM = 5


class ChangesPage(Page):
    """Differences of two comparisons: the same figures as `tunnelmark diff`."""

    opened = Signal(int)
    """Carries the number of a comparison whose results are wanted."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context, tr("Two comparisons"))
        theme = context.theme
        self.data: ChangesData | None = None
        self._wanted: tuple[int, int] | None = None
        self.busy = BusyLine()
        self.what = label("", "muted")
        self.sentence = label("", "sentence", is_selectable=True)
        self.earlier = button(tr("Open the &earlier one"), "arrow-right", on_click=lambda: self._open(0))
        self.later = button(tr("Open the &later one"), "arrow-right", on_click=lambda: self._open(1))
        self.note = label("", "muted")
        self.shown = Shown()
        self.table = _candidates_table()
        self.ratios = IntervalPlot(
            theme, tr("Latency, later over earlier, with 95 % intervals"), tr("later over earlier"), self.shown
        )
        self.curves = OverlayPlot(theme, self.shown)
        self.trend = TrendPlot(theme, self.shown)
        self.settings = _settings_table()
        self.past = text_list(tr("What changed between the comparisons of the pair"), is_wrapping=True)
        self.tabs = QTabWidget()
        name_tabs(self.tabs, tr("Views of the two comparisons"))
        self.tabs.addTab(holder(column((self.table, 1), self.note)), tr("Candidates"))
        self.tabs.addTab(framed(self.ratios, variant="plain"), tr("Ratios"))
        self.tabs.addTab(framed(self.curves, variant="plain"), tr("Curves"))
        self.tabs.addTab(self._trend_tab(), tr("Over time"))
        self._settings_at = self.tabs.addTab(self.settings, tr("What else changed"))
        self._lay_out()

    def _lay_out(self) -> None:
        self.body.removeWidget(self.title)
        self.body.setSpacing(GRID)
        self.body.insertLayout(0, row(self.title, 0, self.earlier, self.later))
        self.body.insertWidget(1, self.what)
        self.body.addWidget(self.busy)
        self.body.addWidget(self.sentence)
        self.body.addWidget(self.tabs, 1)
        self._show_parts(is_there=False)

    def _trend_tab(self) -> QWidget:
        self.past.setMinimumHeight(_LEAST_LIST_EM * self.past.fontMetrics().height())
        return holder(column((framed(self.trend, variant="plain"), 3), (self.past, 1)))

    def first_focus(self) -> QWidget | None:
        """The tabs."""
        return self.tabs.tabBar() if self.data is not None else None

    def want(self, first: int, second: int) -> None:
        """Compare these two comparisons when the page is shown."""
        self._wanted = first, second

    def enter(self) -> None:
        """Read the two comparisons."""
        wanted, services = self._wanted, self.context.services
        if wanted is None:
            return
        self.notice.clear()

        def read(token: CancelToken, report: ProgressSink) -> ChangesData:
            return read_changes(services, wanted, token, report)

        self.start(tr("Comparing two comparisons"), read, self._show, busy=self.busy)

    def _show(self, data: ChangesData) -> None:
        is_other = self.data is None or _numbers(self.data.diff) != _numbers(data.diff)
        self.data, diff = data, data.diff
        if is_other:
            self.shown.show_all()
            for plot in (self.ratios, self.curves, self.trend):
                plot.zoom.reset()
        self.what.setText(_what(diff))
        self.sentence.setText(diff.summary)
        self.note.setText(diff.note)
        if not diff.is_same_pair:
            self.notice.show_message(
                "caution", tr("These are comparisons of different pairs."), tr("What differs may be the hosts.")
            )
        elif not diff.is_same_condition:
            self.notice.show_message(
                "caution", tr("The link was under different conditions."), tr("What differs may be the link.")
            )
        self._fill_candidates(diff.changes)
        _fill_settings(self.settings, diff.settings)
        number = str(len(diff.settings))
        self.tabs.setTabText(self._settings_at, tr("What else changed (%1)", number))
        ratios = {(one.solution, one.suite): one.latency for one in diff.changes if one.latency is not None}
        rounds = {
            (one.solution, one.suite): (one.before.rounds, one.after.rounds)
            for one in diff.changes
            if one.before is not None and one.after is not None
        }
        self.ratios.draw(data.names, ratios, rounds)
        self.curves.draw(data.names, data.curves, (_name(diff.before), _name(diff.after)))
        self.trend.draw(data.names, data.past)
        self._fill_past(data)
        self._show_parts(is_there=True)
        self.keep_focus()

    def _show_parts(self, *, is_there: bool) -> None:
        for widget in (self.sentence, self.tabs, self.earlier, self.later):
            widget.setVisible(is_there)
        self.note.setVisible(bool(self.note.text()))

    def _open(self, nth: int) -> None:
        if self.data is not None:
            self.opened.emit(_numbers(self.data.diff)[nth])

    def _fill_candidates(self, changes: Sequence[Change]) -> None:
        self.table.setRowCount(len(changes))
        for nth, one in enumerate(changes):
            self.table.show_row(nth, _cells(one))
            names = self.data.names if self.data is not None else {}
            name, position = names.get((one.solution, one.suite), (one.title, 0))
            candidate = self.table.cell(nth, _CANDIDATE)
            candidate.setText(name)  # as in the plots: without suites there is room for what tells them apart
            candidate.setToolTip(plain_tip(one.title))
            candidate.setIcon(swatch_icon(one.solution, position))

    def _fill_past(self, data: ChangesData) -> None:
        self.past.clear()
        for past in reversed(data.past):
            changes = "; ".join(
                f"{local_text(one.what)}: {local_text(one.before)} → {local_text(one.after)}" for one in past.changed
            )
            self.past.addItem(f"{comparison_name(past)}: {changes or _unchanged(past, data)}")
        if data.under_others:
            self.past.addItem(tr("%1 under other conditions of the link are not shown.", data.under_others))
        if data.left_out:
            self.past.addItem(tr("%1 older comparisons are not shown.", data.left_out))


def _unchanged(past: PastComparison, data: ChangesData) -> str:
    """Return why nothing that changed is named beside a comparison."""
    if past is not data.past[0]:
        return tr("nothing changed")
    return tr("the oldest one that is shown") if data.left_out else tr("first of the pair")


def _candidates_table() -> DataTable:
    headers = (
        tr("Candidate"),
        tr("Earlier"),
        tr("Later"),
        tr("Later / earlier"),
        tr("95 % interval"),
        tr("Beyond the link"),
        tr("Throughput"),
        tr("State"),
    )
    table = DataTable(headers, range(_BEFORE, _STATE), tr("Changes of the candidates"))
    table.set_tips(
        {
            _BEFORE: tr("Weighted latency in the earlier comparison"),
            _AFTER: tr("Weighted latency in the later comparison"),
            _RATIO: tr("Later over earlier latency, of medians"),
            _BEYOND: tr("The same with the change of the bare link taken off"),
            _THROUGHPUT: tr("Later over earlier throughput, mean of both directions"),
        }
    )
    table.size_by_contents(_CANDIDATE)
    table.hide_where_narrow((_BEYOND, _THROUGHPUT), 75)
    return table


def _settings_table() -> DataTable:
    headers = (tr("What"), tr("Earlier"), tr("Later"))
    table = DataTable(headers, (), tr("Versions, hosts and conditions that changed"))
    table.size_by_contents(_OLD, _NEW)
    return table


def _fill_settings(table: DataTable, settings: Sequence[ComparedSetting]) -> None:
    table.setRowCount(max(1, len(settings)))
    if not settings:
        table.cell(0, _WHAT).setText(tr("Hosts, versions and profile are the same."))
        for place in (_OLD, _NEW):
            table.cell(0, place).setText("")
    for nth, one in enumerate(settings):
        table.show_row(nth, map(local_text, (one.what, one.before, one.after)))


def _cells(one: Change) -> tuple[str, ...]:
    interval = NONE
    if one.latency is not None and one.latency.interval is not None:
        interval = interval_text(*(decimal(bound, 2) for bound in one.latency.interval))
    ratios = (one.beyond_link, one.throughput)
    return (
        one.title,
        ms(one.before.mean if one.before is not None else None),
        ms(one.after.mean if one.after is not None else None),
        _times(one.latency.value if one.latency is not None else None),
        interval,
        *map(_times, ratios),
        one.state,
    )


def _times(value: float | None) -> str:
    return NONE if value is None else decimal(value, 2)


def _numbers(diff: ComparisonDiff) -> tuple[int, int]:
    return diff.before.campaign_id, diff.after.campaign_id


def _name(record: CampaignRecord) -> str:
    return tr("%1, comparison %2", minute_text(record.started_at.astimezone()), record.campaign_id)


def _what(diff: ComparisonDiff) -> str:
    before, after = diff.before.plan.pair.name, diff.after.plan.pair.name
    if diff.is_same_pair:
        return f"{after}: {_name(diff.before)} → {_name(diff.after)}"
    return f"{before}: {_name(diff.before)} → {after}: {_name(diff.after)}"
