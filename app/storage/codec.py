"""Frozen dataclasses to JSON-able data and back.

What is read is checked: a missing field, a wrong type or an unknown word of an enum is an error. A field that is not
known is passed over, so that a file which a newer program wrote with one more field can still be read; changes of
meaning follow from the version of the file or database around it.

Times are UTC in ISO 8601 with an offset. Arrays of samples are not JSON: a `LatencySeries` is kept beside it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from app.domain.errors import Bug, InvalidFile
from app.domain.messages import from_stored, mark, to_stored
from app.domain.messages.inputs import FIELD_NO_TIME
from app.domain.results import Attempt, LatencySeries
from app.domain.structured import base_converter, structured, wrong_kind
from app.storage.messages import NOT_JSON, NUMBER_NOT_FINITE, SAMPLES_IN_JSON, TIME_WITHOUT_OFFSET

T = TypeVar("T")

_CAPTURE = override(rename="wire")
"""`Attempt.capture` has an earlier name in the database."""


def to_data(value: object) -> Any:
    """Translate a value of the domain into dicts, lists, texts, numbers, booleans and None.

    Args:
        value: A frozen dataclass, or a mapping or tuple of such.

    Returns:
        Data that `json.dumps` takes.

    Raises:
        Bug: There is a naive time or an array in it.
    """
    return _converter().unstructure(value)


def to_json(value: object) -> str:
    """Return a value of the domain as compact JSON in ASCII, its messages with code and data.

    Raises:
        Bug: There is a naive time, an array, or a number that is not finite in it.
    """
    try:
        return json.dumps(_stored().unstructure(value), allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise Bug(NUMBER_NOT_FINITE(kind=type(value).__name__)) from error


def from_json(cls: type[T], text: str, *, what: str = "") -> T:
    """Read a value of the domain from JSON.

    Raises:
        InvalidFile: It is not JSON, or not such a value.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(NOT_JSON(what=what or cls.__name__, error=error)) from error
    return structured(cls, data, what or cls.__name__, _stored)


@cache
def _stored(*, is_detailed: bool = False) -> Converter:
    """Return the converter of the database, where a message is kept with its code and data."""
    converter = _new_converter(is_detailed=is_detailed)
    read_text = converter.get_structure_hook(str)

    def read(data: object, kind: type[str]) -> str:
        text: str = read_text(data, kind)
        return from_stored(text) if kind is str else text

    converter.register_unstructure_hook(str, to_stored)
    converter.register_structure_hook(str, read)
    return converter


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    converter = _new_converter(is_detailed=is_detailed)
    converter.register_unstructure_hook(str, str)  # a message becomes its text
    return converter


def _new_converter(*, is_detailed: bool) -> Converter:
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=False)
    converter.register_structure_hook(datetime, read_time)
    converter.register_unstructure_hook(datetime, write_time)
    converter.register_unstructure_hook(LatencySeries, _refuse_array)
    converter.register_structure_hook(LatencySeries, _refuse_array)
    # Made at first use, by when the converter knows how each of their fields is read.
    converter.register_structure_hook_factory(
        _is_attempt, lambda kind: make_dict_structure_fn(kind, converter, capture=_CAPTURE)
    )
    converter.register_unstructure_hook_factory(
        _is_attempt, lambda kind: make_dict_unstructure_fn(kind, converter, capture=_CAPTURE)
    )
    return converter


def _is_attempt(kind: object) -> bool:
    return kind is Attempt


def read_time(data: object, _: object) -> datetime:
    """Read a time with its offset, as it is stored; return it in UTC."""
    if not isinstance(data, str):
        raise wrong_kind(mark("a time"), data)
    time = datetime.fromisoformat(data)
    if time.tzinfo is None:
        raise ValueError(FIELD_NO_TIME(time=data))
    return time.astimezone(UTC)


def write_time(time: datetime) -> str:
    """Return a time as it is stored, in UTC."""
    if time.tzinfo is None:
        raise Bug(TIME_WITHOUT_OFFSET(time=time.isoformat()))
    return time.astimezone(UTC).isoformat()


def _refuse_array(*_: object) -> Any:
    raise Bug(SAMPLES_IN_JSON())
