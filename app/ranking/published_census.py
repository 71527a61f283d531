"""The study's table of working and failing options, to be shown beside a census of one's own."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

STUDY_2019 = (
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


def published_triples(solution: str) -> tuple[PublishedTriple, ...]:
    """Return the published triples of one solution, in the table's order of platforms.

    Args:
        solution: As it is called here; both OpenVPNs are the study's one.

    Returns:
        One per platform on which it was tried; none where the study does not have it.

    Source: resources/reference/platforms.toml, where the study is named.
    """
    text = (files("resources") / "reference" / "platforms.toml").read_text(encoding="utf-8")
    name = solution.partition("-")[0]
    return tuple(
        PublishedTriple(platform["name"], *platform["options"][name])
        for platform in tomllib.loads(text)["platform"]
        if name in platform["options"]
    )
