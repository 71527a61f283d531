"""Study of 2011: files of 1 MB over OpenVPN and IPsec, its table, and own figures of the same candidates beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from app.domain.profiles import Profile
from app.domain.results import CampaignRecord
from app.domain.solutions import BASELINE
from app.ranking import comparison_study
from app.ranking.comparison_study import Cell, ComparisonStudy, Figures, StudyCandidate, comparison_studies
from app.ranking.own_study_figures import own_figures

IPSEC_TLS = "ipsec-tls-2011"
"""Name of the study."""

WAYS: Mapping[str, str] = {"a-to-b": "A->B", "b-to-a": "B->A"}
"""Directions: as figures of workloads name them, and as the table does."""


@dataclass(frozen=True, slots=True)
class FileFigures:
    """Files in one direction.

    Attributes:
        response_ms: Mean time of a file in ms.
        longest_ms: Longest time of a file in ms.
        rate_mbit_s: Rate in Mbit/s.
        sender_cpu_pct: CPU of the sender in percent; None where it is not known.
        receiver_cpu_pct: CPU of the receiver in percent; None where it is not known.
    """

    response_ms: float
    longest_ms: float
    rate_mbit_s: float
    sender_cpu_pct: float | None
    receiver_cpu_pct: float | None


def file_study() -> ComparisonStudy:
    """Return the study, with its candidates, notes and source. Source: resources/studies/ipsec-tls-2011.toml."""
    return comparison_studies()[IPSEC_TLS]


PROFILES: Mapping[str, Profile] = {one.name: one.amounts for one in file_study().part}
"""By part: the files decide, latency and throughput are measured in passing."""


def workload() -> str:
    """Return the workload that measures it."""
    return file_study().workload


def study_candidates() -> tuple[StudyCandidate, ...]:
    """Return the candidates, the bare link first."""
    return file_study().candidate


def predicted_s(part: str, candidates: int) -> float:
    """Return about how long a part takes with so many candidates, in s."""
    return file_study().parts[part].predicted_s(candidates)


def own_files(record: CampaignRecord) -> Mapping[Cell, FileFigures]:
    """Return what a comparison measured of it: means over the rounds, and the longest file of all."""
    return _files(own_figures(file_study(), record))


def _files(figures: Mapping[Cell, Figures]) -> Mapping[Cell, FileFigures]:
    return {cell: FileFigures(**one) for cell, one in figures.items()}  # type: ignore[arg-type]


def as_figures(figures: Mapping[Cell, FileFigures]) -> Mapping[Cell, Figures]:
    """Return figures of files by their names, as all studies of comparisons have theirs."""
    return {cell: asdict(one) for cell, one in figures.items()}


def times_bare(figures: Mapping[Cell, FileFigures], cell: Cell) -> float | None:
    """Return how many times as long as over the bare link a file takes; None where either was not measured."""
    return comparison_study.times_bare(as_figures(figures), cell, "response_ms")


def own_ratios(record: CampaignRecord) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Return response time and rate as ratios to the bare link, means of both directions, by the study's names.

    Args:
        record: A comparison, of the study's candidates or of others.
    """
    own, found = own_files(record), {}
    for one in study_candidates():
        pairs = [(own.get((one.solution, one.suite, way)), own.get((BASELINE, "none", way))) for way in WAYS]
        known = [(cell, bare) for cell, bare in pairs if cell is not None and bare is not None]
        if len(known) == len(WAYS) and one.solution != BASELINE:
            found[one.published, one.cipher] = (
                sum(cell.response_ms for cell, _ in known) / sum(bare.response_ms for _, bare in known),
                sum(cell.rate_mbit_s for cell, _ in known) / sum(bare.rate_mbit_s for _, bare in known),
            )
    return found
