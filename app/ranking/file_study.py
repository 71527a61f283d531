"""Study of 2011: files of 1 MB over OpenVPN and IPsec, its table, and own figures of the same candidates beside it."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from app.domain.profiles import Profile, ProfileName
from app.domain.results import AttemptStatus, CampaignRecord
from app.domain.solutions import BASELINE
from app.domain.structured import bundled, lenient
from app.domain.transfers import Agreement
from app.ranking.published_order import agreement
from app.wording.language import mark

IPSEC_TLS = "ipsec-tls-2011"
"""Name of the study."""

STUDY = "Kotuliak, Rybár, Trúchly: Performance Comparison of IPsec and TLS Based VPN Technologies, 2011, Table I"

TITLE = mark("Files of 1 MB over OpenVPN and IPsec with AES, 3DES and Blowfish, and the CPU of both hosts")
"""Subject of the study, an English text, to be translated."""

FILE_STUDY_NOTES = (
    mark(
        "The study had two virtual machines on two computers, old programs, and tunnels of packets, where these "
        "carry Ethernet frames. Read the order and the ratios to the bare link, not the figures."
    ),
    mark("Its response times are those of files of 1 MB (IxChariot), and so are these. It does not give its MACs."),
    mark("Its 92 and 93 ms of OpenVPN with AES do not agree with its 98 and 99 Mbit/s, which take 81 ms for 1 MB."),
)
"""Differences to the study."""

WAYS: Mapping[str, str] = {"a-to-b": "A->B", "b-to-a": "B->A"}
"""Directions: as figures of workloads name them, and as the table does."""

_EACH_S = 55.0
"""Seconds of one candidate in one round. Source: own trials on a practice lab."""


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
    cipher: str

    @property
    def label(self) -> str:
        """Its name in tables, as in the study."""
        return self.published if self.solution == BASELINE else f"{self.published} {self.cipher}"


@dataclass(frozen=True, slots=True)
class _Study:
    workload: str
    candidate: tuple[StudyCandidate, ...]


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


Cell = tuple[str, str, str]
"""Solution, suite, and direction, one of `WAYS`."""

PROFILES: Mapping[str, Profile] = {
    "quick": Profile(ProfileName.CUSTOM, pings=50, seconds=1, rounds=1),
    "all": Profile(ProfileName.CUSTOM, pings=50, seconds=1, rounds=3),
}
"""By part: the files decide, latency and throughput are measured in passing."""


@cache
def _study() -> _Study:
    return bundled(files("resources") / "studies" / f"{IPSEC_TLS}.toml", _Study, lenient)


def workload() -> str:
    """Return the workload that measures it."""
    return _study().workload


def study_candidates() -> tuple[StudyCandidate, ...]:
    """Return the candidates, the bare link first. Source: resources/studies/ipsec-tls-2011.toml."""
    return _study().candidate


def predicted_s(part: str, candidates: int) -> float:
    """Return about how long a part takes with so many candidates, in s."""
    return _EACH_S * candidates * PROFILES[part].rounds


@cache
def published_files() -> Mapping[Cell, FileFigures]:
    """Return the study's table.

    Source: resources/reference/ipsec_tls_2011.csv, where the study is named.
    """
    text = (files("resources") / "reference" / "ipsec_tls_2011.csv").read_text(encoding="utf-8")
    keys = {(one.published, one.cipher): (one.solution, one.suite) for one in study_candidates()}
    ways = {printed: way for way, printed in WAYS.items()}
    found = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        solution, suite = keys[row["solution"], row["cipher"]]
        found[solution, suite, ways[row["direction"]]] = FileFigures(
            1e3 * float(row["response_avg_s"]),
            1e3 * float(row["response_max_s"]),
            float(row["throughput_mbit_s"]),
            float(row["cpu_sender_pct"]),
            float(row["cpu_receiver_pct"]),
        )
    return MappingProxyType(found)


def own_files(record: CampaignRecord) -> Mapping[Cell, FileFigures]:
    """Return what a comparison measured of it: means over the rounds, and the longest file of all."""
    taken: dict[Cell, list[FileFigures]] = {}
    for attempt in record.attempts:
        if attempt.status is not AttemptStatus.COMPLETED:
            continue
        for result in attempt.workloads:
            if result.workload == workload() and result.figures:
                for way in WAYS:
                    cell = attempt.key.solution, attempt.key.suite, way
                    taken.setdefault(cell, []).append(_of_way(result.figures, way))
    return {cell: _mean(rounds) for cell, rounds in taken.items()}


def _of_way(figures: Mapping[str, float], way: str) -> FileFigures:
    return FileFigures(
        figures[f"response-{way}"],
        figures[f"longest-{way}"],
        figures[f"rate-{way}"],
        figures.get(f"sender-cpu-{way}"),
        figures.get(f"receiver-cpu-{way}"),
    )


def _mean(rounds: list[FileFigures]) -> FileFigures:
    response_ms = statistics.fmean(one.response_ms for one in rounds)
    return FileFigures(
        response_ms,
        max(one.longest_ms for one in rounds),
        statistics.fmean(one.rate_mbit_s for one in rounds),
        _known_mean([one.sender_cpu_pct for one in rounds]),
        _known_mean([one.receiver_cpu_pct for one in rounds]),
    )


def _known_mean(values: Collection[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def times_bare(figures: Mapping[Cell, FileFigures], cell: Cell) -> float | None:
    """Return how many times as long as over the bare link a file takes; None where either was not measured."""
    bare = figures.get((BASELINE, "none", cell[2]))
    own = figures.get(cell)
    return None if bare is None or own is None else own.response_ms / bare.response_ms


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


def file_agreement(own: Mapping[Cell, FileFigures]) -> Agreement[Cell]:
    """Compare the order of own response times with the published one."""
    published = published_files()
    return agreement(_responses(own), _responses(published))


def _responses(figures: Mapping[Cell, FileFigures]) -> dict[Cell, float]:
    return {cell: one.response_ms for cell, one in figures.items()}
