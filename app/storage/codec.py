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

from app.domain.errors import Bug, InvalidFile
from app.domain.results import LatencySeries
from app.domain.structured import base_converter, structured

T = TypeVar("T")


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


def from_data(cls: type[T], data: object, *, what: str = "") -> T:
    """Translate what `to_data` made back.

    Args:
        cls: The class that is expected.
        data: Dicts, lists, texts, numbers, booleans and None.
        what: What the data is, for the error's sentence, for example a path.

    Returns:
        The value.

    Raises:
        InvalidFile: The data is not such a value; the sentence says where.
    """
    return structured(cls, data, what or f"This {cls.__name__}", _converter)


def to_json(value: object) -> str:
    """Return a value of the domain as compact JSON in ASCII.

    Raises:
        Bug: There is a naive time, an array, or a number that is not finite in it.
    """
    try:
        return json.dumps(to_data(value), allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise Bug(f"A {type(value).__name__} holds a number that is not finite.") from error


def from_json(cls: type[T], text: str, *, what: str = "") -> T:
    """Read a value of the domain from JSON.

    Raises:
        InvalidFile: It is not JSON, or not such a value.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{what or cls.__name__} is not JSON: {error}.") from error
    return from_data(cls, data, what=what)


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=False)
    converter.register_structure_hook(datetime, _read_time)
    converter.register_unstructure_hook(datetime, _write_time)
    converter.register_unstructure_hook(LatencySeries, _refuse_array)
    converter.register_structure_hook(LatencySeries, _refuse_array)
    return converter


def _read_time(data: object, _: object) -> datetime:
    if not isinstance(data, str):
        raise TypeError(f"expected a time, not {type(data).__name__}")
    time = datetime.fromisoformat(data)
    if time.tzinfo is None:
        raise ValueError(f"the time {data} has no offset from UTC")
    return time.astimezone(UTC)


def _write_time(time: datetime) -> str:
    if time.tzinfo is None:
        raise Bug(f"The time {time.isoformat()} does not say its offset from UTC.")
    return time.astimezone(UTC).isoformat()


def _refuse_array(*_: object) -> Any:
    raise Bug("Samples are arrays and are kept beside JSON, not in it.")
