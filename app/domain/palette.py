"""One colour and line per solution, the same in every plot, table and report."""

from __future__ import annotations

from dataclasses import dataclass

BASELINE_SOLUTION = "baseline"
"""Name of the solution that is the bare underlay, which everything else is compared with."""


@dataclass(frozen=True, slots=True)
class SeriesStyle:
    """How a series is drawn.

    Attributes:
        colour: `#rrggbb`, readable on white and on near-black.
        dash: Lengths of dashes and gaps in line widths; empty means a solid line.
    """

    colour: str
    dash: tuple[float, ...] = ()


_GREY = "#808080"
_BLUISH_GREEN = "#009E73"
_ORANGE = "#E69F00"
_VERMILLION = "#D55E00"
_BLUE = "#0072B2"
_SKY_BLUE = "#56B4E9"
_REDDISH_PURPLE = "#CC79A7"
_YELLOW = "#F0E442"

SOLUTION_COLOURS: dict[str, str] = {
    BASELINE_SOLUTION: _GREY,
    "l2tp": _GREY,
    "wireguard": _BLUISH_GREEN,
    "openvpn-udp": _ORANGE,
    "openvpn-tcp": _VERMILLION,
    "ipsec": _SKY_BLUE,
    "macsec": _BLUE,
    "tinc": _REDDISH_PURPLE,
    "freelan": _YELLOW,
    "ssh": _REDDISH_PURPLE,
}
"""Colour per solution. References without cryptography are grey.

Source: Okabe and Ito, Color Universal Design (2008): a set that people with any common
kind of colour vision can tell apart.
"""

_SOLUTION_DASHES: dict[str, tuple[float, ...]] = {
    BASELINE_SOLUTION: (5.0, 3.0),
    "l2tp": (1.2, 2.0),
    "ssh": (8.0, 2.0, 1.5, 2.0),
}

_SUITE_DASHES: tuple[tuple[float, ...], ...] = ((), (4.0, 1.5), (1.5, 1.5), (6.0, 1.5, 1.5, 1.5), (3.0, 3.0))


def series_style(solution: str, nth_suite: int = 0) -> SeriesStyle:
    """Return colour and line of one candidate.

    Args:
        solution: Solution's name; one that is not in the table gets reddish purple.
        nth_suite: Position of the suite among those of the same solution, from 0; they share the colour and differ
            in their dashes.

    Returns:
        The style.
    """
    colour = SOLUTION_COLOURS.get(solution, _REDDISH_PURPLE)
    dash = _SOLUTION_DASHES.get(solution) or _SUITE_DASHES[nth_suite % len(_SUITE_DASHES)]
    return SeriesStyle(colour, dash)
