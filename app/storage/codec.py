"""Frozen dataclasses to JSON-able data and back.

What is read is checked: a missing field, a wrong type or an unknown word of an enum is an error. A field that is not
known is passed over, so that a file which a newer program wrote with one more field can still be read; changes of
meaning are told by the version of the file or database around it.

Times are UTC in ISO 8601 with an offset. Arrays of samples are not JSON: a `LatencySeries` is kept beside it.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from cattrs import BaseValidationError, Converter, transform_error
from cattrs.cols import list_structure_factory

from app.domain.errors import Bug, InvalidFile
from app.domain.results import LatencySeries

T = TypeVar("T")

_SHOWN_PROBLEMS = 3
_SHOWN_CHARACTERS = 40


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
    try:
        return _converter(is_detailed=False).structure(data, cls)
    except RecursionError as error:
        raise InvalidFile(f"{what or cls.__name__} is nested too deeply.") from error
    except Exception:  # noqa: BLE001 - whatever is wrong with the data is found again, with its place
        return _explain(cls, data, what or f"This {cls.__name__}")


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


def _explain(cls: type[T], data: object, what: str) -> T:
    """Translate once more with the slow converter, which knows the place of each problem."""
    try:
        return _converter(is_detailed=True).structure(data, cls)
    except BaseValidationError as error:
        problems = transform_error(error, format_exception=_describe)
        more = f" and {len(problems) - _SHOWN_PROBLEMS} more" if len(problems) > _SHOWN_PROBLEMS else ""
        text = "; ".join(problems[:_SHOWN_PROBLEMS])
        raise InvalidFile(f"{what} cannot be read: {text}{more}.", context={"problems": str(len(problems))}) from error
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise InvalidFile(f"{what} cannot be read: {error}.") from error


def _describe(error: BaseException, _: object) -> str:
    text = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
    return text[: _SHOWN_CHARACTERS * 5]


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    """Make the one converter: plain and quick, or one that tells the place of each problem."""
    converter = Converter(detailed_validation=is_detailed)
    for kind in (str, bool, int):
        converter.register_structure_hook(kind, _read_scalar)
    converter.register_structure_hook(float, _read_float)
    converter.register_structure_hook(datetime, _read_time)
    converter.register_unstructure_hook(datetime, _write_time)
    converter.register_structure_hook_factory(_is_homogeneous_tuple, lambda kind: _tuple_reader(kind, converter))
    converter.register_unstructure_hook(LatencySeries, _refuse_array)
    converter.register_structure_hook(LatencySeries, _refuse_array)
    return converter


def _is_homogeneous_tuple(kind: object) -> bool:
    arguments = get_args(kind)
    return get_origin(kind) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis


def _tuple_reader(kind: Any, converter: Converter) -> Callable[[object, object], tuple[Any, ...]]:
    """Read a tuple of any length from a list only: a text is not a sequence of letters."""
    list_type: Any = types.GenericAlias(list, get_args(kind)[:1])
    read_list = list_structure_factory(list_type, converter)

    def read(data: object, _: object) -> tuple[Any, ...]:
        if not isinstance(data, list | tuple):
            raise TypeError(f"expected a list, not {type(data).__name__}")
        return tuple(read_list(data, list_type))

    return read


def _read_scalar(data: object, kind: type[T]) -> T:
    """Take a text, number or boolean only where it is one: `int("5")` is not what a checked file holds.

    cattrs takes the hook for `str` for every StrEnum as well.
    """
    if type(data) is kind:
        return data
    if issubclass(kind, Enum):
        return _read_word(data, kind)
    raise TypeError(f"expected {kind.__name__}, not {type(data).__name__}")


def _read_float(data: object, _: object) -> float:
    if type(data) is not float and type(data) is not int:
        raise TypeError(f"expected a number, not {type(data).__name__}")
    try:
        return float(data)
    except OverflowError as error:
        raise ValueError("the number is too large") from error


def _read_word(data: object, kind: type[T]) -> T:
    try:
        return kind(data)  # type: ignore[call-arg]
    except ValueError as error:
        raise ValueError(f"{str(data)[:_SHOWN_CHARACTERS]!r} is no known {kind.__name__}") from error


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
