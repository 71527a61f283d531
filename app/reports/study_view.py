"""Values of a repeated study that its report, its JSON and the window show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.application_study import ApplicationResult
from app.domain.condition_files import presets
from app.domain.topology import NodeKind
from app.domain.transfers import CONGESTION, Agreement, TransferCell, TransferResult
from app.ranking.heat_maps import HeatMap
from app.ranking.published_order import agreement
from app.ranking.published_transfers import published_transfers
from app.ranking.study_parts import split_cells, with_others
from app.ranking.transfer_advice import advice
from app.ranking.transfer_figures import figure_maps, way_name
from app.ranking.transfer_goals import Goal, goals
from app.storage.study_results import StudyResults
from app.wording.conditions import measured_words
from app.wording.language import mark, tr
from app.wording.local_forms import decimal, listed_names, local_figure
from app.wording.messages import local_text
from app.wording.titles import local_title

MOST_NAMED = 10
"""Pairs in the other order that are named; the others are a number."""

GOAL_WORDS: Mapping[bool | None, str] = {True: mark("Reached"), False: mark("Missed"), None: mark("Undecided")}
"""English words, to be translated, by whether a goal is met."""

STUDY_NOTES = (
    mark(
        "CUBIC on end hosts, BBR on the PEP alone, or on all that gateways send (section IV.A): the study prints 32 to "
        "46 s for 30 MB with loss."
    ),
    mark(
        "BBR is the kernel's, version 1; the study had version 2. A PEP is a proxy on B, the sender's gateway: at A it "
        "splits the tunnel's own TCP connection, at B those of the nodes. Nodes have an MTU that needs no fragments."
    ),
)
"""Notes on the published table and of its repetition."""

SPLIT_RANGE = mark("32–46 (section IV.A)")
"""Published seconds of the cells with BBR on gateways or proxies alone, which are in no table of the study."""


@dataclass(frozen=True, slots=True)
class StudyView:
    """A part of a study with everything that follows from own times.

    Attributes:
        results: All results on the pair.
        cells: Cells of the part, those of VPNs that the study does not have last.
        own_s: Own times in s of these cells, as far as there are any.
        comparisons: The study's comparisons of these cells.
        agreement: Agreement of the order of all these cells with the published one.
        goals: Figures that a repetition should reach.
        advice: What matters on each link.
    """

    results: StudyResults
    cells: tuple[TransferCell, ...]
    own_s: Mapping[TransferCell, float]
    comparisons: tuple[HeatMap, ...]
    agreement: Agreement[TransferCell]
    goals: tuple[Goal, ...]
    advice: tuple[str, ...]

    @property
    def failed(self) -> Mapping[TransferCell, str]:
        """Why transfers did not end, or do not count, by cell; those whose condition was missed are not measured."""
        return self.results.failed()

    @property
    def reasons(self) -> Mapping[TransferCell, str]:
        """Why cells of the part have no own time, by cell, as far as there is a reason."""
        found = {one.cell: one.message for one in self.results.results if one.message}
        return {cell: found[cell] for cell in self.cells if cell in found and cell not in self.own_s}


def study_view(results: StudyResults, cells: Sequence[TransferCell]) -> StudyView:
    """Return a part of a study with everything that follows from own times."""
    times = results.times_s()
    own = {cell: times[cell] for cell in cells if cell in times}
    return StudyView(
        results,
        tuple(cells),
        own,
        figure_maps(own, cells, results.failed()),
        agreement(own, published_transfers()),
        goals(own, cells),
        advice(own, results.failed()),
    )


def part_view(results: StudyResults, cells: Sequence[TransferCell]) -> StudyView:
    """Return all that was measured of a part: its cells, and behind them those of other VPNs that have a result."""
    return study_view(results, with_others(cells, {one.cell for one in results.results}))


def not_named(pairs: Collection[object]) -> int:
    """Return how many pairs in the other order are not named."""
    return max(0, len(pairs) - MOST_NAMED)


def more_text(pairs: Collection[object]) -> str:
    """Return how many pairs in the other order are not named, and where they are; empty where all are."""
    more = not_named(pairs)
    if not more:
        return ""
    return tr("and {number} more: JSON has all, each heat map lists its own").format(number=more)


def cell_name(cell: TransferCell) -> str:
    """Return a cell's name for people."""
    return f"{cell.condition} {local_text(CONGESTION[cell.congestion].title)} {way_name(cell)}"


def own_text(view: StudyView, cell: TransferCell) -> str:
    """Return a cell's own time in s, or why there is none."""
    if cell in view.own_s:
        return decimal(view.own_s[cell], 1)
    return tr("failed") if cell in view.failed else tr("not measured")


def published_text(cell: TransferCell, *, has_section: bool = True) -> str:
    """Return a cell's published time in s; a range of the study's text with or without its section; a dash for none."""
    published = published_transfers()
    if cell in published:
        return decimal(published[cell], 1)
    if cell not in split_cells():
        return "–"
    return tr(SPLIT_RANGE) if has_section else tr(SPLIT_RANGE).partition(" ")[0]


def link_lines(results: StudyResults, cells: Collection[TransferCell]) -> list[str]:
    """Return each condition of some cells as it was measured on the bare link, with the verdict.

    Earlier versions measured the round-trip time alone, which is beside the one asked for.
    """
    some = [one for one in results.results if one.cell in cells]
    lines = nodes_lines(results.nodes) + suite_lines((one.cell.solution, one.suite) for one in some)
    lines += condition_lines(some)
    measured = {one.cell.condition for one in some if one.measured_condition is not None}
    conditions = {cell.condition for cell in cells} - measured
    text = tr("{condition}: round trip {seen} ms at least on the bare link, {asked} ms asked for on the average.")
    return lines + [
        text.format(
            condition=condition, seen=local_figure(rtt_ms, 3), asked=local_figure(presets()[condition].rtt_ms, 3)
        )
        for condition, rtt_ms in (results.rtt_ms or {}).items()
        if condition in conditions
    ]


def suite_lines(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the suites that were measured of each VPN, of which several do not compare.

    Args:
        pairs: Name of a VPN, and the title of the suite of a result; empty where it is not known.
    """
    found: dict[str, dict[str, None]] = {}
    for solution, suite in pairs:
        if suite:
            found.setdefault(solution, {})[suite] = None
    lines = []
    for solution, suites in sorted(found.items()):
        text = tr("{solution} was measured with {suites}.")
        if len(suites) > 1:
            text = tr("{solution} was measured with different suites, whose figures do not compare: {suites}.")
        lines.append(text.format(solution=solution, suites=listed_names([local_title(one) for one in suites])))
    return lines


def nodes_lines(nodes: NodeKind) -> list[str]:
    """Return what the nodes were, where they were no namespaces."""
    if nodes is NodeKind.NAMESPACES:
        return []
    return [tr("The nodes were machines of their own, behind the gateways.")]


def place_text(pair: str, nodes: NodeKind) -> str:
    """Return where results are from: the pair, and that its nodes are machines where they are no namespaces."""
    if not pair or nodes is NodeKind.NAMESPACES:
        return pair
    return tr("{pair}, nodes are machines").format(pair=pair)


def part_text(part: str, within_s: int | None) -> str:
    """Return a part of a study, with the time in which clients of a hub have to be back, in s, where it has one."""
    return part if within_s is None else tr("{part}, back within {seconds} s").format(part=part, seconds=within_s)


def condition_lines(results: Iterable[TransferResult | ApplicationResult]) -> list[str]:
    """Return each condition as it was measured on the bare link, once for each group of cells of a run."""
    measured = {
        (one.cell.condition, one.cell.congestion, one.measured_condition.measured_at): one.measured_condition
        for one in results
        if one.measured_condition is not None
    }
    return [
        tr("Bare link, {condition}, {congestion}: {words}.").format(
            condition=condition, congestion=local_text(CONGESTION[congestion].title), words=measured_words(found)
        )
        for (condition, congestion, _), found in measured.items()
    ]
