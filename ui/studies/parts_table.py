"""Parts of the studies, each with how much of it is measured and how long it takes."""

from __future__ import annotations

from collections.abc import Sequence

from app.ranking.study_parts import PART_TITLES, SATCOM, PartState
from app.wording.messages import local_text
from ui.common.texts import count, duration, tr
from ui.common.whole_table import WholeTable
from ui.studies.columns import fit_columns

_STUDY, _PART, _WHAT, _CELLS, _MEASURED, _ALL, _LEFT = range(7)
_LEAST_WHAT_EM = 16


class PartsTable(WholeTable):
    """One line per part."""

    def __init__(self) -> None:
        super().__init__(
            [
                tr("Study"),
                tr("Part"),
                tr("Links and congestion control"),
                tr("Transfers"),
                tr("Measured"),
                tr("Takes about"),
                tr("Left"),
            ],
            {_CELLS, _MEASURED, _ALL, _LEFT},
            tr("Parts of the studies"),
        )
        self.set_tips(
            {
                _MEASURED: tr("Transfers with a result on the chosen lab; the others are measured by the next run."),
                _ALL: tr("As long as in the study, and what is around each transfer. A loaded computer takes longer."),
            }
        )
        self.stretch(_WHAT, _LEAST_WHAT_EM)
        self.hide_where_narrow((_STUDY, _CELLS), 58)

    def show_states(self, states: Sequence[PartState]) -> None:
        """Show how much of each part is measured."""
        self.show_rows(
            [
                (
                    *(SATCOM, state.name, local_text(PART_TITLES[state.name]), count(len(state.cells))),
                    tr("%1 of %2").replace("%1", count(state.measured)).replace("%2", count(len(state.cells))),
                    duration(state.all_s),
                    duration(state.left_s) if state.left_s else tr("nothing"),
                )
                for state in states
            ]
        )

    def fit_height(self) -> None:
        """Be as high as all lines need."""
        fit_columns(self, (_STUDY, _PART, _CELLS, _MEASURED, _ALL, _LEFT))
        bar_px = self.horizontalScrollBar().sizeHint().height()  # where all columns have no room
        self.setFixedHeight(self.height_for_all_px() + bar_px)
