"""Choice of the condition of the link that is emulated while candidates are measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.domain.condition_files import presets, read_condition
from app.domain.conditions import Condition
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import HostSpec, PairSpec
from app.measurement.options import RunOptions
from app.wording.conditions import condition_words, shaping_words
from app.wording.messages import local_sentence
from ui.common.accessible import announce
from ui.common.basics import ChoiceBox, column, label, name_box, show_text
from ui.common.file_dialogs import ask_open
from ui.common.texts import plain_tip, tr


class ConditionForm(QWidget):
    """The link as found, a preset, or a condition from a file; on own hosts with the user's consent."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice = ChoiceBox()
        name_box(self.choice, tr("Link condition"))
        self.figures = label("", "muted")
        self.fault = label("", "bad")
        self.fault.setVisible(False)
        self.way = label("")
        self.consent = QCheckBox(tr("Shape the link of these hosts"))
        self._conditions: list[Condition | None] = [None, *presets().values()]
        self._nth = 0
        self._pair: PairSpec | None = None
        for one in self._conditions:
            self._add(one)
        self.choice.addItem(tr("From file…"))
        self.choice.activated.connect(self._on_activated)
        self.consent.toggled.connect(self.edited)
        self.setLayout(column(self.choice, self.fault, self.figures, self.way, self.consent))
        self._show()

    # --- what is chosen -----------------------------------------------------------------------------------------------

    def condition(self) -> Condition | None:
        """Return the chosen condition; None for the link as found."""
        return self._conditions[self._nth]

    def options(self, base: RunOptions) -> RunOptions:
        """Return options with the chosen condition; consent counts where hosts of the user's own make it."""
        is_own = self.condition() is not None and self._pair is not None and not self._pair.is_lab
        return replace(base, condition=self.condition(), may_shape=is_own and self.consent.isChecked())

    def show_options(self, options: RunOptions) -> None:
        """Fill in what was chosen before."""
        self._take(options.condition)
        self._tick(is_on=options.may_shape)

    def show_pair(self, pair: PairSpec) -> None:
        """Show how the condition is made on a pair; consent for other hosts does not count there."""
        if self._pair is not None and _hosts(self._pair) != _hosts(pair):
            self._tick(is_on=False)
        self._pair = pair
        self._show()

    def choose(self, name: str) -> None:
        """Choose a preset as the user does."""
        self.choice.setCurrentText(name)
        self._on_activated(self.choice.currentIndex())

    def take_file(self, path: Path) -> None:
        """Choose the condition of a file; where it holds none, say so and keep the former choice."""
        try:
            condition = read_condition(path)
        except (InvalidFile, InvalidOption) as error:
            self._show_fault(local_sentence(error))
            return
        self._take(condition)
        self.edited.emit()

    # --- input --------------------------------------------------------------------------------------------------------

    def _on_activated(self, nth: int) -> None:
        if nth == len(self._conditions):
            self.choice.setCurrentIndex(self._nth)  # until a file has been read
            self._choose_file()
            return
        self._choose(nth)
        self.edited.emit()

    def _choose_file(self) -> None:
        filters = (tr("Conditions (*.toml)"), tr("All files (*)"))
        ask_open(self, tr("Choose a file with a condition of the link"), self.take_file, filters=filters)

    def _take(self, condition: Condition | None) -> None:
        """Choose a condition; one that is no preset gets a line of its own."""
        if condition not in self._conditions:
            self._add(condition, at=len(self._conditions))
            self._conditions.append(condition)
        self._choose(self._conditions.index(condition))

    def _choose(self, nth: int) -> None:
        self._nth = nth
        self.choice.setCurrentIndex(nth)
        self._show_fault("")
        self._show()

    def _tick(self, *, is_on: bool) -> None:
        with QSignalBlocker(self.consent):
            self.consent.setChecked(is_on)

    def _add(self, condition: Condition | None, at: int | None = None) -> None:
        nth = self.choice.count() if at is None else at
        self.choice.insertItem(nth, tr("As found") if condition is None else condition.name)
        if condition is not None:
            tip = "\n".join(filter(None, (_words(condition), tr(condition.source) if condition.source else "")))
            self.choice.setItemData(nth, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)

    # --- showing ------------------------------------------------------------------------------------------------------

    def _show_fault(self, text: str) -> None:
        show_text(self.fault, text)
        self.choice.setAccessibleDescription(text)
        announce(self.fault, text)

    def _show(self) -> None:
        condition, pair = self.condition(), self._pair
        is_own = pair is not None and not pair.is_lab
        self.figures.setText(tr("Nothing is emulated.") if condition is None else _words(condition))
        if pair is not None and pair.is_lab and condition is None:
            self.figures.setText(tr("As the practice lab's link is set."))
        self.way.setVisible(condition is not None and pair is not None)
        self.consent.setVisible(condition is not None and is_own)
        if pair is not None:
            self.way.setText(
                shaping_words(pair.name) if is_own else tr("The practice lab emulates it between its hosts.")
            )


def _words(condition: Condition) -> str:
    return f"{tr(condition.title)}: {condition_words(condition)}"


def _hosts(pair: PairSpec) -> tuple[HostSpec, HostSpec, str, str]:
    return pair.a, pair.b, pair.underlay_a, pair.underlay_b
