"""Verdicts: an icon and a word, never a colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QLabel, QWidget

from app.domain.verdicts import FindingQuestion, Verdict
from ui.common.basics import row
from ui.common.icons import set_icon
from ui.common.texts import tr


@dataclass(frozen=True, slots=True)
class Appearance:
    """Appearance of a verdict or state: icon (empty for none), word, and the name of a colour in `Colours`."""

    icon: str
    word: str
    role: str


def verdict_appearance(verdict: Verdict) -> Appearance:
    """Return how a verdict is shown."""
    return {
        Verdict.RECOMMENDED: Appearance("shield-check", tr("Recommended"), "good"),
        Verdict.ACCEPTABLE: Appearance("shield", tr("Acceptable"), "fair"),
        Verdict.LEGACY: Appearance("shield-old", tr("Legacy"), "legacy"),
        Verdict.UNKNOWN: Appearance("warning", tr("Unknown"), "legacy"),
        Verdict.INSECURE: Appearance("shield-broken", tr("Insecure"), "bad"),
        Verdict.UNPROTECTED: Appearance("open", tr("Unprotected"), "muted"),
    }[verdict]


def question_appearance(question: FindingQuestion, verdict: Verdict) -> Appearance:
    """Return how a finding is shown: by its verdict where it is about security, else by a word of its own."""
    if question is FindingQuestion.MISSING:
        return _missing_appearance(verdict)
    if question is FindingQuestion.SLOW:
        return Appearance("clock", tr("Slow"), "legacy")
    if question is FindingQuestion.GUIDELINE:
        return Appearance("info", tr("Outside a guideline"), "fair")
    return verdict_appearance(verdict)


def _missing_appearance(verdict: Verdict) -> Appearance:
    """Return how a missing protection is shown: the word says how bad that is, not only the colour."""
    word = {
        Verdict.LEGACY: tr("Missing (legacy)"),
        Verdict.INSECURE: tr("Missing (insecure)"),
        Verdict.UNPROTECTED: tr("Missing (unprotected)"),
    }.get(verdict, tr("Missing"))
    is_bad = verdict.severity >= Verdict.INSECURE.severity
    return Appearance("warning", word, "bad" if is_bad else "legacy")


class VerdictLabel(QWidget):
    """Icon and word side by side."""

    def __init__(self, appearance: Appearance | None = None) -> None:
        super().__init__()
        self._icon = QLabel()
        self._word = QLabel()
        self.setLayout(row(self._icon, self._word, 0, spacing_px=6))
        if appearance is not None:
            self.show_appearance(appearance)

    def show_appearance(self, appearance: Appearance) -> None:
        """Show an icon and a word."""
        set_icon(self._icon, appearance.icon, appearance.role)
        self._word.setText(appearance.word)
        self.setAccessibleName(appearance.word)
