"""Conditions from files: the presets in resources/conditions, and files of the user."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from app.domain.conditions import AS_FOUND, Condition
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.messages.inputs import CONDITION_NAME_TAKEN, CONDITION_NO_TOML, CONDITION_UNKNOWN, CONDITIONS_IN_FILE
from app.domain.structured import bundled, structured

_PRESETS = resources.files("resources") / "conditions" / "presets.toml"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of conditions: a table `[[condition]]` for each."""

    condition: tuple[Condition, ...]


@cache
def presets() -> Mapping[str, Condition]:
    """Return the conditions that come with the program, by name."""
    found = bundled(_PRESETS, _File).condition
    for one in found:
        one.check()
    return {one.name: one for one in found}


def find_condition(text: str) -> Condition:
    """Return a condition.

    Args:
        text: Name of a preset, or path of a file with exactly one `[[condition]]`.

    Raises:
        InvalidOption: There is no such preset, or a value is out of range.
        InvalidFile: The file cannot be read, or is no condition.
    """
    if text in presets():
        return presets()[text]
    path = Path(text)
    if not path.is_file():
        names = ", ".join(presets())
        raise InvalidOption(CONDITION_UNKNOWN(name=text, names=names))
    return read_condition(path)


def read_condition(path: Path) -> Condition:
    """Read a file with one condition, as `find_condition`."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidFile(CONDITION_NO_TOML(path=path, reason=error)) from error
    found = structured(_File, data, str(path)).condition
    if len(found) != 1:
        raise InvalidFile(CONDITIONS_IN_FILE(path=path, count=len(found)))
    (condition,) = found
    condition.check()
    if condition.name == AS_FOUND or presets().get(condition.name, condition) != condition:
        raise InvalidFile(CONDITION_NAME_TAKEN(path=path, name=condition.name))
    return condition
