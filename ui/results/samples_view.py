"""Samples of one candidate over time: a frame size at a time, with outages and limits of controllers."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.ranking.controllers import CONTROLLER_FRAME_BYTES
from app.ranking.sample_history import SampleHistory, history_sizes, sample_history
from app.ranking.sample_words import history_note
from ui.common.basics import ChoiceBox, column, label, name_box
from ui.common.candidate_rows import Key
from ui.common.texts import count, tr
from ui.common.theme import GRID, Theme
from ui.plots.framed import framed
from ui.plots.limits import LimitsBox
from ui.plots.result_data import ResultData
from ui.plots.samples import SamplesPlot


class SamplesView(QWidget):
    """The plot is drawn once it is on show: a candidate has thousands of samples."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._data: ResultData | None = None
        self._key: Key | None = None
        self._is_drawn = True
        self.plot = SamplesPlot(theme)
        self.limits = LimitsBox(theme, self.plot)
        self.frame_size = ChoiceBox()
        name_box(self.frame_size, tr("Frame size of the samples"))
        self.frame_size.currentIndexChanged.connect(self._on_size)
        self.note = label("", "muted", is_selectable=True)
        self.note.setContentsMargins(GRID, 0, GRID, 0)
        self.setLayout(column(framed(self.plot, self.note, variant="plain", beside=(self.frame_size, self.limits))))

    @property
    def has_samples(self) -> bool:
        """Whether there is anything to show."""
        return self.frame_size.count() > 0

    def show_candidate(self, data: ResultData, key: Key) -> None:
        """Show a candidate; the chosen frame size remains where it has that."""
        self._data, self._key = data, key
        sizes = history_sizes(data.record.attempts_of(key))
        self.frame_size.offer(((f"{count(size)} {tr('bytes')}", size) for size in sizes), self.frame_size.currentData())
        self._on_size()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was not drawn yet."""
        super().showEvent(event)
        if not self._is_drawn:
            self._draw()

    def _on_size(self) -> None:
        self._is_drawn = False
        if self.isVisible():
            self._draw()

    def _draw(self) -> None:
        self._is_drawn = True
        size = self.frame_size.currentData()
        if self._data is None or self._key is None or size is None:
            self.plot.draw("", None)
            return
        record = self._data.record
        found = sample_history(record.attempts_of(self._key), size, record.started_at)
        self.plot.draw(self._key[0], found)
        self.limits.count_from(_least_ms(self._data, self._key, found))
        if found is not None:
            self.note.setText(history_note(found))


def _least_ms(data: ResultData, key: Key, history: SampleHistory | None) -> float | None:
    """Return the shortest round trip from which the limits of cyclic data count, in ms; None without a reply.

    Longer frames than controllers send count from their own shortest one.
    """
    if history is None or history.frame_bytes <= CONTROLLER_FRAME_BYTES:
        return data.least_ms(key)
    answered = history.rtt_ms[~np.isnan(history.rtt_ms)]
    return float(answered.min()) if answered.size else None
