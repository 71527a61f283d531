"""Unified diffs and commands to read: additions and deletions by sign and colour, with search and copying."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextCursor

from ui.common.code_view import CodeView
from ui.common.texts import tr
from ui.common.theme import Theme

HEADING = "▌"
"""Begins the line above a file or command."""

_FIRST_OF = {"+": "good", "-": "bad", "@": "muted"}


class DiffColours(QSyntaxHighlighter):
    """Colours a text's lines by their first sign; the sign remains, so that colour is not the only cue.

    Args:
        view: Shows the text.
    """

    def __init__(self, view: CodeView, theme: Theme) -> None:
        super().__init__(view.view.document())
        self._theme = theme
        theme.changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        form = QTextCharFormat()
        if text.startswith(HEADING):
            form.setFontWeight(QFont.Weight.Bold)
        elif text.startswith(("+++", "---")):
            form.setForeground(QColor(self._theme.colours.muted))
        elif text[:1] in _FIRST_OF:
            form.setForeground(QColor(getattr(self._theme.colours, _FIRST_OF[text[:1]])))
        else:
            return
        self.setFormat(0, len(text), form)


class DiffView(CodeView):
    """A text of several parts, each with a heading that can be gone to."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self.view.setAccessibleName(name)
        self.search.setAccessibleName(tr("Search in files and commands"))
        self.colours = DiffColours(self, theme)

    def show_parts_of(self, parts: Sequence[tuple[str, str]]) -> None:
        """Show parts, each of a heading and a text."""
        self.show_text(parts_text(parts))

    def go_to(self, nth: int) -> None:
        """Put a part's heading at the top of what is seen."""
        block = self.view.document().begin()
        seen = -1
        while block.isValid():
            seen += block.text().startswith(HEADING)
            if seen == nth:
                break
            block = block.next()
        else:
            return
        self.view.moveCursor(QTextCursor.MoveOperation.End)
        self.view.setTextCursor(QTextCursor(block))


def parts_text(parts: Sequence[tuple[str, str]]) -> str:
    """Return one text of parts, each of a heading and a text."""
    return "\n".join(f"{HEADING} {heading}\n{text.rstrip()}\n" for heading, text in parts)


def count_signs(diff: str) -> tuple[int, int]:
    """Return how many lines a unified diff adds and takes away."""
    lines = [line for line in diff.splitlines() if not line.startswith(("+++", "---"))]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)
