"""Data of the page that compares two comparisons, computed outside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.conditions import is_same_condition
from app.domain.errors import NotFound, StorageFault
from app.domain.history import EntryKind
from app.domain.progress import ProgressSink
from app.domain.ranking import Ranking
from app.domain.results import CampaignRecord
from app.ranking.comparing import ComparisonDiff, compare_records
from app.ranking.over_time import PastComparison, over_time
from app.services.interfaces import ComparisonServices
from ui.common.candidate_rows import Key
from ui.common.sample_model import Curve
from ui.common.texts import tr
from ui.plots.result_data import curve_of, plot_names

_MOST_COMPARISONS = 24
"""The newest ones of a pair that are read; ranking one takes up to a second."""

_Ranked = tuple[CampaignRecord, Ranking]


@dataclass(frozen=True, slots=True)
class ChangesData:
    """Two comparisons, ready to be shown.

    Attributes:
        diff: Their differences, the earlier one first.
        names: Short titles of all candidates of the pair, with the position among the suites of the same solution.
        curves: Means and bands over frame size of the earlier and of the later comparison.
        past: Comparisons of the later one's pair under its condition, the oldest first; of the newest
            `_MOST_COMPARISONS` of the pair.
        left_out: How many older ones of the pair there are.
        under_others: How many of those that were read are under other conditions of the link.
    """

    diff: ComparisonDiff
    names: dict[Key, tuple[str, int]]
    curves: tuple[tuple[Curve, ...], tuple[Curve, ...]]
    past: tuple[PastComparison, ...]
    left_out: int
    under_others: int = 0


def read_changes(
    services: ComparisonServices, numbers: tuple[int, int], token: CancelToken, report: ProgressSink
) -> ChangesData:
    """Read two comparisons and the others of their pair. For worker threads.

    Raises:
        NotFound, StorageFault: One of the two cannot be read.
    """
    first, second = sorted((services.results(number) for number in numbers), key=lambda one: one[0].started_at)
    others, left_out = _others(services, second[0].plan.pair.name, set(numbers), token, report)
    of_pair = [one for one in (first, second) if one[0].plan.pair.name == second[0].plan.pair.name]
    ranked = [second, *others, first]
    alike = [one for one in (*others, *of_pair) if is_same_condition(one[0].plan.condition, second[0].plan.condition)]
    candidates = {(one.solution, one.suite): one for record, _ in ranked for one in record.plan.candidates}
    return ChangesData(
        compare_records(first, second),
        plot_names(tuple(candidates.values())),
        (_curves(first), _curves(second)),
        over_time(alike),
        left_out,
        len(others) + len(of_pair) - len(alike),
    )


def _others(
    services: ComparisonServices, pair: str, but: set[int], token: CancelToken, report: ProgressSink
) -> tuple[list[_Ranked], int]:
    """Return further comparisons of a pair that measured something, and how many older ones are left out."""
    found: list[_Ranked] = []
    entries = [
        one
        for one in services.history()
        if one.kind is EntryKind.COMPARISON and one.pair == pair and one.measured and not one.is_running
    ]
    numbers = [int(one.key) for one in entries if int(one.key) not in but]
    most = _MOST_COMPARISONS - len(but)
    for nth, number in enumerate(numbers[:most]):
        token.raise_if_cancelled()
        report(tr("Reading comparison %1", number), nth / len(numbers[:most]))
        try:
            found.append(services.results(number))
        except (NotFound, StorageFault):  # deleted meanwhile, or damaged: opening it says more
            continue
    return found, max(0, len(numbers) - most)


def _curves(ranked: _Ranked) -> tuple[Curve, ...]:
    return tuple(curve for result in ranked[1].results if (curve := curve_of(result)) is not None)
