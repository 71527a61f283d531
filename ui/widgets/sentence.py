"""The sentence that says which candidate to take, with what speaks for and against it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.domain.ranking import Ranking
from ui.icons import set_icon
from ui.texts import tr
from ui.theme import GRID
from ui.widgets.basics import icon_label, label, set_look


class SentenceCard(QFrame):
    """First thing on the results page."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "callout")
        self._icon = icon_label("shield-check", "good", 24)
        self.sentence = label("", "sentence", is_selectable=True)
        self.for_it = label("", is_selectable=True)
        self.against = label("", is_selectable=True)
        text = QVBoxLayout()
        text.setSpacing(GRID // 2)
        for widget in (self.sentence, self.for_it, self.against):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            text.addWidget(widget)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        outer.setSpacing(GRID + 4)
        outer.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(text, 1)

    def show_ranking(self, ranking: Ranking, *, is_lab: bool) -> None:
        """Show a recommendation, or why there is none."""
        advice = ranking.recommendation
        has_choice = advice.solution is not None
        set_look(self, "callout" if has_choice else "caution")
        set_icon(self._icon, "shield-check" if has_choice else "warning", "good" if has_choice else "legacy", 24)
        self.sentence.setText(advice.sentence)
        self.for_it.setText(_joined(tr("For it:"), advice.reasons))
        self.for_it.setVisible(bool(advice.reasons))
        cautions = advice.cautions
        if is_lab and not any("lab" in caution for caution in cautions):
            cautions = (
                *cautions,
                tr("Measured in the practice lab, whose absolute figures are those of a slow machine."),
            )
        self.against.setText(_joined(tr("Mind:"), cautions))
        self.against.setVisible(bool(cautions))
        self.setAccessibleName(tr("Recommendation"))
        self.setAccessibleDescription(advice.sentence)


def _joined(head: str, sentences: tuple[str, ...]) -> str:
    return f"{head} " + " ".join(sentence.rstrip(".") + "." for sentence in sentences)
