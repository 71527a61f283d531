"""Past comparisons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from ui.context import Context
from ui.pages.base import BusyLine, Page
from ui.pages.results import ResultsPage
from ui.texts import tr
from ui.widgets.basics import button, row
from ui.widgets.data_table import LineDelegate

_ID = Qt.ItemDataRole.UserRole


class HistoryPage(Page):
    """A list; opening one shows its results."""

    opened = Signal(int)
    """Carries the number of a comparison."""
    lab_chosen = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__(
            context,
            tr("History"),
            tr("Every comparison that was measured on this computer, newest first. Open one to see or resume it."),
        )
        self.busy = BusyLine()
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Filter by date, pair or state"))
        self.search.setAccessibleName(tr("Filter"))
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(360)
        self.search.textChanged.connect(self._filter)
        self.open = button(tr("&Open"), "arrow-right", look="primary", on_click=self._open)
        self.open.setEnabled(False)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Past comparisons"))
        self.list.setItemDelegate(LineDelegate(self.list))
        self.list.itemActivated.connect(self._open)
        self.list.currentRowChanged.connect(lambda nth: self.open.setEnabled(nth >= 0))
        self.body.addWidget(self.busy)
        self.body.addLayout(row(self.search, 0, self.open))
        self.body.addWidget(self.list, 1)

    def enter(self) -> None:
        """Read the list again."""
        services = self.context.services
        self.start(tr("Reading past comparisons"), lambda _token, _tell: services.history(), self._fill)

    def first_focus(self) -> QWidget | None:
        """The list."""
        return self.list

    def _fill(self, entries: tuple[tuple[int, str], ...]) -> None:
        self.list.clear()
        for campaign_id, text in entries:
            item = QListWidgetItem(text)
            item.setData(_ID, campaign_id)
            self.list.addItem(item)
        self.search.setVisible(bool(entries))
        self.list.setVisible(bool(entries))
        self.open.setVisible(bool(entries))
        if entries:
            self.notice.clear()
            self.list.setCurrentRow(0)
            self._filter()
        else:
            self.notice.say(
                "info",
                tr("Nothing has been measured yet."),
                tr("The practice lab shows within a few minutes what a comparison looks like."),
                {tr("Start the practice lab"): self.lab_chosen.emit},
            )
        number = tr("1 comparison") if len(entries) == 1 else tr("%1 comparisons").replace("%1", str(len(entries)))
        self.status_told.emit(number)

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        for nth in range(self.list.count()):
            item = self.list.item(nth)
            text = item.text().casefold()
            item.setHidden(not all(word in text for word in words))

    def _open(self) -> None:
        item = self.list.item(self.list.currentRow())
        if self.list.currentRow() >= 0 and not item.isHidden():
            self.opened.emit(int(item.data(_ID)))


class PastResultsPage(ResultsPage):
    """Results that were opened from the history: they do not belong to the wizard."""

    def enter(self) -> None:
        """Nothing: the window says which comparison is shown."""
