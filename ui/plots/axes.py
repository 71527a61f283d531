"""Axes: logarithms with plain numbers, scales that can be chosen, seconds, frame sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF, QGuiApplication

from app.wording.local_forms import short_decimal
from app.wording.numbers import with_local_sign
from ui.common.texts import tr

_NUMBER_EM = 2.6
_SECONDS_EM = 3.2
"""Width of a number on an axis, in heights of its letters."""
_ZOOMED_DECADES = 0.25
"""A shorter piece of a logarithmic axis has ticks in even steps."""
_MOST_DIGITS = 8


def _letters_px(axis: pg.AxisItem) -> float:
    """Return the height of an axis's numbers."""
    return QFontMetricsF(axis.style["tickFont"] or QGuiApplication.font()).height()


class LogAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis for data that are decadic logarithms; ticks are at 1, 2 and 5 of every decade."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return tick positions: as many as there is room for."""
        if not math.isfinite(minVal) or not math.isfinite(maxVal) or maxVal - minVal <= 0:
            return []
        if maxVal - minVal < _ZOOMED_DECADES:
            return [(1.0, _even_ticks(minVal, maxVal, size / (_NUMBER_EM * _letters_px(self))))]
        decades = range(math.floor(minVal), math.ceil(maxVal) + 1)
        per_decade_px = size / (maxVal - minVal)
        steps = (1, 2, 5) if per_decade_px > 60 else (1, 3) if per_decade_px > 40 else (1,)
        if maxVal - minVal < 0.7:
            steps = (1, 1.5, 2, 3, 4, 5, 6, 7, 8)  # type: ignore[assignment]
        values = [decade + math.log10(step) for decade in decades for step in steps]
        return [(1.0, [value for value in values if minVal <= value <= maxVal])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return the numbers of the logarithms, with as many digits as tell them apart."""
        numbers = [10**value for value in values]
        texts = [f"{number:.0f}" if number >= 100 else f"{number:.3g}" for number in numbers]
        digits = 3
        while len(set(texts)) < len(texts) and digits < _MOST_DIGITS:
            digits += 1
            texts = [np.format_float_positional(one, digits, fractional=False, trim="-") for one in numbers]
        return [with_local_sign(text) for text in texts]


def _even_ticks(low: float, high: float, most: float) -> list[float]:
    """Return logarithms of round numbers in even steps."""
    least, span = 10**low, 10**high - 10**low
    rough = span / max(2.0, min(most, 8.0))
    decade = 10 ** math.floor(math.log10(rough))
    step = next(one * decade for one in (1, 2, 5, 10) if one * decade >= rough * 0.999)
    first = math.ceil(least / step)
    return [math.log10(nth * step) for nth in range(max(1, first), math.floor((least + span) / step) + 1)]


class ScaleAxis(LogAxis):
    """An axis whose data are logarithms, or figures as they are; the user chooses.

    Attributes:
        is_log: Whether the data are logarithms.
    """

    def __init__(self, orientation: str, *, is_log: bool) -> None:
        super().__init__(orientation)
        self.is_log = is_log

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return tick positions of the scale in use."""
        if self.is_log:
            return super().tickValues(minVal, maxVal, size)
        found: list[tuple[float, list[float]]] = pg.AxisItem.tickValues(self, minVal, maxVal, size)
        return found

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers."""
        if self.is_log:
            return super().tickStrings(values, scale, spacing)
        return [with_local_sign(text) for text in pg.AxisItem.tickStrings(self, values, scale, spacing)]

    def other_scale(self) -> str:
        """Return the name of the scale that is not in use."""
        raise NotImplementedError


class RttAxis(ScaleAxis):
    """An axis of round-trip times in milliseconds."""

    def other_scale(self) -> str:
        """Return the name of the scale that is not in use."""
        return tr("Linear RTT axis") if self.is_log else tr("Logarithmic RTT axis")


class RatioAxis(ScaleAxis):
    """An axis of ratios: on a logarithmic one half and twice are as far from 1."""

    def other_scale(self) -> str:
        """Return the name of the scale that is not in use."""
        return tr("Linear axis of ratios") if self.is_log else tr("Logarithmic axis of ratios")


class SecondsAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """A time axis whose ticks carry their unit; there are as many as have room beside each other."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return whole seconds in steps of 1, 2 or 5."""
        if not math.isfinite(minVal) or not math.isfinite(maxVal) or maxVal <= minVal or size <= 0:
            return []
        per_tick = _SECONDS_EM * _letters_px(self) * (maxVal - minVal) / size
        decades = (10.0**power for power in range(7))
        step = next((decade * one for decade in decades for one in (1, 2, 5) if decade * one >= per_tick), 1e7)
        first, last = math.ceil(minVal / step), math.floor(maxVal / step)
        return [(step, [nth * step for nth in range(first, last + 1)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return seconds."""
        return [f"{short_decimal(value)} s" for value in values]


class SizesAxis(pg.AxisItem):  # type: ignore[misc] # the same
    """An axis for logarithms of frame sizes, with ticks at the probed ones; numbers that would touch are left out."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.sizes: tuple[int, ...] = ()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """Return the frame sizes that have room for their number."""
        per_px = (maxVal - minVal) / max(1.0, size)
        kept: list[float] = []
        for value in sorted(map(math.log10, self.sizes), reverse=True):
            if not kept or kept[-1] - value > _NUMBER_EM * _letters_px(self) * per_px:
                kept.append(value)
        return [(1.0, kept[::-1])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002
        """Return whole bytes."""
        return [f"{10**value:.0f}" for value in values]
