"""Figures and words for people: the same everywhere in the window."""

from __future__ import annotations

import math
import re

from app.domain.pair_names import LONGEST_PAIR_NAME
from app.wording import language
from app.wording.durations import duration_text
from app.wording.local_forms import decimal

NONE = "–"
"""Shown where there is no figure."""


def tr(text: str, *values: object) -> str:
    """Return a text of the window in the current language, with values in its gaps `%1`, `%2` and so on."""
    found = language.tr(text)
    return re.sub(r"%([1-9])", lambda gap: str(values[int(gap[1]) - 1]), found) if values else found


def pair_name_rule() -> str:
    """Return which names a pair may have."""
    return tr(
        "Use letters, digits, dots, dashes and underscores, a letter or digit first, at most %1 characters.",
        LONGEST_PAIR_NAME,
    )


def count(value: int) -> str:
    """Return a whole number with its thousands apart: `10 000`."""
    return decimal(value, 0)


def ms(value: float | None) -> str:
    """Return milliseconds with two decimals and their unit."""
    return NONE if value is None or math.isnan(value) else f"{decimal(value, 2)} ms"


def mbit_s(value: float | None) -> str:
    """Return Mbit/s with one decimal and the unit."""
    return NONE if value is None or math.isnan(value) else f"{decimal(value, 1)} Mbit/s"


def pct(value: float | None) -> str:
    """Return whole percent."""
    return NONE if value is None or math.isnan(value) else f"{value:.0f} %"


def ratio(value: float | None) -> str:
    """Return a ratio: `2.08 ×`."""
    return NONE if value is None or math.isnan(value) else f"{decimal(value, 2)} ×"


def duration(seconds: float) -> str:
    """Return a duration: `45 s`, `4 min 12 s` or `2 h 5 min`."""
    return duration_text(seconds)


def mib(value: int) -> str:
    """Return memory or space, given in MiB."""
    return f"{decimal(value / 1024, 1)} GiB" if value >= 10_240 else f"{count(value)} MiB"


def size(value: int) -> str:
    """Return an amount of data, given in bytes: `812 B`, `12.9 KiB`, `46.0 MiB`."""
    amount, unit = float(value), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{count(value)} B" if unit == "B" else f"{decimal(amount, 1)} {unit}"


def plain_tip(text: str) -> str:
    """Return a tool tip that shows a text verbatim: Qt would take HTML-like text for HTML, pictures included."""
    if "<" not in text:
        return text
    from html import escape  # the first window waits for what is imported, and few texts need it

    return f"<span>{escape(text)}</span>".replace("\n", "<br>")
