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


LIGHT = Colours(
    window="#f3f4f6",
    base="#ffffff",
    raised="#e9ebef",
    border="#c9ced6",
    text="#1c2128",
    muted="#566070",
    accent="#0b5fb8",
    on_accent="#ffffff",
    accent_soft="#dbe9f8",
    good="#0b6e45",
    fair="#235fa6",
    legacy="#8a5300",
    bad="#b3261e",
    grid="#1c2128",
    is_dark=False,
)

DARK = Colours(
    window="#1b1e23",
    base="#23272e",
    raised="#2d323a",
    border="#434a55",
    text="#e7eaee",
    muted="#a6afbb",
    accent="#6db3ff",
    on_accent="#0c1420",
    accent_soft="#243a54",
    good="#5fcf9b",
    fair="#83b9f5",
    legacy="#e9b05a",
    bad="#ff8f85",
    grid="#e7eaee",
    is_dark=True,
)
