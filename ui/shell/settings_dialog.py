"""Settings: theme, language, guidelines, defaults, and where data is kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from app.domain.deployment import LONGEST_CONFIRM_S, SHORTEST_CONFIRM_S
from app.domain.preferences import Preferences
from app.domain.profiles import ProfileName
from app.wording.language import NAMES
from ui.common.basics import ChoiceBox, button, holder, label, label_for, row
from ui.common.context import PageContext
from ui.common.guidelines import GuidelinesLine
from ui.common.number_boxes import whole_box
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.shell.panel import Panel

_LEAST_WIDTH_PX = 720


class SettingsDialog(Panel):
    """Settings of the program; they take effect immediately, when the dialog is closed, or where it says so."""

    guidelines_picked = Signal()
    """Other guidelines apply now."""

    def __init__(self, parent: QWidget, context: PageContext, data_dir: Path) -> None:
        super().__init__(parent, tr("Settings"))
        self.setMinimumWidth(_LEAST_WIDTH_PX)
        self._context = context
        self._data_dir = data_dir
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(3 * GRID)
        self._rows.setVerticalSpacing(GRID // 2)
        self._rows.setColumnStretch(1, 1)
        self.body.addLayout(self._rows)
        self._add_theme()
        self._add_language()
        self._add_guidelines()
        self._add_defaults()
        self._add_folder()
        self.body.addStretch(1)
        self.theme.setFocus()

    def preferences(self) -> Preferences:
        """Return what is chosen."""
        return Preferences(
            ProfileName(self.profile.currentData()), float(self.confirm.value()), self.language.currentData()
        )

    def _add(self, name: QLabel, field: QWidget, note: str) -> None:
        nth = self._rows.rowCount()
        self._rows.addWidget(name, nth, 0)
        self._rows.addWidget(field, nth, 1)
        self._rows.addWidget(label(note, "muted"), nth + 1, 1)
        self._rows.setRowMinimumHeight(nth + 2, GRID)

    def _add_theme(self) -> None:
        entries = (tr("As the system"), "system"), (tr("Light"), "light"), (tr("Dark"), "dark")
        self.theme = ChoiceBox(tr("Theme"), entries, self._context.theme.choice)
        self.theme.currentIndexChanged.connect(lambda: self._context.theme.choose(self.theme.currentData()))
        self._add(label_for(tr("Theme"), self.theme), _left(self.theme), tr("Applies at once."))

    def _add_language(self) -> None:
        entries = [(tr("As the system"), ""), *((name, code) for code, name in NAMES.items())]
        self.language = ChoiceBox(tr("Language"), entries, self._context.preferences.language)
        note = tr("Applies to the window when Tunnelmark is started again.")
        self._add(label_for(tr("Language"), self.language), _left(self.language), note)

    def _add_guidelines(self) -> None:
        self.guidelines = GuidelinesLine(self._context)
        self.guidelines.failed.connect(self.notice.show_error)
        self.guidelines.picked.connect(self.guidelines_picked)
        self.guidelines.reload()
        name = label_for(tr("Guidelines"), self.guidelines.open)
        self._add(name, self.guidelines, tr("Candidates on Choice and checked files are judged by them."))

    def _add_defaults(self) -> None:
        kept = self._context.preferences
        profiles = (
            (tr("Adaptive: until the order is known"), ProfileName.ADAPTIVE.value),
            (tr("Quick: one round"), ProfileName.QUICK.value),
            (tr("Standard: three rounds, with intervals"), ProfileName.STANDARD.value),
            (tr("Paper: as the published study measured"), ProfileName.PAPER.value),
        )
        self.profile = ChoiceBox(tr("Default profile"), profiles, kept.profile.value)
        self._add(
            label_for(tr("Default profile"), self.profile),
            _left(self.profile),
            tr("Preselected on Plan, and used by tunnelmark compare without --profile."),
        )
        name, limits = tr("Time to confirm a deployment, in seconds"), (int(SHORTEST_CONFIRM_S), int(LONGEST_CONFIRM_S))
        self.confirm = whole_box(name, *limits, round(kept.confirm_within_s), suffix=" s", step=10)
        self._add(
            label_for(tr("Time to confirm"), self.confirm),
            _left(self.confirm),
            tr("Preselected on Deploy: both hosts roll back unless you confirm a deployment in this time."),
        )

    def _add_folder(self) -> None:
        folder = QLineEdit(str(self._data_dir))
        folder.setReadOnly(True)
        folder.setCursorPosition(0)
        folder.setAccessibleName(tr("Data folder"))
        self.open_folder = button(tr("Open folder"), "folder", on_click=self._open_folder)
        self.open_folder.setAutoDefault(False)
        self._add(
            label_for(tr("Data folder"), folder),
            holder(row(folder, self.open_folder)),
            tr("For another folder, set the environment variable TUNNELMARK_HOME and restart Tunnelmark."),
        )

    def _open_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._data_dir))):
            self.notice.show_message("caution", tr("No program opens %1.", self._data_dir))


def _left(field: QWidget) -> QWidget:
    """Return a field that is not stretched over the whole line."""
    return holder(row(field, 0))
