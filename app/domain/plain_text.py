"""Text of strangers, made fit to be shown: no character in it can steer a terminal or turn the reading order."""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")

# C0 and C1 controls and DEL but line feed and tab; what sets the direction of reading; separators of lines and
# paragraphs; halves of pairs. Source: ISO/IEC 6429 (controls), Unicode 16.0 chapter 23.2 and UAX #9 (bidirectional
# controls).
_UNFIT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)


_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def plain_text(text: str) -> str:
    """Return a text without characters that are not for reading; lines end in a line feed."""
    return _UNFIT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def formula_safe(cell: T) -> T | str:
    """Keep a text in a table from being run as a formula.

    Source: OWASP, CSV Injection.
    """
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
