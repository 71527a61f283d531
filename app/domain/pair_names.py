"""Names of stored pairs: one rule for the window and the command line."""

from __future__ import annotations

import re

from app.domain.errors import InvalidOption
from app.domain.messages.inputs import PAIR_NAME_HINT, PAIR_NAME_OF_LABS, PAIR_NAME_WRONG

LONGEST_PAIR_NAME = 63
PAIR_NAME_RULE = PAIR_NAME_HINT(longest=LONGEST_PAIR_NAME)
LAB_PREFIX = "lab:"
"""Beginning of the names of practice labs' pairs, which are not stored."""

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.-]{{0,{LONGEST_PAIR_NAME - 1}}}")
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")


def check_pair_name(name: str) -> None:
    """Refuse what cannot be the name of a stored pair.

    Raises:
        InvalidOption: The name is malformed, or reserved for practice labs.
    """
    if name.startswith(LAB_PREFIX):
        raise InvalidOption(PAIR_NAME_OF_LABS(), hint=PAIR_NAME_RULE)
    if not _NAME.fullmatch(name):
        raise InvalidOption(PAIR_NAME_WRONG(name=name), hint=PAIR_NAME_RULE)


def suggest_pair_name(address_a: str, address_b: str) -> str:
    """Return an allowed name for a pair of two addresses: `192.0.2.1-192.0.2.2`."""
    joined = _FORBIDDEN.sub("-", f"{address_a}-{address_b}").lstrip("-._")
    return joined[:LONGEST_PAIR_NAME] or "pair"
