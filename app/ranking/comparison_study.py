"""Studies that are measured again by one comparison: candidates, parts, published figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from types import MappingProxyType

from app.domain.profiles import Profile
from app.domain.solutions import BASELINE
from app.ranking import file_study
from app.ranking.file_study import Cell, FileFigures, StudyCandidate
from app.wording.language import mark, tr

__all__ = [
    "Cell",
    "ComparisonStudy",
    "Figures",
    "StudyCandidate",
    "StudyFigure",
    "StudyOrder",
    "StudyPart",
    "StudyWay",
    "as_figures",
    "comparison_studies",
    "published_figures",
    "times_bare",
]

Figures = Mapping[str, float | None]
"""Figures of a cell by name; None where one is not known."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """An extent to which a study is measured again: all its candidates with one profile.

    Attributes:
        name: A value of `--part`.
        amounts: Profile of its comparison.
    """

    name: str
    amounts: Profile

    def predicted_s(self, candidates: int) -> float:
        """Return about how long it takes with so many candidates, in s."""
        return file_study.predicted_s(self.name, candidates)


@dataclass(frozen=True, slots=True)
class StudyWay:
    """A direction of figures: as figures of workloads name it, and as the study's table does."""

    name: str
    printed: str


@dataclass(frozen=True, slots=True)
class StudyFigure:
    """A figure of each candidate and way. The first one of a study decides whether a cell was measured.

    Attributes:
        name: In `Figures`, with its unit.
        title: For people; an English text, to be translated.
        decimals: Digits after the decimal sign; None for three significant ones.
        is_higher_better: Whether more is better.
    """

    name: str
    title: str
    decimals: int | None = None
    is_higher_better: bool = False


@dataclass(frozen=True, slots=True)
class StudyOrder:
    """An order of cells that the study publishes, with which that of own figures is compared.

    Attributes:
        figure: Name of the figure.
        title: Of what; an English text, to be translated.
    """

    figure: str
    title: str

    @property
    def words(self) -> str:
        """Of what it is an order, in the current language."""
        return tr(self.title)


@dataclass(frozen=True, slots=True)
class ComparisonStudy:
    """A study that is measured again by one comparison.

    Attributes:
        name: Its name at the command line.
        title: What it compares; an English text, to be translated, as `notes` are.
        citation: Authors, title, year and place.
        seed: Of the order of candidates: the same in each run, so that one that was interrupted is known again.
        notes: What differs from the study.
        part: Its parts, the shortest first.
        way: Its ways.
        figure: Its figures.
        order: Its orders.
        candidate: Its candidates, the bare link first.
        workload: Workload that measures it; empty where latency and throughput do.
    """

    name: str
    title: str
    citation: str
    seed: int
    notes: tuple[str, ...]
    part: tuple[StudyPart, ...]
    way: tuple[StudyWay, ...]
    figure: tuple[StudyFigure, ...]
    order: tuple[StudyOrder, ...]
    candidate: tuple[StudyCandidate, ...]
    workload: str = ""

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

    def label(self, cell: Cell) -> str:
        """Return a cell's name for people."""
        name = next(one.label for one in self.candidate if (one.solution, one.suite) == cell[:2])
        printed = next(one.printed for one in self.way if one.name == cell[2])
        return f"{name} {printed}".rstrip()

    def kind(self, name: str) -> StudyFigure:
        """Return the figure of this name."""
        return next(one for one in self.figure if one.name == name)

    def left_out(self, possible: Collection[tuple[str, str]]) -> tuple[StudyCandidate, ...]:
        """Return the candidates that are not among these."""
        return tuple(one for one in self.candidate if (one.solution, one.suite) not in possible)


def _files_2011() -> ComparisonStudy:
    return ComparisonStudy(
        name=file_study.IPSEC_TLS,
        title=file_study.TITLE,
        citation=file_study.STUDY,
        seed=2011,
        notes=file_study.FILE_STUDY_NOTES,
        part=tuple(StudyPart(name, profile) for name, profile in file_study.PROFILES.items()),
        way=tuple(StudyWay(name, printed) for name, printed in file_study.WAYS.items()),
        figure=(
            StudyFigure("response_ms", mark("Response time")),
            StudyFigure("longest_ms", mark("Longest response time")),
            StudyFigure("rate_mbit_s", mark("Rate"), is_higher_better=True),
            StudyFigure("sender_cpu_pct", mark("CPU of the sender"), 0),
            StudyFigure("receiver_cpu_pct", mark("CPU of the receiver"), 0),
        ),
        order=(StudyOrder("response_ms", mark("Both directions")),),
        candidate=file_study.study_candidates(),
        workload=file_study.workload(),
    )


@cache
def comparison_studies() -> Mapping[str, ComparisonStudy]:
    """Return every study of this kind by name."""
    return MappingProxyType({one.name: one for one in (_files_2011(),)})


def as_figures(found: Mapping[Cell, FileFigures]) -> Mapping[Cell, Figures]:
    """Return figures of files by their names."""
    return {cell: asdict(one) for cell, one in found.items()}


def published_figures(study: ComparisonStudy) -> Mapping[Cell, Figures]:
    """Return the published figures by cell."""
    return as_figures(file_study.published_files()) if study.name == file_study.IPSEC_TLS else {}


def times_bare(figures: Mapping[Cell, Figures], cell: Cell, name: str) -> float | None:
    """Return how many times that of the bare link a figure is; None where either was not measured."""
    bare = figures.get((BASELINE, "none", cell[2]), {}).get(name)
    own = figures.get(cell, {}).get(name)
    return None if not bare or own is None else own / bare
