"""The policy's tables, read from resources/policy and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from app.domain.errors import Bug
from app.domain.verdicts import Verdict

_FOLDER = resources.files("resources") / "policy"


@dataclass(frozen=True, slots=True)
class Row:
    """One verdict of the policy.

    Attributes:
        names: Every name it goes by, normalised.
        title: For people.
        kind: cipher, mode, mac, key-exchange, signature, protocol or option.
        verdict: The word.
        reason: One sentence.
        sources: Where that is said.
        key_bits: Key size in bits; None where that means nothing.
        block_bits: Block size in bits; None where there is none.
        replacement: What to use instead; empty where nothing has to be replaced.
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


@dataclass(frozen=True, slots=True)
class Tables:
    """The policy's rows by normalised name."""

    ciphers: Mapping[str, Row]
    modes: Mapping[str, Row]
    algorithms: Mapping[str, Row]


def normalise(name: str) -> str:
    """Return a name as the tables have it: lower case, with `-` for `_`, `/` and spaces."""
    return re.sub(r"[_/\s]+", "-", name.strip().lower())


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return all tables.

    Raises:
        Bug: A file is malformed or gives one name to two rows.
    """
    return Tables(
        ciphers=_by_name(_rows("ciphers.toml", "cipher", "cipher")),
        modes=_by_name(_rows("modes.toml", "mode", "mode")),
        algorithms=_by_name(_rows("algorithms.toml", "algorithm", None)),
    )


def _load(file_name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / file_name).read_text(encoding="utf-8"))


def _rows(file_name: str, key: str, kind: str | None) -> list[Row]:
    rows = []
    for raw in _load(file_name)[key]:
        try:
            names = tuple(normalise(name) for name in raw.pop("names"))
            sources = tuple(raw.pop("sources"))
            verdict = Verdict(raw.pop("verdict"))
            rows.append(Row(names=names, sources=sources, verdict=verdict, kind=kind or raw.pop("kind"), **raw))
        except (KeyError, TypeError, ValueError) as error:
            raise Bug(f"{file_name} has a malformed row: {error}.") from error
    return rows


def _by_name(rows: Iterable[Row]) -> Mapping[str, Row]:
    table: dict[str, Row] = {}
    for row in rows:
        for name in row.names:
            if name in table:
                raise Bug(f"The policy has two verdicts on {name}.")
            table[name] = row
    return table


_HEAD = _load("policy.toml")
POLICY_NAME: str = _HEAD["name"]
POLICY_VERSION: str = _HEAD["version"]
