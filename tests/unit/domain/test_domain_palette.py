"""Colours of solutions: contrast on both grounds, and distance for usual and for colour-blind eyes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from app.domain.declared import declared
from app.wording.colours import (
    HEAT_NEGATIVE,
    HEAT_POSITIVE,
    HEAT_SCALE_PCT,
    Marker,
    heat_tint,
    series_style,
)

Floats = npt.NDArray[np.float64]

SOLUTION_COLOURS = {name: style.colour for one in declared().values() for name, style in one.styles.items()}

GROUNDS = ("#ffffff", "#23272e")
"""Backgrounds of plots, light and dark (`ui.common.theme`)."""
LEAST_CONTRAST = 3.0  # WCAG 2.1, 1.4.11
LEAST_DISTANCE = 12.0
"""In CIE 1976 L*a*b*; 2.3 is just noticeable side by side."""

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def _linear(colour: str) -> Floats:
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _luminance(colour: str) -> float:
    return float(TO_XYZ[1] @ _linear(colour))


def _lab(linear: Floats) -> Floats:
    ratio = TO_XYZ @ np.clip(linear, 0, 1) / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("ground", GROUNDS)
def test_every_colour_is_readable_on_both_grounds(ground: str) -> None:
    for solution, colour in SOLUTION_COLOURS.items():
        bright, dark = sorted((_luminance(colour), _luminance(ground)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= LEAST_CONTRAST, solution


@pytest.mark.parametrize("vision", VISION)
def test_colours_differ_for_usual_and_for_colour_blind_eyes(vision: str) -> None:
    seen = {name: _lab(VISION[vision] @ _linear(colour)) for name, colour in SOLUTION_COLOURS.items()}
    # Distinguished by dashes and markers: references are all grey, and IPsec's two daemons are never on one host.
    alike = {"baseline", "l2tp", "xl2tpd"}, {"ipsec", "libreswan"}
    for one, other in combinations(SOLUTION_COLOURS, 2):
        if not any({one, other} <= group for group in alike):
            assert np.linalg.norm(seen[one] - seen[other]) >= LEAST_DISTANCE, (one, other)


def test_every_solution_has_a_marker_of_its_own() -> None:
    markers = [series_style(solution).marker for solution in SOLUTION_COLOURS]
    assert len(set(markers)) == len(markers)
    assert series_style("something new").marker is Marker.CIRCLE


GROUNDS_WITH_TEXTS = (("#ffffff", "#1b1f24"), ("#12161c", "#e6e9ed"), ("#ffffff", "#1c2128"), ("#23272e", "#e7eaee"))
"""Ground and text of the report (resources/templates/report.css) and of the window (`ui.common.colours`)."""
LEAST_TEXT_CONTRAST = 4.5  # WCAG 2.1, 1.4.3


def _laid_over(value_pct: float, ground: str) -> str:
    tint = heat_tint(value_pct)
    parts = [(int(tint.colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(tint.share * over + (1 - tint.share) * under):02x}" for over, under in parts)


@pytest.mark.parametrize(("ground", "text"), GROUNDS_WITH_TEXTS)
def test_figures_of_a_heat_map_are_readable_on_every_colour(ground: str, text: str) -> None:
    for value in range(-100, 101, 5):
        bright, dark = sorted((_luminance(_laid_over(value, ground)), _luminance(text)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= LEAST_TEXT_CONTRAST, value


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("ground", [one for one, _ in GROUNDS_WITH_TEXTS])
def test_both_sides_of_a_heat_map_differ_for_colour_blind_eyes(vision: str, ground: str) -> None:
    for value in (15, 30, 60):
        one, other, middle = (_lab(VISION[vision] @ _linear(_laid_over(at, ground))) for at in (value, -value, 0))
        assert np.linalg.norm(one - other) >= LEAST_DISTANCE, value
        assert min(np.linalg.norm(one - middle), np.linalg.norm(other - middle)) >= LEAST_DISTANCE / 2, value


def test_a_heat_map_grows_from_its_middle_to_its_ends_and_no_further() -> None:
    assert heat_tint(None).share == heat_tint(0).share == 0.0
    shares = [heat_tint(value).share for value in (10, 30, 60)]
    assert shares == sorted(set(shares))
    assert heat_tint(-1_000) == heat_tint(-60)
    assert [-value for value in reversed(HEAT_SCALE_PCT)] == sorted(HEAT_SCALE_PCT) == list(HEAT_SCALE_PCT)
    assert heat_tint(max(HEAT_SCALE_PCT)) == heat_tint(1_000), "the legend ends where the colour does"
    assert (heat_tint(1).colour, heat_tint(-1).colour) == (HEAT_POSITIVE, HEAT_NEGATIVE)
