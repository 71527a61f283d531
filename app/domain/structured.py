"""Data from files, JSON or TOML, to frozen dataclasses.

What is read is checked: a missing field, a wrong type or an unknown word of an enum is an error that names its place.
"""

from __future__ import annotations

import tomllib
import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from importlib.resources.abc import Traversable
from typing import Any, TypeVar, get_args, get_origin

from cattrs import BaseValidationError, Converter, ForbiddenExtraKeysError, transform_error
from cattrs.cols import list_structure_factory

from app.domain.errors import Bug, InvalidFile, TunnelmarkError
from app.domain.messages import Message, error_text, mark
from app.domain.messages.inputs import (
    BUNDLED_NO_TOML,
    CONTENT_WRONG,
    FIELD_AT,
    FIELD_MISSING,
    FIELD_NOT_KNOWN,
    FIELD_TOO_LARGE,
    FIELD_UNKNOWN,
    FIELD_WRONG,
    MORE_PROBLEMS,
    NESTED_TOO_DEEPLY,
)
from app.domain.messages.lists import joined

T = TypeVar("T")
MakeConverter = Callable[..., Converter]
"""Makes a converter: quick and plain, or with `is_detailed` one that tells the place of each problem."""

_SHOWN_PROBLEMS = 3
_SHOWN_CHARACTERS = 40
_SHOWN_WORDS = 8

_KINDS: Mapping[type, str] = {
    str: mark("a text"),
    int: mark("a whole number"),
    float: mark("a number"),
    bool: mark("true or false"),
    list: mark("a list"),
    tuple: mark("a list"),
    dict: mark("a table"),
    type(None): mark("nothing"),
}
"""Types of data in words."""


def base_converter(*, is_detailed: bool, forbids_unknown: bool) -> Converter:
    """Return a new converter that takes texts, numbers and booleans only where they are such.

    Args:
        is_detailed: Whether it tells the place of each problem, which makes it slower.
        forbids_unknown: Whether a field that the class does not have is an error.
    """
    converter = Converter(detailed_validation=is_detailed, forbid_extra_keys=forbids_unknown)
    for kind in (str, bool, int):
        converter.register_structure_hook(kind, _read_scalar)
    converter.register_structure_hook(float, _read_float)
    converter.register_structure_hook_factory(_is_homogeneous_tuple, lambda kind: _tuple_reader(kind, converter))
    return converter


@cache
def strict(*, is_detailed: bool = False) -> Converter:
    """Return the converter for files of our own: what the class does not have is an error."""
    return base_converter(is_detailed=is_detailed, forbids_unknown=True)


@cache
def lenient(*, is_detailed: bool = False) -> Converter:
    """Return the converter for files of which only a part is wanted."""
    return base_converter(is_detailed=is_detailed, forbids_unknown=False)


def structured(
    cls: type[T], data: object, what: str, make: MakeConverter = strict, *, fault: type[TunnelmarkError] = InvalidFile
) -> T:
    """Translate data into a value of a class.

    Args:
        cls: The class that is expected.
        data: Dicts, lists, texts, numbers, booleans and None.
        what: Name of the data for the error's sentence, for example a path.
        make: Makes the converter.
        fault: The error's class: Bug for a file that comes with the program.

    Raises:
        InvalidFile: The data is not such a value; `wrong_keys` says which of its keys are wrong.
    """
    try:
        return make().structure(data, cls)
    except RecursionError as error:
        raise fault(NESTED_TOO_DEEPLY(what=what)) from error
    except Exception:  # noqa: BLE001 - whatever is wrong with the data is found again, with its place
        return _explained(cls, data, what, make, fault)


def _explained(cls: type[T], data: object, what: str, make: MakeConverter, fault: type[TunnelmarkError]) -> T:
    try:
        return make(is_detailed=True).structure(data, cls)
    except BaseValidationError as error:
        problems = _problems(error)
        text = joined(problems[:_SHOWN_PROBLEMS])
        more = len(problems) - _SHOWN_PROBLEMS
        message = (
            MORE_PROBLEMS(what=what, problems=text, more=more) if more > 0 else CONTENT_WRONG(what=what, problems=text)
        )
        raise fault(message, context={"problems": str(len(problems))}) from error
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise fault(CONTENT_WRONG(what=what, problems=error)) from error


def wrong_keys(error: TunnelmarkError) -> tuple[str, ...]:
    """Return the keys of a table that were wrong: those whose value has a wrong type, then those that are unknown."""
    cause = error.__cause__
    if not isinstance(cause, BaseValidationError):
        return ()
    notes = [getattr(note, "name", "") for one in cause.exceptions for note in getattr(one, "__notes__", ())]
    unknown = (one.extra_fields for one in cause.exceptions if isinstance(one, ForbiddenExtraKeysError))
    return (*filter(None, notes), *sorted(key for keys in unknown for key in keys))


def bundled(file: Traversable, cls: type[T], make: MakeConverter = strict) -> T:
    """Read a TOML file that comes with the program.

    Raises:
        Bug: It is malformed; the sentence names file and key.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Bug(BUNDLED_NO_TOML(file=file.name, reason=error)) from error
    return structured(cls, data, file.name, make, fault=Bug)


def _problems(error: BaseValidationError) -> list[str]:
    """Return each problem with its place."""
    described: list[str] = []

    def number_of(problem: BaseException, _: object) -> str:
        described.append(_describe(problem))
        return str(len(described) - 1)

    found = (text.partition(" @ ") for text in transform_error(error, format_exception=number_of))
    return [FIELD_AT(problem=described[int(number)], place=place) for number, _, place in found]


def _describe(error: BaseException) -> str:
    if isinstance(error, ForbiddenExtraKeysError):
        return FIELD_UNKNOWN(fields=sorted(error.extra_fields))
    if isinstance(error, KeyError):
        return FIELD_MISSING(field=error)
    text = error_text(error)
    return text if isinstance(text, Message) else text[: _SHOWN_CHARACTERS * 5]


def wrong_kind(wanted: str, data: object) -> TypeError:
    """Return the error for data of another type than a field has; `wanted` is a text of the catalogues."""
    return TypeError(FIELD_WRONG(wanted=wanted, found=_KINDS.get(type(data), type(data).__name__)))


def _is_homogeneous_tuple(kind: object) -> bool:
    arguments = get_args(kind)
    return get_origin(kind) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis


def _tuple_reader(kind: Any, converter: Converter) -> Callable[[object, object], tuple[Any, ...]]:
    """Read a tuple of any length from a list only: a text is not a sequence of letters."""
    list_type: Any = types.GenericAlias(list, get_args(kind)[:1])
    read_list = list_structure_factory(list_type, converter)

    def read(data: object, _: object) -> tuple[Any, ...]:
        if not isinstance(data, list | tuple):
            raise wrong_kind(_KINDS[list], data)
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
    raise wrong_kind(_KINDS[kind], data)


def _read_float(data: object, _: object) -> float:
    if type(data) is not float and type(data) is not int:
        raise wrong_kind(_KINDS[float], data)
    try:
        return float(data)
    except OverflowError as error:
        raise ValueError(FIELD_TOO_LARGE()) from error


def _read_word(data: object, kind: type[T]) -> T:
    try:
        return kind(data)  # type: ignore[call-arg]
    except ValueError as error:
        known = [str(one.value) for one in kind]  # type: ignore[attr-defined]
        if len(known) > _SHOWN_WORDS:
            known = [*known[:_SHOWN_WORDS], "…"]
        raise ValueError(FIELD_NOT_KNOWN(word=repr(str(data)[:_SHOWN_CHARACTERS]), known=known)) from error
