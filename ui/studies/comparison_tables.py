"""Tables of a study that is measured again by a comparison: its parts, its candidates."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.solutions import BASELINE
from app.ranking.comparison_study import ComparisonStudy
from app.wording.titles import local_title
from ui.common.texts import count, duration, tr
from ui.common.whole_table import WholeTable


class ComparisonPartsTable(WholeTable):
    """One line per part."""

    def __init__(self) -> None:
        super().__init__(
            [tr("Part"), tr("Candidates"), tr("Rounds"), tr("Takes about")], {1, 2, 3}, tr("Parts of the study")
        )
        self.set_tips({3: tr("With all candidates; those that the hosts do not have are left out.")})
        self.fit()

    def show_study(self, study: ComparisonStudy) -> None:
        """Show the parts of a study, the first one selected."""
        number = len(study.candidate)
        self.show_rows(
            [
                (one.name, count(number), count(one.amounts.rounds), duration(one.predicted_s(number)))
                for one in study.part
            ]
        )
        self.setCurrentCell(0, 0)


class CandidatesTable(WholeTable):
    """One line per candidate of the study."""

    def __init__(self) -> None:
        super().__init__([tr("VPN in the study"), tr("Measured with"), tr("Suite")], (), tr("Candidates of the study"))
        self.fit()

    def show_study(self, study: ComparisonStudy, titles: Mapping[str, str]) -> None:
        """Show the candidates of a study.

        Args:
            titles: Of solutions, by name.
        """
        self.show_rows(
            [
                (one.label, tr("bare link"), "")
                if one.solution == BASELINE
                else (one.label, local_title(titles.get(one.solution, one.solution)), one.suite)
                for one in study.candidate
            ]
        )
