"""A configuration file with its findings written under the lines they belong to."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from app.domain.linting import LintedFile, LintFinding
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint import is_advice
from app.wording.findings import replacement_words
from app.wording.messages import local_text
from ui.common.texts import tr
from ui.common.theme import Theme, fixed_font
from ui.common.verdicts import Appearance, question_appearance

_FEWEST_COLUMNS = 40
"""In a narrower view findings are scrolled sideways: they would be columns of single words."""

_SPARE_COLUMNS = 2
"""The sign before a finding may be of another font, and wider."""

_WORST_FIRST = ("bad", "legacy", "fair", "muted", "good")
"""Roles of colours."""


def finding_appearance(finding: LintFinding) -> Appearance:
    """Return icon, word and colour of a finding; what no guideline says, but a manual, is advice."""
    if is_advice(finding):
        return Appearance("info", tr("Advice"), "fair")
    if finding.question is FindingQuestion.INSECURE and finding.verdict is Verdict.UNPROTECTED:
        return Appearance("shield-broken", tr("Not encrypted"), "bad")
    return question_appearance(finding.question, finding.verdict)


def replacement_text(finding: LintFinding) -> str:
    """Return what to add, or what to write instead."""
    return f"{tr('Add') if finding.is_addition else tr('Use instead')}: {replacement_words(finding.replacement)}"


def worst_appearance(findings: Sequence[LintFinding]) -> Appearance:
    """Return the style of the worst of some findings."""
    return finding_appearance(min(findings, key=_badness))


def finding_names(findings: Sequence[LintFinding]) -> list[str]:
    """Return what tells findings apart: line, setting and algorithm, with the source where that is shared."""
    names = [_name(one) for one in findings]
    seen = Counter((name, finding_appearance(one).word) for name, one in zip(names, findings, strict=True))
    return [
        f"{name} ({local_text(one.source).partition(',')[0]})"
        if seen[name, finding_appearance(one).word] > 1 and one.source
        else name
        for name, one in zip(names, findings, strict=True)
    ]


def finding_groups(findings: Sequence[LintFinding]) -> list[tuple[str, list[int]]]:
    """Return findings of one algorithm at one place together: the name, and their numbers, the worst first."""
    groups: dict[str, list[int]] = {}
    for number, one in enumerate(findings):
        groups.setdefault(_name(one), []).append(number)
    return [(name, sorted(numbers, key=lambda nth: _badness(findings[nth]))) for name, numbers in groups.items()]


def _badness(finding: LintFinding) -> int:
    role = finding_appearance(finding).role
    return _WORST_FIRST.index(role) if role in _WORST_FIRST else len(_WORST_FIRST)


def _name(finding: LintFinding) -> str:
    """Return line and setting with the algorithm that a finding is about, else with the whole value."""
    setting = finding.setting.rpartition(".")[2]
    algorithm, colon, _ = finding.reason.partition(": ")
    is_part = bool(colon) and algorithm.casefold() in finding.value.casefold()
    place = f"{finding.line}: {setting}" if finding.line else setting
    return f"{place} {algorithm if is_part else finding.value}".strip()


class LintView(QPlainTextEdit):
    """Shows the lines, numbered, each with what was found in it underneath, wrapped to the width of the view.

    Attributes:
        file: The file that is shown; None for none.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._columns = 0
        self._wrapping = QTimer(self)
        self._wrapping.setSingleShot(True)
        self._wrapping.timeout.connect(self._wrap_again)
        self.file: LintedFile | None = None
        self._block_of: dict[int, int] = {}
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setAccessibleName(tr("File with findings"))
        theme.changed.connect(self._redraw)

    def show_file(self, file: LintedFile | None) -> None:
        """Show another file, or nothing."""
        self.file = file
        self._redraw()

    def show_line(self, number: int) -> None:
        """Scroll to a line, from 1, and put the cursor there; 0 is the beginning."""
        block = self.document().findBlockByNumber(self._block_of.get(number, 0))
        self.setTextCursor(QTextCursor(block))
        self.centerCursor()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the findings to another width, once the size no longer changes."""
        super().resizeEvent(event)
        if self._fitting_columns() != self._columns:
            self._wrapping.start(0)

    def _fitting_columns(self) -> int:
        width_px = self.viewport().width() - 2 * round(self.document().documentMargin())
        fitting = int(width_px / max(1.0, QFontMetricsF(self.font()).horizontalAdvance("0")))
        return max(_FEWEST_COLUMNS, fitting - _SPARE_COLUMNS)

    def _wrap_again(self) -> None:
        """Redraw with the line on show in its place."""
        if self._fitting_columns() == self._columns:
            return
        block = self.textCursor().blockNumber()
        line = max((number for number, at in self._block_of.items() if at <= block), default=0)
        self._redraw()
        self.show_line(line)

    def _redraw(self) -> None:
        self._columns = self._fitting_columns()
        self.clear()
        self._block_of = {}
        file = self.file
        if file is None:
            return
        by_line: dict[int, list[LintFinding]] = {}
        for finding in file.findings:
            by_line.setdefault(min(finding.line, len(file.lines)), []).append(finding)
        width = len(str(len(file.lines)))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for finding in by_line.get(0, []):
            self._add_finding(cursor, finding, " " * (width + 2))
        for number, text in enumerate(file.lines, start=1):
            found = by_line.get(number, [])
            self._block_of[number] = cursor.blockNumber()
            colour = getattr(self._theme.colours, finding_appearance(found[0]).role) if found else None
            self._add_line(cursor, f"{number:>{width}}  {text}", colour, is_highlighted=bool(found))
            for finding in found:
                self._add_finding(cursor, finding, " " * (width + 2))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _add_finding(self, cursor: QTextCursor, finding: LintFinding, indent: str) -> None:
        appearance = finding_appearance(finding)
        text = f"{indent}\u25b2 {appearance.word}: {local_text(finding.reason)}"
        if finding.replacement:
            text += f"  {replacement_text(finding)}"
        below = indent + "  "
        for line in textwrap.wrap(text, self._columns, subsequent_indent=below, drop_whitespace=True) or [text]:
            self._add_line(cursor, line, getattr(self._theme.colours, appearance.role), is_highlighted=True)

    def _add_line(self, cursor: QTextCursor, text: str, colour: str | None, *, is_highlighted: bool) -> None:
        letters, block = QTextCharFormat(), QTextBlockFormat()
        if colour is not None:
            letters.setForeground(QColor(colour))
        if is_highlighted:
            block.setBackground(QColor(self._theme.colours.raised))
        cursor.setBlockFormat(block)
        cursor.insertText(text, letters)
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
