"""Line with the user's note on a comparison, and the button that changes it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal

from app.domain.history import EntryId
from app.wording.messages import local_text
from ui.common.basics import ElidedLabel, button
from ui.common.context import PageContext
from ui.common.texts import plain_tip, tr
from ui.results.note_dialog import ask_note


class NoteLine(ElidedLabel):
    """Hidden while there is no note; `edit` belongs wherever there is room for it."""

    saved = Signal(object, str)
    """Carries the `EntryId` and its note."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._entry: EntryId | None = None
        self._note = ""
        self.edit = button(tr("No&te…"), "edit", variant="tab", on_click=self.ask)
        self.setVisible(False)

    def show_note(self, entry: EntryId, note: str) -> None:
        """Show the note on an entry."""
        self._entry, self._note = entry, note
        self.setText(tr("Note: %1", " ".join(note.split())))
        self.setToolTip(plain_tip(note))
        self.setVisible(bool(note))
        self.edit.setText(tr("Change no&te…") if note else tr("Add a no&te…"))

    def clear(self) -> None:
        """Show nothing."""
        self._entry = None
        self.setVisible(False)

    def ask(self) -> None:
        """Ask for the note."""
        entry = self._entry
        if entry is not None:
            title, saved = local_text(entry.title), partial(self.saved.emit, entry)
            ask_note(self._context, self.window(), entry, title, self._note, saved)
