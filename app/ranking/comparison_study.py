"""Studies of comparisons: data files with candidates and protocol, and tables of published figures or places."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from app.domain.profiles import PROFILES, Profile, ProfileName
from app.domain.solutions import BASELINE
from app.domain.structured import bundled
from app.ranking.published_census import platform_name
from app.wording.language import tr

Cell = tuple[str, str, str]
"""Solution, suite, and way: a direction, or `both`."""

Figures = Mapping[str, float | None]
"""Figures of a cell by name; None where one is not known."""

NO_CIPHER = "none"
"""Cipher of a candidate that is named by its VPN alone, in the file and in the table."""


@dataclass(frozen=True, slots=True)
class StudyCandidate:
    """A candidate of the study.

    Attributes:
        solution: It is repeated with this.
        suite: And with this suite.
        published: Name of the VPN in the study.
        cipher: Name of the cipher in the study.
    """

    solution: str
    suite: str
    published: str
    cipher: str = NO_CIPHER

    @property
    def label(self) -> str:
        """Its name in tables, as in the study."""
        return self.published if self.cipher == NO_CIPHER else f"{self.published} {self.cipher}"


@dataclass(frozen=True, slots=True)
class StudyPart:
    """An extent to which a study is measured again: all its candidates with one profile.

    Attributes:
        name: A value of `--part`.
        candidate_s: Seconds of one candidate in one round.
        profile: Name of a profile; empty where the amounts follow.
        pings: Echo requests per frame size.
        seconds: Seconds of TCP per direction.
        rounds: Rounds.
    """

    name: str
    candidate_s: float
    profile: str = ""
    pings: int = 0
    seconds: int = 0
    rounds: int = 0

    @property
    def amounts(self) -> Profile:
        """Profile of its comparison."""
        if self.profile:
            return PROFILES[ProfileName(self.profile)]
        return Profile(ProfileName.CUSTOM, pings=self.pings, seconds=self.seconds, rounds=self.rounds)

    def predicted_s(self, candidates: int) -> float:
        """Return about how long it takes with so many candidates, in s."""
        return self.candidate_s * candidates * self.amounts.rounds


@dataclass(frozen=True, slots=True)
class StudyWay:
    """A direction of figures.

    Attributes:
        name: As figures of workloads name it; `both` where a figure has no direction.
        printed: In the study's table and on the terminal; empty without a direction.
    """

    name: str
    printed: str


@dataclass(frozen=True, slots=True)
class StudyFigure:
    """A figure of each candidate and way. The first one of a study decides whether a cell was measured.

    Attributes:
        name: In JSON, with its unit.
        title: For people; a text of the catalogues, as is `heading`.
        heading: Above its column on the terminal.
        own: Where own figures come from: a figure of the study's workload, without its way, or without a workload
            `weighted-latency`, `throughput`, `jitter` or `overhead` of the comparison.
        column: Of the study's table; empty where the study prints no such figures.
        factor: From the table's unit to that of the name.
        over_rounds: `mean`, or `longest` for the largest value of all rounds.
        is_higher_better: Whether more is better.
        rank: Columns of the highest rank are left out first on a narrow terminal.
        decimals: Digits after the decimal sign; None for three significant ones.
    """

    name: str
    title: str
    heading: str
    own: str
    column: str = ""
    factor: float = 1.0
    over_rounds: str = "mean"
    is_higher_better: bool = False
    rank: int = 0
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class StudyOrder:
    """An order of candidates that the study publishes, with which that of own figures is compared.

    Attributes:
        figure: Name of the own figure.
        places: Column of the study's table with places, 1 the best; empty where the published figures are compared.
        title: Of what; a text of the catalogues. Empty where `platform` says it.
        platform: Id of a platform in resources/reference/platforms.toml.
    """

    figure: str
    places: str = ""
    title: str = ""
    platform: str = ""

    @property
    def words(self) -> str:
        """Platform or title that it belongs to, in the current language."""
        return platform_name(self.platform) if self.platform else tr(self.title)


@dataclass(frozen=True, slots=True)
class ComparisonStudy:
    """A study that is measured again by one comparison. Lists are named as their tables in the file.

    Attributes:
        name: Its name at the command line.
        title: What it compares; a text of the catalogues, as are `summary` and `notes`.
        citation: Authors, title, year and place.
        summary: What its published table has, a sentence.
        table: File in resources/reference; empty where nothing is compared with published figures or places.
        seed: Of the order of candidates: the same in each run, so that one that was interrupted is known again.
        notes: What differs from the study.
        part: Its parts, the shortest first.
        way: Its ways.
        figure: Its figures.
        order: Its orders.
        candidate: Its candidates, the bare link first.
        workload: Workload that measures it; empty where latency and throughput do.
        has_mean_ranks: Whether the study's heuristic ranks its systems; see app/ranking/overview_ranks.py.
    """

    name: str
    title: str
    citation: str
    summary: str
    table: str
    seed: int
    notes: tuple[str, ...]
    part: tuple[StudyPart, ...]
    way: tuple[StudyWay, ...]
    figure: tuple[StudyFigure, ...]
    order: tuple[StudyOrder, ...]
    candidate: tuple[StudyCandidate, ...]
    workload: str = ""
    has_mean_ranks: bool = False

    @property
    def workloads(self) -> tuple[str, ...]:
        """Workloads of its comparison."""
        return (self.workload,) if self.workload else ()

    @property
    def parts(self) -> Mapping[str, StudyPart]:
        """Its parts by name."""
        return {one.name: one for one in self.part}

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Cells of all candidates, in its order."""
        return tuple((one.solution, one.suite, way.name) for one in self.candidate for way in self.way)

    @property
    def has_places(self) -> bool:
        """Whether it publishes places instead of figures."""
        return any(one.places for one in self.order)

    def label(self, cell: Cell) -> str:
        """Return a cell's name for people."""
        name = next(one.label for one in self.candidate if (one.solution, one.suite) == cell[:2])
        printed = next(one.printed for one in self.way if one.name == cell[2])
        return f"{name} {printed}".rstrip()

    def kind(self, name: str) -> StudyFigure:
        """Return the figure of this name."""
        return next(one for one in self.figure if one.name == name)

    def with_others(self, others: Iterable[StudyCandidate]) -> ComparisonStudy:
        """Return the study with further candidates at the end, of which it has published nothing."""
        known = {(one.solution, one.suite) for one in self.candidate}
        added = tuple(one for one in others if (one.solution, one.suite) not in known)
        return replace(self, candidate=(*self.candidate, *added)) if added else self

    def left_out(self, possible: Sequence[tuple[str, str]]) -> tuple[StudyCandidate, ...]:
        """Return the candidates that are not among these."""
        return tuple(one for one in self.candidate if (one.solution, one.suite) not in possible)


@cache
def comparison_studies() -> Mapping[str, ComparisonStudy]:
    """Return every study of resources/studies by name, in alphabetical order; its folders have other kinds."""
    found = [
        bundled(file, ComparisonStudy)
        for file in (files("resources") / "studies").iterdir()
        if file.name.endswith(".toml")
    ]
    return MappingProxyType({one.name: one for one in sorted(found, key=lambda one: one.name)})


@cache
def _rows(table: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of a table of resources/reference, where the study is named."""
    text = (files("resources") / "reference" / table).read_text(encoding="utf-8")
    return tuple(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def _table(study: ComparisonStudy) -> Mapping[Cell, Mapping[str, str]]:
    keys = {(one.published, one.cipher): (one.solution, one.suite) for one in study.candidate}
    ways = {one.printed: one.name for one in study.way}
    return {(*keys[row["solution"], row["cipher"]], ways[row.get("direction", "")]): row for row in _rows(study.table)}


def published_figures(study: ComparisonStudy) -> Mapping[Cell, Figures]:
    """Return the published figures by cell; none where the study has places alone."""
    kinds = [one for one in study.figure if one.column]
    if not kinds:
        return {}
    return {
        cell: {one.name: one.factor * float(row[one.column]) if row[one.column] else None for one in kinds}
        for cell, row in _table(study).items()
    }


def published_order(study: ComparisonStudy, order: StudyOrder) -> Mapping[Cell, float]:
    """Return the values that put cells in the published order: places, or figures."""
    if order.places:
        return {cell: float(row[order.places]) for cell, row in _table(study).items() if row[order.places]}
    values = ((cell, figures[order.figure]) for cell, figures in published_figures(study).items())
    return {cell: value for cell, value in values if value is not None}


def places_text(study: ComparisonStudy, order: StudyOrder) -> str:
    """Return a published order of places in words: `1 MACsec; 2 IPsec, Tinc`, with ciphers where they are compared."""
    places = published_order(study, order)
    placed = [one for one in study.candidate if any((one.solution, one.suite) == cell[:2] for cell in places)]
    vpns = [one.published for one in placed]
    by_place: dict[float, list[str]] = {}
    for one in placed:
        name = one.published if vpns.count(one.published) == 1 else one.label
        by_place.setdefault(places[one.solution, one.suite, study.way[0].name], []).append(name)
    return "; ".join(f"{place:.0f} {', '.join(names)}" for place, names in sorted(by_place.items()))


def times_bare(figures: Mapping[Cell, Figures], cell: Cell, name: str) -> float | None:
    """Return how many times that of the bare link a figure is; None where either was not measured."""
    bare = figures.get((BASELINE, "none", cell[2]), {}).get(name)
    own = figures.get(cell, {}).get(name)
    return None if not bare or own is None else own / bare
