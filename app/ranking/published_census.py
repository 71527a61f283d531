"""The study's table of working and failing options, to be shown beside a census of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from app.domain.structured import bundled, lenient
from app.wording.language import mark

STUDY_2019 = mark(
    "Lackorzynski, Köpsell, Strufe: A Comparative Study on Virtual Private Networks for Future Industrial "
    "Communication Systems, 2019, Table III. Other versions of the programs, and lists of options that differ from "
    "platform to platform: compare what fails, not the totals."
)


@dataclass(frozen=True, slots=True)
class PublishedTriple:
    """One cell of the table.

    Attributes:
        platform: The hardware.
        working: Options that worked.
        failed: Options that did not.
        total: Options that were tried.
    """

    platform: str
    working: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class _Platform:
    id: str
    name: str
    options: Mapping[str, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _Platforms:
    platform: tuple[_Platform, ...]


def published_triples(solution: str) -> tuple[PublishedTriple, ...]:
    """Return the published triples of one solution, in the table's order of platforms.

    Args:
        solution: As it is called here; both OpenVPNs are the study's one.

    Returns:
        One per platform on which it was tried; none where the study does not have it.

    Source: resources/reference/platforms.toml, where the study is named.
    """
    name = solution.partition("-")[0]
    return tuple(PublishedTriple(one.name, *one.options[name]) for one in _platforms() if name in one.options)


def platform_name(platform: str) -> str:
    """Return the name of the study's platform with this id."""
    return next(one.name for one in _platforms() if one.id == platform)


@cache
def _platforms() -> tuple[_Platform, ...]:
    return bundled(files("resources") / "reference" / "platforms.toml", _Platforms, lenient).platform
