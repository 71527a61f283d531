"""Values to columns and back."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar

from app.domain.errors import Bug, InvalidFile, StorageFault
from app.domain.messages import to_stored
from app.storage.codec import from_json, to_json
from app.storage.messages import (
    NO_SUCH_VALUE,
    NO_TIME,
    PACKING_DAMAGED,
    PACKING_UNKNOWN,
    ROW_DAMAGED,
    TIME_WITHOUT_OFFSET,
)

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

BODY_CODEC = "json-zlib/1"
PLAIN_CODEC = "json/1"
"""Fields of options in formats before 7."""


def write_time(time: datetime) -> str:
    """Return a time as text whose order is the order of time.

    Raises:
        Bug: It does not say its offset from UTC.
    """
    if time.tzinfo is None:
        raise Bug(TIME_WITHOUT_OFFSET(time=time.isoformat()))
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def read_time(text: str) -> datetime:
    """Return a stored time.

    Raises:
        StorageFault: It is none.
    """
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError as error:
        raise StorageFault(NO_TIME(text=repr(text[:40]))) from error


def clean_text(text: str) -> str:
    """Return a text with what no UTF-8 can hold, such as half a surrogate pair, replaced."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def stored_text(text: str) -> str:
    """Return what is stored of a text: a message's code and data, any other text cleaned."""
    return clean_text(to_stored(text))


def read_word(kind: type[E], text: str) -> E:
    """Return a stored word of an enum.

    Raises:
        StorageFault: It is none of its words.
    """
    try:
        return kind(text)
    except ValueError as error:
        raise StorageFault(NO_SUCH_VALUE(text=repr(text[:40]), kind=kind.__name__)) from error


def read_value(cls: type[T], text: str, *, what: str) -> T:
    """Return a value that is stored as JSON.

    Raises:
        StorageFault: What is stored is not such a value.
    """
    try:
        return from_json(cls, text, what=what)
    except InvalidFile as error:
        raise StorageFault(ROW_DAMAGED(why=error.message)) from error


def pack_body(value: object) -> bytes:
    """Return a value as packed JSON."""
    return zlib.compress(to_json(value).encode("ascii"))


def unpack_body(cls: type[T], packed: bytes, codec: str, *, what: str) -> T:
    """Return a value that is stored as packed JSON.

    Raises:
        StorageFault: What is stored is not such a value.
    """
    if codec not in (BODY_CODEC, PLAIN_CODEC):
        raise StorageFault(PACKING_UNKNOWN(what=what, codec=repr(codec[:40])))
    try:
        text = (zlib.decompress(packed) if codec == BODY_CODEC else packed).decode("ascii")
    except (zlib.error, UnicodeDecodeError) as error:
        raise StorageFault(PACKING_DAMAGED(what=what)) from error
    return read_value(cls, text, what=what)
