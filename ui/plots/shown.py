"""The choice of candidates that plots show: one for all plots of a page, and the menu that changes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.wording.colours import series_style
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve
from ui.common.swatch import swatch_icon
from ui.common.texts import count, ms, tr
from ui.common.theme import Theme
from ui.plots.base import EndLabel, ScopePlot
from ui.plots.hover import interval_text
from ui.plots.pens import log_ceiling, log_floor, nice_top

_NAME_PX = 156
"""Room for the names of candidates at the ends of their curves."""
_TOGGLE_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Shown(QObject):
    """Candidates that are shown, and those that a user has hidden."""

    changed = Signal()
    """Another candidate is hidden, or is shown again."""
    renamed = Signal()
    """There are other candidates."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[Key, tuple[str, int]] = {}
        self._hidden: set[Key] = set()

    def set_candidates(self, names: Mapping[Key, tuple[str, int]]) -> None:
        """Take the candidates of a comparison; those that it shares with the former one remain hidden.

        Args:
            names: Label and position among its solution's suites, by candidate.
        """
        if dict(names) != self.names:
            self.names = dict(names)
            self._hidden &= set(names)
            self.renamed.emit()

    def is_shown(self, key: Key) -> bool:
        """Return whether a candidate is to be drawn."""
        return key not in self._hidden

    @property
    def number(self) -> int:
        """Number of candidates that are shown."""
        return len(self.names) - len(self._hidden)

    def show(self, key: Key, *, is_shown: bool) -> None:
        """Show or hide a candidate."""
        self._set(self._hidden - {key} if is_shown else self._hidden | {key})

    def show_all(self) -> None:
        """Show every candidate."""
        self._set(set())

    def hide_all(self) -> None:
        """Hide every candidate: the quickest way to two of many."""
        self._set(set(self.names))

    def _set(self, hidden: set[Key]) -> None:
        if hidden != self._hidden:
            self._hidden = hidden
            self.changed.emit()


class CandidatePlot(ScopePlot):
    """A plot with one curve, point or bar per candidate, any of which can be hidden.

    Args:
        theme: Colours.
        shown: Candidates to show; None for a choice of its own.
        words: Further arguments of `ScopePlot`.
    """

    def __init__(
        self, theme: Theme, shown: Shown | None, *words: str, label_room_px: int = _NAME_PX, **more: object
    ) -> None:
        self.shown = shown or Shown()
        super().__init__(theme, *words, label_room_px=label_room_px, **more)  # type: ignore[arg-type]
        self.shown.changed.connect(self.redraw)

    def fit_ms(self, low: float, high: float) -> None:
        """Show times in ms from 0 on, or on a logarithmic scale from a little below the least one on."""
        self.set_y_range(*((log_floor(low), log_ceiling(high)) if self.is_log else (0, nice_top(1.02 * high))))

    def curve_label(self, names: Mapping[Key, tuple[str, int]], curve: Curve) -> EndLabel:
        """Return the label at the end of a curve over frame sizes; names as in `candidate_label`."""
        x, y = float(np.log10(curve.frame_bytes[-1])), float(self.scaled(curve.mean_ms)[-1])
        return candidate_label(names, curve.key, x, y)


def candidate_label(names: Mapping[Key, tuple[str, int]], key: Key, x: float, y: float) -> EndLabel:
    """Return a label with the name and the style of a candidate.

    Args:
        names: Label and position among its solution's suites, by candidate.
        x: Where, in the units of the axis.
        y: The same.
    """
    title, nth = names[key]
    style = series_style(key[0], nth)
    return EndLabel(title, style.colour, bool(style.dash), x, y)


def point_lines(curve: Curve, nth: int) -> tuple[str, ...]:
    """Return what the label of a point of a curve over frame sizes says."""
    low, high = ms(float(curve.p5_ms[nth])), ms(float(curve.p95_ms[nth]))
    return (
        tr("%1 bytes", count(round(float(curve.frame_bytes[nth])))),
        tr("mean %1", ms(float(curve.mean_ms[nth]))),
        tr("5th to 95th percentile: %1", interval_text(low, high)),
        tr("%1 replies", count(int(curve.replies[nth]))),
    )


class ItemsPlot(CandidatePlot):
    """A plot whose items are made anew each time it is drawn, also for other colours.

    Args:
        theme: Colours.
        shown: Candidates to show; None for a choice of its own.
        words: Further arguments of `ScopePlot`.
    """

    def __init__(self, theme: Theme, shown: Shown | None, *words: str, **more: object) -> None:
        self._items: list[object] = []
        self._is_drawn = False
        super().__init__(theme, shown, *words, **more)  # type: ignore[arg-type]

    def restyle(self) -> None:
        """Take the scheme's colours."""
        super().restyle()
        if self._is_drawn:
            self.redraw()

    def begin(self, names: Mapping[Key, tuple[str, int]]) -> None:
        """Take the candidates, and remove what was drawn before.

        Args:
            names: Label and position among its solution's suites, by candidate.
        """
        self._is_drawn = True
        self.shown.set_candidates(names)
        for old in self._items:
            self.removeItem(old)
        self._items.clear()

    def add(self, item: object) -> None:
        """Add an item that is removed when the plot is drawn again."""
        self._items.append(item)
        self.addItem(item)


class ShownMenu(QMenu):
    """Check boxes of candidates; it remains open while they are changed."""

    def __init__(self, parent: QWidget, shown: Shown) -> None:
        super().__init__(parent)
        self._shown = shown
        self._boxes: dict[Key, QAction] = {}
        for key, (title, nth) in shown.names.items():
            action = self.addAction(swatch_icon(key[0], nth), title.replace("&", "&&"))
            action.setCheckable(True)
            action.toggled.connect(partial(self._toggle, key))
            self._boxes[key] = action
        self.addSeparator()
        self._every = self.addAction(tr("Show all"), shown.show_all)
        self._none = self.addAction(tr("Hide all"), shown.hide_all)
        shown.changed.connect(self._check)
        self._check()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Change a box without closing the menu."""
        if not self._act():
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change a box by a key without closing the menu."""
        if event.key() not in _TOGGLE_KEYS or not self._act():
            super().keyPressEvent(event)

    def _act(self) -> bool:
        action: QAction | None = self.activeAction()
        if not action or not action.isEnabled():
            return False
        action.trigger()
        return True

    def _toggle(self, key: Key, is_on: bool) -> None:  # noqa: FBT001 - Qt calls it so
        self._shown.show(key, is_shown=is_on)

    def _check(self) -> None:
        for key, action in self._boxes.items():
            action.setChecked(self._shown.is_shown(key))
        self._every.setEnabled(self._shown.number < len(self._boxes))
        self._none.setEnabled(self._shown.number > 0)
