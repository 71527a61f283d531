"""Own figures of a study beside the published ones, how the orders agree, and mean ranks."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.ranking.repeated_study import RepeatedStudy
from app.ranking.study_maps import order_title
from app.reports.mean_rank_table import MEAN_RANK_NOTE, mean_rank_table
from app.reports.repeated_study_view import (
    figure_rows,
    figure_title,
    left_out_sentence,
    order_sentence,
    other_order,
    published_places,
)
from ui.common.basics import ChoiceBox, column, holder, label, label_for, row, show_text
from ui.common.outcome_tables import OutcomeTables
from ui.common.texts import tr
from ui.common.whole_table import WholeTable

_VPN, _WAY, _OWN, _PUBLISHED, _OWN_RATIO, _PUBLISHED_RATIO, _OWN_PLACE, _PUBLISHED_PLACE = range(8)
_OWN_ALL = (_OWN, _OWN_RATIO, _OWN_PLACE)
_PUBLISHED_ALL = (_PUBLISHED, _PUBLISHED_RATIO, _PUBLISHED_PLACE)
_LEAST_BOX_PX = 200


class FiguresTable(WholeTable):
    """One line for each cell of a study's table."""

    def __init__(self) -> None:
        super().__init__(
            [
                tr("VPN in the study"),
                tr("Way"),
                tr("Own"),
                tr("Published"),
                tr("Own × bare link"),
                tr("Published × bare link"),
                tr("Own place"),
                tr("Published place"),
            ],
            {*_OWN_ALL, *_PUBLISHED_ALL},
            tr("Own and published figures"),
        )
        ratio = tr("How many times that of the bare link in the same direction.")
        place = tr("Among all lines, 1 the best.")
        self.set_tips(
            {_OWN_RATIO: ratio, _PUBLISHED_RATIO: ratio, _OWN_PLACE: place, _PUBLISHED_PLACE: place},
        )
        self.fit()

    def show_figure(self, repeated: RepeatedStudy, name: str) -> None:
        """Show one figure of all cells."""
        rows = figure_rows(repeated, name)
        self._unused = {
            *([_WAY] if not any(one.way for one in rows) else []),
            *(_OWN_ALL if not repeated.own else []),
            *(_PUBLISHED_ALL if all(one.published == rows[0].published == "–" for one in rows) else []),
        }
        self.show_rows(
            [
                (
                    *(one.label, one.way, one.own, one.published),
                    *(one.own_ratio, one.published_ratio, one.own_place, one.published_place),
                )
                for one in rows
            ]
        )


class StudyFigures(QWidget):
    """A choice of figures, and the table of the one that is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self._repeated: RepeatedStudy | None = None
        self.choice = ChoiceBox(tr("Figure of the study"))
        self.choice.setMinimumWidth(_LEAST_BOX_PX)
        self.choice.currentIndexChanged.connect(self._show_figure)
        self.table = FiguresTable()
        self.left_out = label("", "muted", is_selectable=True)
        choice = row(label_for(tr("&Figure"), self.choice), self.choice, 0)
        self.setLayout(column(choice, self.table, self.left_out))

    def show_study(self, repeated: RepeatedStudy) -> None:
        """Show a study; the chosen figure remains where the study has it."""
        former, self._repeated = self.choice.currentData(), repeated
        self.choice.offer(((figure_title(one), one.name) for one in repeated.study.figure), former)
        show_text(self.left_out, left_out_sentence(repeated))
        self._show_figure()

    def _show_figure(self) -> None:
        name = self.choice.currentData()
        if self._repeated is not None and name is not None:
            self.table.show_figure(self._repeated, name)


class StudyRanks(QWidget):
    """Own mean ranks of a study's systems, with the ranks of which each is made."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = OutcomeTables()
        self.setLayout(column(self.tables, label(tr(MEAN_RANK_NOTE), "muted", is_selectable=True)))

    def show_study(self, repeated: RepeatedStudy) -> bool:
        """Show a study; return whether it has mean ranks."""
        found = mean_rank_table(repeated)
        self.tables.show_tables(() if found is None else (found,))
        return found is not None


class StudyOrders(QWidget):
    """For each published order: how many pairs have it, the rank correlation, and the pairs in the other order."""

    def __init__(self) -> None:
        super().__init__()
        self._content = QWidget()
        self._body = column(self._content)
        self.setLayout(self._body)

    def show_study(self, repeated: RepeatedStudy) -> None:
        """Show a study's orders."""
        body = column()
        for one in repeated.orders:
            body.addWidget(label(order_title(repeated.study, one.order), "heading"))
            sentence = order_sentence(one) if repeated.own else tr("Not measured yet.")
            pairs = other_order(repeated.study, one.agreement)
            head = tr("In the other order, the published difference largest first:") if pairs else ""
            listed = "\n".join(f"• {pair}" for pair in pairs)
            for text in filter(None, (sentence, published_places(repeated.study, one.order), head, listed)):
                body.addWidget(label(text, is_selectable=True))
        content = holder(body)
        self._body.replaceWidget(self._content, content)
        self._content.hide()
        self._content.deleteLater()
        self._content = content
