"""Numbers and dates in the current language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.wording.language import SOURCE_LANGUAGE, current_language, tr, trn
from app.wording.numbers import NARROW_SPACE, figure, grouped, with_local_sign

if TYPE_CHECKING:
    from datetime import date, datetime

_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")

_DAY: Mapping[str, str] = MappingProxyType({"en": "%Y-%m-%d", "de": "%d.%m.%Y"})
"""Source: ISO 8601; DIN 5008:2020, section 8.1 (numeric form of a date)."""


def decimal(value: float, digits: int, sign: str = "") -> str:
    """Return a number with its thousands apart by narrow spaces: `1 234.50`, in German `1 234,50`.

    Args:
        value: Any number.
        digits: Digits after the decimal sign.
        sign: `+` shows the sign of positive numbers as well.
    """
    text = f"{value:{sign},.{digits}f}".replace(",", NARROW_SPACE)
    return with_local_sign(text)


def short_decimal(value: float, digits: int = 6) -> str:
    """Return a number with at most so many significant digits, without zeros at its end: `0.5`, in German `0,5`."""
    return with_local_sign(f"{value:.{digits}g}")


def local_figure(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, see `figure`."""
    return figure(value, digits)


def rounds_text(number: int) -> str:
    """Return a number of rounds: `3 rounds`."""
    return trn("{number} round", "{number} rounds", number).format(number=grouped(number))


def vpns_text(number: int) -> str:
    """Return a number of VPNs: `3 VPNs`."""
    return trn("{number} VPN", "{number} VPNs", number).format(number=grouped(number))


def attempts_text(number: int) -> str:
    """Return a number of attempts: `3 attempts`."""
    return trn("{number} attempt", "{number} attempts", number).format(number=grouped(number))


def others_text(number: int) -> str:
    """Return a number of others: `3 others`."""
    return trn("{number} other", "{number} others", number).format(number=grouped(number))


def cores_text(number: int) -> str:
    """Return a number of cores: `3 cores`."""
    return trn("{number} core", "{number} cores", number).format(number=grouped(number))


def minutes_text(number: int) -> str:
    """Return a number of minutes in words: `3 minutes`."""
    return trn("{number} minute", "{number} minutes", number).format(number=grouped(number))


def listed_names(names: Sequence[str]) -> str:
    """Return names as an enumeration: `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return tr("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


def day_text(at: date) -> str:
    """Return a date: `2026-11-25`, in German `25.11.2026`."""
    return at.strftime(_of(_DAY))


def with_local_days(text: str) -> str:
    """Return a text in which days are written as `2026-11-25` with each of them as the current language has it."""
    form = _of(_DAY)
    return _ISO_DAY.sub(lambda day: form.replace("%Y", day[1]).replace("%m", day[2]).replace("%d", day[3]), text)


def minute_text(at: datetime) -> str:
    """Return date and time of day to the minute, in the time zone that it has."""
    return f"{day_text(at)} {at:%H:%M}"


def second_text(at: datetime) -> str:
    """Return date and time of day to the second, in the time zone that it has."""
    return f"{day_text(at)} {at:%H:%M:%S}"


def _of(forms: Mapping[str, str]) -> str:
    return forms.get(current_language(), forms[SOURCE_LANGUAGE])
