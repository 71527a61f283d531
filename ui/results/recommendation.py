"""The sentence that says which candidate to take, and how much is to be minded."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from app.domain.profiles import Profile
from app.domain.ranking import Ranking, Recommendation
from app.ranking.outcome import Outcome
from ui.common.basics import button, column, icon_label, label, row, set_variant
from ui.common.folding import FoldingRow
from ui.common.icons import set_icon
from ui.common.outcome_texts import outcome_lines
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import set_tip
from ui.results.deciding import deciding_words

_LEAST_TEXT_EM = 16
"""The buttons are below the text where it has less width."""


class SentenceCard(QFrame):
    """First thing on the results page."""

    why_asked = Signal()
    deciding_asked = Signal(object)
    """Carries the Profile with which measuring again would decide."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "callout")
        self.setAccessibleName(tr("Recommendation"))
        self._icon = icon_label("shield-check", "good", 24)
        self.sentence = label("", "sentence", is_selectable=True)
        self.sentence.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.mind = label("")
        self._warning = icon_label("warning", "legacy")
        self.why = button(tr("&Details and warnings"), "info", on_click=self.why_asked.emit)
        self._profile: Profile | None = None
        self.decide = button(
            tr("Measure again"), "repeat", variant="primary", on_click=lambda: self.deciding_asked.emit(self._profile)
        )
        below = FoldingRow((self._warning, self.mind), (self.decide, self.why), _LEAST_TEXT_EM)
        text = column(self.sentence, below, spacing_px=GRID // 2)
        outer = row(margin_px=(2 * GRID, GRID, GRID, GRID), spacing_px=GRID + 4)
        self.setLayout(outer)
        outer.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(text, 1)

    def set_advised(self, *, is_advised: bool) -> None:
        """Advise to measure again, or leave that to a button elsewhere on the page."""
        set_variant(self.decide, "primary" if is_advised else "")
        set_icon(self.decide, "repeat", "on_accent" if is_advised else "text")

    def offer(self, profile: Profile | None) -> None:
        """Offer to measure again with a profile that would decide; None where there is none."""
        self._profile = profile
        self.decide.setVisible(profile is not None)
        if profile is not None:
            text, tip = deciding_words(profile)
            self.decide.setText(text)
            self.decide.setAccessibleName(text.replace("&", ""))
            set_tip(self.decide, tip)

    def set_low(self, *, is_low: bool) -> None:
        """Write the sentence in the size of other texts, where there is little height."""
        set_variant(self.sentence, "strong" if is_low else "sentence")

    def show_ranking(self, ranking: Ranking, *, is_lab: bool, outcome: Outcome) -> None:
        """Show a recommendation, or why there is none; causes of failures come first where there is none."""
        advice = ranking.recommendation
        has_choice = advice.solution is not None
        is_total = not has_choice and bool(outcome.failed) and not outcome.measured
        set_variant(self, "callout" if has_choice else "error" if is_total else "caution")
        if has_choice:
            icon, role = ("shield-check", "good") if advice.is_clear else ("compare", "text")
            self.sentence.setText(advice.sentence)
        else:
            icon, role = ("error", "bad") if is_total else ("warning", "legacy")
            failures = tr("%1.", outcome.headline) if outcome.headline else ""
            lines = (failures, *outcome_lines(outcome), advice.sentence)
            self.sentence.setText("\n".join(line for line in lines if line))
        set_icon(self._icon, icon, role, 24)
        # Where all failed, there are no figures that a caution could be about.
        caution = "" if is_total else _first_caution(advice, outcome, is_lab=is_lab)
        next_step = tr("Next: open a failed line of the ranking (Enter) for its log and possible fixes.")
        self.mind.setText(next_step if is_total else caution)
        self._warning.setVisible(bool(caution))
        self.setAccessibleDescription(self.sentence.text())


def _first_caution(advice: Recommendation, outcome: Outcome, *, is_lab: bool) -> str:
    cautions = advice.cautions
    if advice.solution is None and outcome.headline:  # the card names the failures already
        cautions = tuple(one for one in cautions if not one.startswith(outcome.headline))
    if is_lab and not any("lab" in caution for caution in cautions):
        cautions = (tr("Absolute figures of the practice lab, and even the order, may differ on real gateways."),)
    return f"{cautions[0].rstrip('.')}." if cautions else ""
