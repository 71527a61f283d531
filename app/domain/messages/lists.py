"""Enumerations within messages."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.messages import MessageForm

AND = MessageForm("text.and", "{first} and {last}")
JOINED = MessageForm("text.joined", "{first:text}; {rest:text}")


def enumerated(names: Iterable[str]) -> str:
    """Return names as an enumeration, for example `a, b and c`, in the language of the reader."""
    found = tuple(names)
    if len(found) < 2:
        return found[0] if found else ""
    return AND(first=found[0] if len(found) == 2 else found[:-1], last=found[-1])


def joined(texts: Iterable[str]) -> str:
    """Return texts that have commas of their own as one, for example `a, b; c`, in the language of the reader."""
    found = tuple(texts)
    if len(found) < 2:
        return found[0] if found else ""
    return JOINED(first=found[0], rest=joined(found[1:]))
