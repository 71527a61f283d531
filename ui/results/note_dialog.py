"""Dialog for the user's note on a comparison or census."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from app.domain.errors import InvalidOption
from app.domain.history import LONGEST_NOTE, EntryId, checked_note
from app.wording.messages import local_sentence
from ui.common.basics import label, set_fault, show_text
from ui.common.context import PageContext
from ui.common.dialogs import Question
from ui.common.texts import tr
from ui.common.tips import set_tip

_LINES = 5


class NoteDialog(Question):
    """A field with the note; faults are shown below it, and the typed text is kept.

    Args:
        name: Name of the noted item, for example `Comparison 7`.
    """

    def __init__(self, parent: QWidget | None, name: str, note: str) -> None:
        text = tr("It is shown in the history, in the results and in reports. At most %1 characters.")
        title = tr("Note on %1", name)
        super().__init__(parent, title, text.replace("%1", str(LONGEST_NOTE)), tr("&Save note"), tr("Cancel"), "edit")
        set_tip(self.yes, tr("Ctrl+Return"))
        self.field = QPlainTextEdit(note)
        self.field.setAccessibleName(title)
        self.field.setTabChangesFocus(True)
        self.field.setPlaceholderText(tr("For example: after the new firmware of gateway B"))
        self.field.setMinimumHeight((_LINES + 1) * self.field.fontMetrics().lineSpacing())
        self.field.textChanged.connect(lambda: self.show_fault(""))
        self.fault = label("", "bad")
        self.fault.setVisible(False)
        self.body.addWidget(self.field)
        self.body.addWidget(self.fault)
        QShortcut(QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_Return), self, self.accept)

    @property
    def note(self) -> str:
        """The typed text."""
        return self.field.toPlainText()

    def accept(self) -> None:
        """Close, unless the note cannot be stored."""
        try:
            checked_note(self.note)
        except InvalidOption as error:
            self.show_fault(local_sentence(error))
            return
        self.done(QDialog.DialogCode.Accepted)

    def show_fault(self, fault: str) -> None:
        """Show what is wrong with the note; nothing where the text is empty."""
        show_text(self.fault, fault)
        set_fault(self.field, is_wrong=bool(fault))


def ask_note(
    context: PageContext,
    window: QWidget,
    entry: EntryId,
    name: str,
    note: str,
    on_saved: Callable[[str], None],
    *,
    fault: str = "",
) -> None:
    """Ask for the note on an entry and store it; where it cannot be stored, ask again with what was typed.

    Args:
        window: Parent of the dialog.
        entry: The comparison or census.
        name: Its name for people.
        note: Note so far.
        on_saved: Gets the note once it is stored.
        fault: Why it was not stored.
    """
    services, dialog = context.services, NoteDialog(window, name, note)
    again = partial(ask_note, context, window, entry, name, on_saved=on_saved)

    def save() -> None:
        typed = checked_note(dialog.note)
        context.runner.run(
            tr("Storing the note"),
            lambda _token, _report: services.set_note(entry, typed),
            on_success=lambda _result: on_saved(typed),
            on_failure=lambda error: again(note=typed, fault=local_sentence(error)),
        )

    dialog.show_fault(fault)
    dialog.ask(save)
    dialog.field.setFocus()
