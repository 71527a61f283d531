"""The colours of the window, light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of one scheme, as `#rrggbb`.

    Contrast of `text`, `muted`, `accent` and the verdict colours against `base` and `window` is at least 4.5 : 1
    (Source: WCAG 2.1, success criterion 1.4.3); a test computes it.
    """

    window: str
    base: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    good: str
    fair: str
    legacy: str
    bad: str
    grid: str
    is_dark: bool


_SCHEMES = {
    "window": ("#f3f4f6", "#1b1e23"),
    "base": ("#ffffff", "#23272e"),
    "raised": ("#e9ebef", "#2d323a"),
    "border": ("#c9ced6", "#434a55"),
    "text": ("#1c2128", "#e7eaee"),
    "muted": ("#566070", "#a6afbb"),
    "accent": ("#0b5fb8", "#6db3ff"),
    "on_accent": ("#ffffff", "#0c1420"),
    "accent_soft": ("#dbe9f8", "#243a54"),
    "good": ("#0b6e45", "#5fcf9b"),
    "fair": ("#235fa6", "#83b9f5"),
    "legacy": ("#8a5300", "#e9b05a"),
    "bad": ("#b3261e", "#ff8f85"),
    "grid": ("#1c2128", "#e7eaee"),
}
"""Each colour in the light and in the dark scheme."""

LIGHT = Colours(**{name: light for name, (light, _) in _SCHEMES.items()}, is_dark=False)
DARK = Colours(**{name: dark for name, (_, dark) in _SCHEMES.items()}, is_dark=True)
