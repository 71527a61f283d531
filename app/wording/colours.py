"""One colour, marker and line per solution, the same in every plot, table and report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.declared import Style, declared


class Marker(StrEnum):
    """Shape of the points of a series."""

    CIRCLE = "circle"
    SQUARE = "square"
    TRIANGLE = "triangle"
    TRIANGLE_DOWN = "triangle-down"
    TRIANGLE_LEFT = "triangle-left"
    TRIANGLE_RIGHT = "triangle-right"
    DIAMOND = "diamond"
    PENTAGON = "pentagon"
    HEXAGON = "hexagon"
    STAR = "star"
    PLUS = "plus"
    CROSS = "cross"
    NARROW = "narrow"
    BAR = "bar"
    ARROW = "arrow"
    CROSSHAIR = "crosshair"
    ARROW_DOWN = "arrow-down"
    ARROW_RIGHT = "arrow-right"
    ARROW_LEFT = "arrow-left"
    BOW_TIE = "bow-tie"


@dataclass(frozen=True, slots=True)
class SeriesStyle:
    """Appearance of a series.

    Attributes:
        colour: `#rrggbb`, with a contrast of at least 3 : 1 on white and on the window's dark ground.
        dash: Lengths of dashes and gaps in line widths; empty means a solid line.
        marker: Shape of its points.
    """

    colour: str
    dash: tuple[float, ...] = ()
    marker: Marker = Marker.CIRCLE


_OTHER = "#D6159E"

_STYLES = {name: style for one in declared().values() for name, style in one.styles.items()}
"""Style per solution, as its folder declares it. The colours of references without cryptography are grey.

Source: a search among sRGB colours with a contrast of 3 : 1 on white and on #23272e for the set whose least distance
(CIE 1976 L*a*b*) is largest for usual vision, protanopia and deuteranopia as Machado, Oliveira and Fernandes (2009)
simulate them. Hues are near those of Okabe and Ito, Color Universal Design (2008). A test computes both.
"""

_SUITE_DASHES: tuple[tuple[float, ...], ...] = ((), (4.0, 1.5), (1.5, 1.5), (6.0, 1.5, 1.5, 1.5), (3.0, 3.0))


def series_style(solution: str, nth_suite: int = 0) -> SeriesStyle:
    """Return colour, line and marker of one candidate.

    Args:
        solution: Solution's name; one that is not in the table gets magenta.
        nth_suite: Position of the suite among those of the same solution, from 0; they share the colour and differ
            in their dashes.

    Returns:
        The style.
    """
    style = _STYLES.get(solution) or Style(_OTHER, Marker.CIRCLE)
    return SeriesStyle(style.colour, style.dash or _SUITE_DASHES[nth_suite % len(_SUITE_DASHES)], Marker(style.marker))


@dataclass(frozen=True, slots=True)
class Tint:
    """Colour of a cell of a heat map, laid over the ground.

    Attributes:
        colour: `#rrggbb`.
        share: Its opacity, 0 to 1; 0 leaves the ground as it is.
    """

    colour: str
    share: float


HEAT_FULL_PCT = 60
"""Percent from which a cell of a heat map has its full colour."""
HEAT_SCALE_PCT = (-HEAT_FULL_PCT, -HEAT_FULL_PCT // 2, 0, HEAT_FULL_PCT // 2, HEAT_FULL_PCT)
"""Values of a heat map's legend."""
HEAT_POSITIVE, HEAT_NEGATIVE = "#0072B2", "#D55E00"
"""Blue and vermilion. Source: Okabe and Ito, Color Universal Design (2008)."""
_MOST_OPAQUE = 0.65
"""So that texts keep a contrast of 4.5 : 1 on the light and on the dark ground. A test computes it."""


def heat_tint(value_pct: float | None) -> Tint:
    """Return the colour of a cell of a heat map: the more opaque, the further from 0; none without a value."""
    if value_pct is None:
        return Tint(HEAT_POSITIVE, 0.0)
    share = min(1.0, abs(value_pct) / HEAT_FULL_PCT)
    return Tint(HEAT_POSITIVE if value_pct >= 0 else HEAT_NEGATIVE, round(_MOST_OPAQUE * share, 2))


CPU_PART_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
"""User, system, interrupts, taken by a hypervisor. Source: Okabe and Ito, Color Universal Design (2008)."""

CPU_SHADES_LIGHT = ("#c3cad6", "#8fb0d8", "#3f73b5")
CPU_SHADES_DARK = ("#747d8d", "#5b83b5", "#2f5b94")
"""Softirq, system and user while it measures, on the light and on the dark ground."""
