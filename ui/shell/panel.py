"""Dialogs that remain open during their operation, and questions whose answer is checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from app.domain.errors import InvalidOption
from app.domain.pair_names import check_pair_name
from app.wording.messages import local_text
from ui.common.basics import column, label, label_for, set_fault, show_text
from ui.common.dialogs import Question
from ui.common.notices import Notice
from ui.common.texts import pair_name_rule, tr
from ui.common.theme import GRID
from ui.common.tips import set_tip


class Panel(QDialog):
    """A dialog with a title, a notice, content and a button that closes it.

    Args:
        title: What it is about.
        intro: One sentence under it; empty for none.
    """

    def __init__(self, parent: QWidget | None, title: str, intro: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setModal(True)
        outer = column(margin_px=(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID), spacing_px=2 * GRID)
        self.setLayout(outer)
        outer.addWidget(label(title, "heading"))
        if intro:
            outer.addWidget(label(intro, "muted"))
        self.notice = Notice()
        outer.addWidget(self.notice)
        self.body = QVBoxLayout()
        self.body.setSpacing(2 * GRID)
        outer.addLayout(self.body, 1)
        self.buttons = QDialogButtonBox()
        self.close_button = self.buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.rejected.connect(self.reject)
        self.close_button.setAutoDefault(False)
        outer.addWidget(self.buttons)

    def showEvent(self, event: QShowEvent) -> None:
        """Be as large as the texts need."""
        super().showEvent(event)
        fit_to_texts(self, self.size())


class Information(Panel):
    """A title and lines of a name and a text each, which can be copied.

    Args:
        title: What it is about.
        lines: Texts by name.
    """

    def __init__(self, parent: QWidget | None, title: str, lines: Mapping[str, str]) -> None:
        super().__init__(parent, title)
        self.lines = dict(lines)
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        for nth, (name, text) in enumerate(lines.items()):
            grid.addWidget(label(name, "strong", is_wrapping=False), nth, 0)
            grid.addWidget(label(text, is_wrapping=False, is_selectable=True), nth, 1)
        self.body.addLayout(grid)
        self.buttons.addButton(tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole).clicked.connect(self._copy)
        self.close_button.setDefault(True)
        self.close_button.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(f"{name}: {text}" for name, text in self.lines.items()))


def fit_to_texts(dialog: QDialog, wanted: QSize) -> None:
    """Make a dialog at least as large as its wrapped texts need: Qt does not ask them for their height.

    Args:
        wanted: The size that it is to have where the texts need less.
    """
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        width = max(wanted.width(), layout.totalMinimumSize().width())
        dialog.resize(width, max(wanted.height(), layout.totalHeightForWidth(width)))


class CheckedQuestion(Question):
    """A question that remains open, with the field highlighted, until the answer is right."""

    def __init__(self, parent: QWidget | None, title: str, text: str, yes: str, icon: str = "info") -> None:
        super().__init__(parent, title, text, yes, tr("Cancel"), icon)
        self.fault = label("", "bad")
        self.fault.setVisible(False)
        self._fields: list[QLineEdit] = []

    def add_field(self, name: str, text: str = "", tip: str = "") -> QLineEdit:
        """Add a named field whose fault goes when it is edited."""
        field = QLineEdit(text)
        field.setAccessibleName(name)
        set_tip(field, tip)
        field.textEdited.connect(lambda: self.show_fault(None, ""))
        self._fields.append(field)
        return field

    def check(self) -> tuple[QLineEdit | None, str] | None:
        """Return the field that is wrong and why; None where the answer is right."""
        return None

    def accept(self) -> None:
        """Close if the answer is right; else say what is wrong."""
        wrong = self.check()
        if wrong is None:
            super().accept()
        else:
            self.show_fault(*wrong)

    def show_fault(self, field: QLineEdit | None, text: str) -> None:
        """Mark a field and say why; an empty text unmarks all."""
        for one in self._fields:
            set_fault(one, is_wrong=bool(text) and one is field)
        show_text(self.fault, text)
        self._fit()
        if text and field is not None:
            field.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Be as high as the wrapped texts need."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.isVisible():
            fit_to_texts(self, QSize(self.width(), 0))


def name_fault(name: str, taken: Collection[str]) -> str:
    """Return why a name cannot be given to a pair; empty where it can."""
    try:
        check_pair_name(name)
    except InvalidOption as error:
        return local_text(error.message)  # the rule is beside the field
    return tr("%1 is the name of a pair. Choose another name.", name) if name in taken else ""


class NameDialog(CheckedQuestion):
    """Asks for the name of a pair, by the same rule as the command line.

    Args:
        parent: The dialog or window.
        title: The question.
        yes: Word on the button.
        name: What the field says first.
        taken: Names that other pairs have.
    """

    def __init__(
        self, parent: QWidget | None, title: str, text: str, yes: str, *, name: str, taken: Collection[str]
    ) -> None:
        super().__init__(parent, title, text, yes, "edit")
        self._taken = taken
        self.field = self.add_field(tr("Name of the pair"), name, pair_name_rule())
        self.body.addWidget(label_for(tr("Name"), self.field))
        self.body.addWidget(self.field)
        self.body.addWidget(label(pair_name_rule(), "muted"))
        self.body.addWidget(self.fault)

    def check(self) -> tuple[QLineEdit | None, str] | None:
        """Refuse names that are not allowed or taken."""
        fault = name_fault(self.field.text().strip(), self._taken)
        return (self.field, fault) if fault else None

    def ask_name(self, then: Callable[[str], None]) -> None:
        """Show it; call `then` with a name that is allowed."""
        self.ask(lambda: then(self.field.text().strip()))
        self.yes.setDefault(True)
        self.field.selectAll()
        self.field.setFocus()
