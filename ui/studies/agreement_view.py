"""Agreement of own times with the study, and what they advise."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.ranking.transfer_goals import KNOWN_REASONS
from app.reports.heat_map_view import correlation_text
from app.reports.study_view import GOAL_WORDS, MOST_NAMED, StudyView, cell_name, link_lines, more_text
from app.wording.messages import local_text
from ui.common.basics import ScrollPage, label
from ui.common.texts import tr
from ui.common.theme import GRID


class AgreementView(ScrollPage):
    """Advice, goals, correlation, pairs in the other order, known reasons."""

    def __init__(self) -> None:
        content = QWidget()
        super().__init__(content)
        self._body = QVBoxLayout(content)
        self._body.setContentsMargins(GRID, GRID, GRID, GRID)
        self._body.setSpacing(GRID)
        self.advice = self._section(tr("Advice"))
        self.goals = self._section(tr("Agreement with the study"))
        self.against = self._section(tr("In the other order, the published difference largest first"))
        self.links = self._section(tr("Link as it was measured"))
        self.reasons = self._section(tr("Known reasons for differences"))
        self.reasons.setText(_listed([local_text(reason) for reason in KNOWN_REASONS]))
        self._body.addStretch(1)

    def _section(self, title: str) -> QLabel:
        self._body.addWidget(label(title, "heading"))
        text = label("", is_selectable=True)
        self._body.addWidget(text)
        return text

    def show_view(self, view: StudyView) -> None:
        """Show what follows from own times."""
        self.advice.setText(_listed([local_text(one) for one in view.advice]) or tr("Too few cells have an own time."))
        goals = [f"{tr(GOAL_WORDS[goal.is_met])}: {local_text(goal.text)}" for goal in view.goals]
        self.goals.setText(_listed([correlation_text(view.agreement), *goals]))
        self.links.setText(_listed(link_lines(view.results, view.cells)) or tr("Not measured yet."))
        pairs = [
            tr("%1 and %2").replace("%1", cell_name(one)).replace("%2", cell_name(other))
            for one, other in view.agreement.against[:MOST_NAMED]
        ]
        pairs += filter(None, [more_text(view.agreement.against)])
        none = tr("None of %1 pairs").replace("%1", str(view.agreement.pairs))
        few = tr("Too few cells have an own time.")
        self.against.setText(_listed(pairs) or (none if view.agreement.pairs else few))


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"• {line}" for line in lines)
