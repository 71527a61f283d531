"""Tabs of the studies page: parts, times, heat maps, agreement."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.measurement.lab_study import LabPartState
from app.ranking.published_transfers import STUDY
from app.ranking.study_parts import PartState
from app.reports.study_view import STUDY_NOTES, StudyView, place_text
from ui.common.basics import ScrollPage, label, name_tabs
from ui.common.heat_maps import HeatMaps
from ui.common.texts import count, duration, tr
from ui.common.theme import GRID, Theme
from ui.studies.agreement_view import AgreementView
from ui.studies.parts_table import PartsTable
from ui.studies.times_table import TimesTable


class StudyTabs(QTabWidget):
    """Views of the chosen part on the chosen lab."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        name_tabs(self, tr("Views of the study"))
        self.parts, self.times = PartsTable(), TimesTable()
        self.maps, self.agreement = HeatMaps(theme), AgreementView()
        self.addTab(self._overview(), tr("Parts"))
        self.addTab(_padded(self.times), tr("Times"))
        self.addTab(self.maps, tr("Heat maps"))
        self.addTab(self.agreement, tr("Agreement"))

    def show_view(self, view: StudyView) -> None:
        """Show a part with its results."""
        self.times.show_view(view)
        self.maps.view.show_maps(view.comparisons, place_text(view.results.pair, view.results.nodes))
        self.agreement.show_view(view)

    def _overview(self) -> QWidget:
        content = QWidget()
        body = QVBoxLayout(content)
        body.setContentsMargins(GRID, GRID, GRID, GRID)
        body.setSpacing(GRID)
        body.addWidget(self.parts)
        hint = tr("Select a part: the other tabs show its own results beside the published ones.")
        for text in (hint, tr("Source: %1").replace("%1", STUDY), *map(tr, STUDY_NOTES)):
            body.addWidget(label(text, "muted", is_selectable=True))
        body.addStretch(1)
        return ScrollPage(content, None)


def _padded(widget: QWidget) -> QWidget:
    holder = QWidget()
    body = QVBoxLayout(holder)
    body.setContentsMargins(GRID, GRID, GRID, GRID)
    body.addWidget(widget)
    return holder


def state_text(part: PartState | None, place: str) -> str:
    """Return how much of a part is measured at a place, and how long the rest takes.

    Args:
        part: The part; None for none.
        place: Name of a lab's pair, and what its nodes are where they are no namespaces; empty for none.
    """
    if part is None:
        return ""
    done = tr("%1 of %2 transfers").replace("%1", count(part.measured)).replace("%2", count(len(part.cells)))
    return _state(part, done, place)


def lab_state_text(part: LabPartState | None, place: str) -> str:
    """Return the same of a part of a study of its own kind."""
    if part is None:
        return ""
    done = tr("%1 of %2 measurements").replace("%1", count(part.measured)).replace("%2", count(part.total))
    return _state(part, done, place)


def _state(part: PartState | LabPartState, done: str, place: str) -> str:
    left = tr("about %1 left").replace("%1", duration(part.left_s)) if part.left_s else tr("nothing left")
    what = f"{part.name}, {place}" if place else part.name
    return f"{what}: {done} · {left}"
