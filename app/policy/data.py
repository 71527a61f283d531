"""The policy's tables, read from resources/policy and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

from app.domain.errors import Bug
from app.domain.structured import bundled, lenient, structured
from app.domain.verdicts import PostQuantum, Verdict
from app.policy.messages import TWO_VERDICTS

T = TypeVar("T")

POLICY_FOLDER = resources.files("resources") / "policy"
_ALGORITHM_FILES = ("algorithms.toml", "macs.toml", "keys.toml", "protocols.toml")


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One verdict of the policy.

    Attributes:
        names: Every name it goes by, normalised.
        title: For people.
        kind: cipher, mode, mac, key-exchange, signature, protocol or option.
        verdict: The word.
        reason: One sentence.
        sources: Where that is stated.
        key_bits: Key size in bits; None where that means nothing.
        block_bits: Block size in bits; None where there is none.
        replacement: What to use instead; empty where nothing has to be replaced.
        slow: Why it is slow on every computer, one sentence; empty where it is not.
        post_quantum: What it makes of the keys that protect traffic; `none` where it adds nothing.
    """

    names: tuple[str, ...]
    title: str
    kind: str
    verdict: Verdict
    reason: str
    sources: tuple[str, ...]
    key_bits: int | None = None
    block_bits: int | None = None
    replacement: str = ""
    slow: str = ""
    post_quantum: PostQuantum = PostQuantum.NONE


@dataclass(frozen=True, slots=True)
class Tables:
    """The policy's rows by normalised name.

    Attributes:
        ciphers: Block and stream ciphers without a mode.
        modes: Modes of operation.
        algorithms: Everything else.
        aliases: What a name means that stands for another one as a whole.
        sizes: Rows of a family of keys by their least length in bits, the longest first.
    """

    ciphers: Mapping[str, PolicyRow]
    modes: Mapping[str, PolicyRow]
    algorithms: Mapping[str, PolicyRow]
    aliases: Mapping[str, str]
    sizes: Mapping[str, tuple[tuple[int, PolicyRow], ...]]


def normalise(name: str) -> str:
    """Return a name as the tables have it: lower case, with `-` for `_`, `/` and spaces."""
    return re.sub(r"[_/\s]+", "-", name.strip().lower())


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return all tables.

    Raises:
        Bug: A file is malformed or gives one name to two rows.
    """
    algorithms = _by_name(row for file_name in _ALGORITHM_FILES for row in _rows(file_name, "algorithm"))
    aliases = bundled(POLICY_FOLDER / "aliases.toml", _Aliases).aliases
    return Tables(
        ciphers=_by_name(_rows("ciphers.toml", "cipher", kind="cipher")),
        modes=_by_name(_rows("modes.toml", "mode", kind="mode")),
        algorithms=algorithms,
        aliases={normalise(name): normalise(meant) for name, meant in aliases.items()},
        sizes={one.family: _size_rows(one.rows, algorithms) for one in _HEAD.size},
    )


def all_rows() -> tuple[PolicyRow, ...]:
    """Return every row once, in the order of the files."""
    found = tables()
    rows = [row for table in (found.ciphers, found.modes, found.algorithms) for row in table.values()]
    return tuple({id(row): row for row in rows}.values())


def load(file_name: str) -> dict[str, Any]:
    """Return what is in one of the policy's files."""
    return tomllib.loads((POLICY_FOLDER / file_name).read_text(encoding="utf-8"))


def rows_of(cls: type[T], file_name: str, key: str, **defaults: str) -> tuple[T, ...]:
    """Return the tables of one name in one of the policy's files.

    Args:
        cls: The class of each.
        key: Name of the tables.
        **defaults: Fields that are the same in all of them.

    Raises:
        Bug: The file is malformed.
    """
    rows = [{**defaults, **raw} for raw in load(file_name)[key]]
    return structured(tuple[cls, ...], rows, file_name, fault=Bug)  # type: ignore[valid-type]


def _rows(file_name: str, key: str, **defaults: str) -> list[PolicyRow]:
    rows = rows_of(PolicyRow, file_name, key, **defaults)
    return [replace(row, names=tuple(normalise(name) for name in row.names)) for row in rows]


def _by_name(rows: Iterable[PolicyRow]) -> Mapping[str, PolicyRow]:
    table: dict[str, PolicyRow] = {}
    for row in rows:
        for name in row.names:
            if name in table:
                raise Bug(TWO_VERDICTS(name=name))
            table[name] = row
    return table


def _size_rows(raw: Mapping[str, str], algorithms: Mapping[str, PolicyRow]) -> tuple[tuple[int, PolicyRow], ...]:
    rows = [(int(bits), algorithms[name]) for bits, name in raw.items()]
    return tuple(sorted(rows, key=lambda pair: pair[0], reverse=True))


@dataclass(frozen=True, slots=True)
class _Sizes:
    family: str
    rows: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Slow:
    latency_factor: float
    throughput_factor: float


@dataclass(frozen=True, slots=True)
class _Head:
    name: str
    version: str
    slow: _Slow
    size: tuple[_Sizes, ...]


@dataclass(frozen=True, slots=True)
class _Aliases:
    aliases: Mapping[str, str]


# The tables [[combination]] and [[composition]] are read by app/policy/combinations.py.
_HEAD = bundled(POLICY_FOLDER / "policy.toml", _Head, lenient)
POLICY_NAME = _HEAD.name
POLICY_VERSION = _HEAD.version
SLOW_LATENCY_FACTOR = _HEAD.slow.latency_factor
SLOW_THROUGHPUT_FACTOR = _HEAD.slow.throughput_factor
