"""Numbers as text in the current language, for sentences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.wording.language import current_language

_DECIMAL_SIGN: Mapping[str, str] = MappingProxyType({"en": ".", "de": ","})

NARROW_SPACE = "\u202f"
"""Between groups of three digits, and never broken over lines. Source: ISO 80000-1, section 7.3."""


def with_local_sign(number: str) -> str:
    """Return a number that is text already, with the decimal sign of the language."""
    return number.replace(".", _DECIMAL_SIGN.get(current_language(), "."))


def figure(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent, thousands grouped.

    Args:
        value: Any finite number.
        digits: Significant digits, at least one; more are before the decimal point where the number has them.

    Returns:
        For example `1.10`, `24.6`, `1 234`.
    """
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    return with_local_sign(f"{value:,.{max(0, digits - 1 - exponent)}f}".replace(",", NARROW_SPACE))


def milliseconds(value: float) -> str:
    """Return a time in ms with three significant digits and its unit."""
    return f"{figure(value)} ms"


def signed_pct(value: float) -> str:
    """Return a change in percent with its sign, for example `+3.1 %`."""
    text = f"{value:+.1f}".replace("-", "\u2212")
    return with_local_sign("±0.0 %" if float(f"{value:.1f}") == 0 else f"{text} %")


def grouped(number: int) -> str:
    """Return a whole number with its thousands grouped."""
    return f"{number:,}".replace(",", NARROW_SPACE)
