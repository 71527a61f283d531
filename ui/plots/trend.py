"""Weighted latency of each candidate over all comparisons of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial

import numpy as np
import pyqtgraph as pg

from app.domain.ranking import Estimate
from app.ranking.over_time import PastComparison
from app.wording.colours import series_style
from app.wording.local_forms import minute_text
from app.wording.messages import local_text
from ui.common.candidate_rows import Key
from ui.common.sample_model import Floats
from ui.common.texts import NONE, count, ms, tr
from ui.common.theme import Theme
from ui.plots.axes import RttAxis
from ui.plots.base import PlotTable
from ui.plots.export_rows import WEIGHTED_COLUMNS, ExportRows, estimate_cells
from ui.plots.hover import HoverSeries, interval_text
from ui.plots.pens import plot_pen, solution_pen, solution_symbol
from ui.plots.shown import ItemsPlot, Shown, candidate_label

_LEAST_SPAN_S = 3600.0
_AROUND = 0.04
_MARKER_PX = 9
_NAMED = 3
"""Changes that are named under the mouse; the list below the plot has all of them."""


@dataclass(frozen=True, slots=True)
class _Series:
    key: Key
    past: tuple[PastComparison, ...]

    @property
    def at_s(self) -> Floats:
        return np.array([one.at.timestamp() for one in self.past])

    @property
    def estimates(self) -> list[Estimate]:
        return [one.latencies[self.key] for one in self.past]

    @property
    def mean_ms(self) -> Floats:
        return np.array([one.mean for one in self.estimates])


class TrendPlot(ItemsPlot):
    """A line per candidate over the time at which comparisons began, with intervals; a line down where hosts changed.

    Args:
        theme: Colours.
        shown: Candidates to show; None for a choice of its own.
    """

    def __init__(self, theme: Theme, shown: Shown | None = None) -> None:
        super().__init__(
            theme,
            shown,
            tr("Weighted latency over the comparisons of the pair, with 95 % intervals"),
            "",
            tr("weighted latency in ms"),
            axes={"left": RttAxis("left", is_log=True), "bottom": pg.DateAxisItem("bottom")},
        )
        self._names: dict[Key, tuple[str, int]] = {}
        self._past: tuple[PastComparison, ...] = ()

    def redraw(self) -> None:
        """Draw the comparisons once more."""
        self.draw(self._names, self._past)

    def draw(self, names: Mapping[Key, tuple[str, int]], past: Sequence[PastComparison]) -> None:
        """Show comparisons.

        Args:
            names: Label and position among its solution's suites, by candidate.
            past: In the order of time.
        """
        self._names, self._past = dict(names), tuple(past)
        self.begin(names)
        series = self._series()
        self.show_scale(is_there=bool(series))
        for one in past:
            if one.changed:
                self.add(pg.InfiniteLine(one.at.timestamp(), pen=plot_pen(self._theme.colours.border, 1)))
        for line in series:
            self._draw_series(line)
        self._show_all(series)
        self.set_end_labels(
            [
                candidate_label(self._names, line.key, float(line.at_s[-1]), float(self.scaled(line.mean_ms)[-1]))
                for line in series
            ]
        )

    def _series(self) -> list[_Series]:
        found = [
            _Series(key, tuple(one for one in self._past if key in one.latencies))
            for key in self._names
            if self.shown.is_shown(key)
        ]
        return [one for one in found if one.past]

    def _draw_series(self, line: _Series) -> None:
        style, x, y = series_style(line.key[0]), line.at_s, self.scaled(line.mean_ms)
        self.add(pg.PlotCurveItem(x, y, pen=solution_pen(line.key[0], self._names[line.key][1])))
        lows, highs = (self.scaled(np.array(ends)) for ends in zip(*map(_ends, line.estimates), strict=True))
        self.add(pg.ErrorBarItem(x=x, y=y, top=highs - y, bottom=y - lows, beam=0, pen=plot_pen(style.colour)))
        self.add(
            pg.ScatterPlotItem(x, y, size=_MARKER_PX, pen=None, brush=style.colour, symbol=solution_symbol(line.key[0]))
        )

    def _show_all(self, series: Sequence[_Series]) -> None:
        if not series:
            return
        times = np.concatenate([line.at_s for line in series])
        ends = [end for line in series for one in line.estimates for end in _ends(one)]
        span = max(_LEAST_SPAN_S, float(times.max() - times.min()))
        self.set_x_range(float(times.max()) - (1 + _AROUND) * span, float(times.max()) + _AROUND * span)
        self.fit_ms(min(ends), max(ends))

    def hover_series(self) -> list[HoverSeries]:
        """Return the latencies of each candidate."""
        return [HoverSeries(line.at_s, self.scaled(line.mean_ms), partial(self._text, line)) for line in self._series()]

    def _text(self, line: _Series, nth: int) -> str:
        past, estimate = line.past[nth], line.estimates[nth]
        lines = [self._names[line.key][0], comparison_name(past), ms(estimate.mean)]
        if estimate.ci is not None:
            ends = interval_text(ms(estimate.ci[0]), ms(estimate.ci[1]))
            lines.append(tr("95 % interval: %1", ends))
        rounds = count(estimate.rounds)
        lines.append(tr("1 round") if estimate.rounds == 1 else tr("%1 rounds", rounds))
        lines += [
            ": ".join((local_text(one.what), f"{local_text(one.before)} → {local_text(one.after)}"))
            for one in past.changed[:_NAMED]
        ]
        if len(past.changed) > _NAMED:
            lines.append(tr("and %1 more", len(past.changed) - _NAMED))
        return "\n".join(lines)

    def figures(self) -> PlotTable:
        """Return the latency of each candidate in each comparison, the newest first."""
        rows = tuple(
            (self._names[line.key][0], comparison_name(past), ms(estimate.mean), _interval(estimate))
            for line in self._series()
            for past, estimate in reversed(list(zip(line.past, line.estimates, strict=True)))
        )
        return PlotTable((tr("Candidate"), tr("Comparison"), tr("Weighted latency"), tr("95 % interval")), rows, 2)

    def export_rows(self) -> ExportRows:
        """Return the latency of each candidate in each comparison, in the order of time."""
        rows = tuple(
            (*_cells(self._names[line.key][0], past), *estimate_cells(estimate))
            for line in self._series()
            for past, estimate in zip(line.past, line.estimates, strict=True)
        )
        headers = ("candidate", "campaign_id", "started_at", "profile", "condition", *WEIGHTED_COLUMNS)
        return ExportRows(headers, rows)


def _cells(name: str, past: PastComparison) -> tuple[str, int, str, str, str]:
    return name, past.campaign_id, past.at.astimezone(UTC).isoformat(), past.profile, past.condition


def comparison_name(past: PastComparison) -> str:
    """Return date and number of a comparison."""
    return tr("%1, comparison %2", minute_text(past.at.astimezone()), past.campaign_id)


def _ends(estimate: Estimate) -> tuple[float, float]:
    """Return an interval as far as a logarithmic axis can show it."""
    low, high = estimate.ci or (estimate.mean, estimate.mean)
    return max(low, 0.1 * estimate.mean), high


def _interval(estimate: Estimate) -> str:
    return NONE if estimate.ci is None else f"{ms(estimate.ci[0])}–{ms(estimate.ci[1])}"
