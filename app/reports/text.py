"""Text for people: numbers with units, and output of hosts made harmless."""

from __future__ import annotations

import unicodedata

from app.domain.ranking import Estimate, Ratio
from app.wording.language import tr
from app.wording.numbers import figure

NOTHING = "–"
"""Shown where there is no figure."""

_KEPT_CONTROLS = "\n\t"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def clean(text: str) -> str:
    """Return text without characters that no document may hold or that would turn lines around.

    Control characters, surrogates, non-characters and marks that change the direction of writing become U+FFFD.

    Args:
        text: Anything, for example what a host printed.

    Returns:
        Text that is allowed in HTML, XML and PDF; escaping is still up to the template.

    Source: HTML Living Standard, section 13.2.3.5; CVE-2021-42574 for directions.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join("\ufffd" if _is_harmful(char) else char for char in text)


def _is_harmful(char: str) -> bool:
    if char in _KEPT_CONTROLS:
        return False
    code = ord(char)
    is_non_character = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return char in _BIDI or is_non_character or unicodedata.category(char) in ("Cc", "Cs")


def capitalised(text: str) -> str:
    """Return a text that begins with a capital letter; the rest remains."""
    return text[:1].upper() + text[1:]


def ms(value: float | None) -> str:
    """Return a time in ms without its unit."""
    return NOTHING if value is None else figure(value)


def interval(estimate: Estimate | None) -> str:
    """Return an interval as `1.08 to 1.13`; empty if there is none."""
    return (
        tr("{low} to {high}").format(low=figure(estimate.ci[0]), high=figure(estimate.ci[1]))
        if estimate and estimate.ci
        else ""
    )


def with_half_width(estimate: Estimate | None) -> str:
    """Return a mean with the half-width of its interval, for example `42.0 ± 0.9`."""
    if estimate is None:
        return NOTHING
    half = f" ± {figure(estimate.ci[1] - estimate.mean, 2)}" if estimate.ci else ""
    return f"{figure(estimate.mean)}{half}"


def times(value: float | None) -> str:
    """Return a factor, for example `2.4 × bare link`; empty if unknown."""
    return "" if value is None else tr("{times} × bare link").format(times=figure(value, 2))


def times_best(ratio: Ratio | None) -> str:
    """Return a ratio of medians, for example `medians: 1.12 × best (1.05 to 1.19)`; empty for the fastest."""
    if ratio is None or ratio.value == 1.0:
        return ""
    ends = ratio.interval
    spread = "" if ends is None else tr(" ({low} to {high})").format(low=figure(ends[0]), high=figure(ends[1]))
    return tr("medians: {times} × best{spread}").format(times=figure(ratio.value), spread=spread)


def share(value: float | None) -> str:
    """Return a share in percent, for example `10 % of bare link`; empty if unknown."""
    return "" if value is None else tr("{share} % of bare link").format(share=figure(100 * value, 2))
