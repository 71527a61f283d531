"""Verdicts: an icon and a word, never a colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.domain.verdicts import Finding, Question, Verdict
from ui.common.icons import set_icon
from ui.common.texts import tr


@dataclass(frozen=True, slots=True)
class VerdictLook:
    """How a verdict is shown: icon, word, and the name of a colour in `Colours`."""

    icon: str
    word: str
    role: str


def verdict_look(verdict: Verdict) -> VerdictLook:
    """Return how a verdict is shown."""
    return {
        Verdict.RECOMMENDED: VerdictLook("shield-check", tr("Recommended"), "good"),
        Verdict.ACCEPTABLE: VerdictLook("shield", tr("Acceptable"), "fair"),
        Verdict.LEGACY: VerdictLook("shield-old", tr("Legacy"), "legacy"),
        Verdict.UNKNOWN: VerdictLook("warning", tr("Unknown"), "legacy"),
        Verdict.INSECURE: VerdictLook("shield-broken", tr("Insecure"), "bad"),
        Verdict.UNPROTECTED: VerdictLook("open", tr("Unprotected"), "muted"),
    }[verdict]


def question_look(question: Question, verdict: Verdict) -> VerdictLook:
    """Return how a finding is shown: by its verdict where it is about security, else by a word of its own."""
    if question is Question.MISSING:
        return VerdictLook("warning", tr("Missing"), "bad" if verdict is Verdict.INSECURE else "legacy")
    if question is Question.SLOW:
        return VerdictLook("clock", tr("Slow"), "legacy")
    if question is Question.GUIDELINE:
        return VerdictLook("info", tr("Outside a guideline"), "fair")
    return verdict_look(verdict)


class VerdictLabel(QWidget):
    """Icon and word side by side."""

    def __init__(self, verdict: Verdict | None = None) -> None:
        super().__init__()
        self._icon = QLabel()
        self._word = QLabel()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._icon)
        layout.addWidget(self._word)
        layout.addStretch(1)
        if verdict is not None:
            self.show_verdict(verdict)

    def show_verdict(self, verdict: Verdict) -> None:
        """Show another verdict."""
        self.show_look(verdict_look(verdict))

    def show_look(self, look: VerdictLook) -> None:
        """Show an icon and a word."""
        set_icon(self._icon, look.icon, look.role)
        self._word.setText(look.word)
        self.setAccessibleName(look.word)


class FindingLabel(VerdictLabel):
    """Icon and word of a finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__()
        self.show_look(question_look(finding.question, finding.verdict))
