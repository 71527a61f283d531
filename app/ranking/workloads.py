"""Results of workloads, candidate beside candidate: means over the rounds, their range, and who is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.results import AttemptStatus, CampaignRecord, CandidateId
from app.domain.solutions import BASELINE
from app.domain.workloads import FigureKind, WorkloadResult
from app.probes.workloads import Workload, planned_workloads
from app.wording.language import tr
from app.wording.messages import local_text
from app.wording.numbers import figure
from app.wording.titles import local_title

_FEWEST_ROUNDS = 2
"""With fewer, nothing is known of how much a figure varies. Source: our choice, as for ranks."""


AT_LEAST = "≥\N{NO-BREAK SPACE}"
"""Before a figure that a candidate, or a hub, can exceed."""


@dataclass(frozen=True, slots=True)
class WorkloadCell:
    """A figure of one candidate.

    Attributes:
        mean: Over the rounds.
        low: Least of the rounds.
        high: Greatest of them.
        rounds: How many.
        is_best: Whether no other candidate but the bare link is better in every round.
        is_lower_bound: Whether the candidate can exceed the mean: something else was the limit in a round.
    """

    mean: float
    low: float
    high: float
    rounds: int
    is_best: bool = False
    is_lower_bound: bool = False

    @property
    def mean_words(self) -> str:
        """The mean, with `≥` where the candidate can exceed it."""
        return f"{AT_LEAST * self.is_lower_bound}{figure(self.mean, 3)}"

    @property
    def words(self) -> str:
        """The mean, with the range of several rounds, and `*` for the best."""
        best = " *" * self.is_best
        if self.rounds < 2:
            return f"{self.mean_words}{best}"
        text = tr("{mean} ({low} to {high})")
        return text.format(mean=self.mean_words, low=figure(self.low, 3), high=figure(self.high, 3)) + best


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """One figure of one workload.

    Attributes:
        workload: Name of the workload.
        workload_title: For people.
        kind: What the figure is.
        is_main: Whether it is the workload's main figure.
        heading: Short title of the main figure, with its unit; empty for the others.
        cells: By candidate (solution, suite); those without a value are missing.
    """

    workload: str
    workload_title: str
    kind: FigureKind
    is_main: bool
    heading: str
    cells: Mapping[CandidateId, WorkloadCell]


@dataclass(frozen=True, slots=True)
class WorkloadTable:
    """All figures of all workloads of a comparison.

    Attributes:
        candidates: Key and title of each, in the plan's order.
        rows: In the order of the registry.
        notes: Why something was not measured, and where the numbers of each workload come from, as sentences.
    """

    candidates: tuple[tuple[CandidateId, str], ...]
    rows: tuple[WorkloadRow, ...]
    notes: tuple[str, ...]


def workload_table(record: CampaignRecord) -> WorkloadTable | None:
    """Return the results of a comparison's workloads; None where it had none."""
    if not record.plan.workloads:
        return None
    candidates = tuple(((one.solution, one.suite), local_title(one.title)) for one in record.plan.candidates)
    rows, notes = [], list(workload_notes(record))
    for workload in planned_workloads(record.plan):
        for number, kind in enumerate(workload.figures):
            results = {key: _results(record, key, workload.name, kind.name) for key, _ in candidates}
            cells = {key: _cell(found, kind.name) for key, found in results.items() if found}
            heading = _heading(workload, kind) if number == 0 else ""
            best = _with_best(cells, kind)
            rows.append(WorkloadRow(workload.name, workload.title, kind, number == 0, heading, best))
        notes.append(f"{local_text(workload.title)}: {local_text(workload.source)}.")
    return WorkloadTable(candidates, tuple(rows), tuple(notes))


def main_figures(record: CampaignRecord) -> tuple[WorkloadRow, ...]:
    """Return the main figure of each workload that was run, for columns of the ranking; they decide no rank."""
    found = workload_table(record)
    return tuple(one for one in found.rows if one.is_main) if found is not None else ()


def measured_figures(record: CampaignRecord) -> tuple[tuple[str, FigureKind], ...]:
    """Return workload and kind of every figure that the workloads of a comparison declare."""
    return tuple((one.name, kind) for one in planned_workloads(record.plan) for kind in one.figures)


def _heading(workload: Workload, kind: FigureKind) -> str:
    text = tr(workload.heading) if workload.heading else workload.name
    return f"{text}, {kind.unit}" if kind.unit else text


def workload_notes(record: CampaignRecord) -> tuple[str, ...]:
    """Return why something was not measured, or is doubtful, as sentences."""
    titles = {(one.solution, one.suite): local_title(one.title) for one in record.plan.candidates}
    workloads = {one.name: one.title for one in planned_workloads(record.plan)}
    found = []
    for made in record.attempts:
        candidate = titles.get((made.key.solution, made.key.suite), made.key.solution)
        for one in made.workloads:
            if one.workload not in workloads:
                continue
            name, number = local_text(workloads[one.workload]), made.key.round
            if one.message and not one.figures:
                text = tr("{candidate}: {workload} was not measured in round {round}: {why}")
                found.append(text.format(candidate=candidate, workload=name, round=number, why=local_text(one.message)))
            doubts = (one.message, one.doubt) if one.figures else (one.doubt,)
            for doubt in filter(None, doubts):
                text = tr("{candidate}, round {round}: {doubt}")
                found.append(text.format(candidate=candidate, round=number, doubt=local_text(doubt)))
    return tuple(dict.fromkeys(found))


def _results(record: CampaignRecord, key: CandidateId, workload: str, name: str) -> list[WorkloadResult]:
    return [
        one
        for made in record.attempts
        if (made.key.solution, made.key.suite) == key and made.status is AttemptStatus.COMPLETED
        for one in made.workloads
        if one.workload == workload and name in one.figures
    ]


def _cell(results: Sequence[WorkloadResult], name: str) -> WorkloadCell:
    values = [one.figures[name] for one in results]
    is_lower_bound = any(name in one.lower_bounds for one in results)
    return WorkloadCell(sum(values) / len(values), min(values), max(values), len(values), is_lower_bound=is_lower_bound)


def _with_best(cells: Mapping[CandidateId, WorkloadCell], kind: FigureKind) -> dict[CandidateId, WorkloadCell]:
    """Mark those whose range overlaps that of the best mean; one round marks none: it says nothing of chance.

    Ranges that are no further apart than the figure is measured count as overlapping. A figure that its candidate can
    exceed has no upper end: none is marked unless it is known which one is the best.
    """
    if kind.is_lower_better is None:
        return dict(cells)
    rivals = {key: cell for key, cell in cells.items() if key[0] != BASELINE}
    if len(rivals) < 2 or min(cell.rounds for cell in rivals.values()) < _FEWEST_ROUNDS:
        return dict(cells)
    best = _best(rivals, kind)
    return {key: replace(cell, is_best=key in best) for key, cell in cells.items()}


def _best(rivals: Mapping[CandidateId, WorkloadCell], kind: FigureKind) -> set[CandidateId]:
    sign = 1.0 if kind.is_lower_better else -1.0
    first = min(rivals.values(), key=lambda cell: sign * cell.mean)
    apart = kind.resolution
    best = {key for key, cell in rivals.items() if cell.low <= apart * first.high and first.low <= apart * cell.high}
    is_open = any(cell.is_lower_bound for cell in rivals.values() if cell is not first)
    return set() if is_open or (first.is_lower_bound and len(best) > 1) else best
