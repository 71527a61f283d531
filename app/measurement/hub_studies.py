"""Study of a hub between sites on a practice lab: its parts, the time they take, and what is measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from app.discovery.pair_discovery import Discovery
from app.domain.hosts import Side
from app.domain.hub_study import HubCell, HubKind, HubResult
from app.domain.hubs import Hub
from app.domain.solutions import Suite
from app.measurement.hub_study_run import HubChoice, HubPart, HubStudyRun
from app.measurement.lab_study import LabRun, LabStudy, LabStudyAdapters, safe_default, usual_suite, why_no_suite
from app.measurement.messages.studies import HUB_STUDY_NEEDS_LAB, HUB_SUITE, NODE_SOLUTION_MISSING
from app.probes.hub_rate import QUICK_AMOUNTS, RateAmounts
from app.ranking.hub_study import HUB_STUDY, hub_cells, hub_clients, recovery_s
from app.storage.lab_results import HubResults, LabResults

HUB_PARTS: Mapping[str, HubPart] = {
    "quick": HubPart(QUICK_AMOUNTS, recovery=(8,), tcp_s=4, is_quick=True),
    "all": HubPart(RateAmounts(try_s=10, window_s=60), recovery=(8, 16, 32, 64, 100), tcp_s=10),
}
"""Amounts by part. Source of the 60 s: the study's own flood."""

_BUILD_S, _EACH_S, _TRIES = 20.0, 6.0, 9
"""Seconds of a hub with its clients, made and removed; of a rate that is tried, besides its own time; number of tries.

Source: own trials on a practice lab.
"""


class HubStudy(LabStudy):
    """Implements `LabStudy`: many clients of one hub."""

    name = HUB_STUDY
    parts = tuple(HUB_PARTS)
    needs_lab = HUB_STUDY_NEEDS_LAB
    kind = HubResults

    def __init__(self, within_s: int | None = None) -> None:
        """Ask for clients that are back within a time.

        Args:
            within_s: The time, in s; None for that of the study's file.
        """
        self._within_s = within_s

    @property
    def within_s(self) -> int:
        """Time in which clients have to be back after a restart of the hub, in s."""
        return recovery_s() if self._within_s is None else self._within_s

    def with_time(self, within_s: int) -> HubStudy:
        """Return the study with another time."""
        return HubStudy(within_s)

    def restarts(self, part: str, solutions: Collection[str] = ()) -> tuple[HubCell, ...]:
        """Return the cells of a part, or of some of its solutions, that restart the hub."""
        return tuple(cell for cell in self.chosen(part, solutions) if cell.kind is HubKind.RECOVERY)

    def as_measured(self, results: LabResults) -> tuple[LabStudy, ...]:
        """Return the study once for each time that clients had; as it is where no restart was measured."""
        cells = [one.cell for one in results.results] if isinstance(results, HubResults) else []
        times_s = {cell.within_s for cell in cells if cell.within_s is not None}
        return tuple(map(HubStudy, sorted(times_s))) or (self,)

    def keys(self, part: str) -> tuple[HubCell, ...]:
        """Return the cells of a part."""
        return hub_cells(is_quick=HUB_PARTS[part].is_quick, within_s=self.within_s)

    def predicted_s(self, part: str, keys: Sequence[Any], *, is_shaped: bool = False) -> float:
        """Return about how long some cells take, in s."""
        del is_shaped  # no condition is made
        amounts = HUB_PARTS[part]
        flood_s = _TRIES * (amounts.rates.try_s + _EACH_S) + amounts.rates.window_s + _EACH_S
        seconds = {
            HubKind.FLOOD: _BUILD_S + flood_s,
            HubKind.RECOVERY: sum(_BUILD_S + one + self.within_s for one in amounts.recovery),
            HubKind.THROUGHPUT: _BUILD_S + 2 * (amounts.tcp_s + _EACH_S),
        }
        return sum(seconds[cell.kind] for cell in keys)

    def todays_suites(self, keys: Collection[Any], adapters: LabStudyAdapters, discovery: Discovery) -> dict[Any, str]:
        """Return the titles of the suites that cells would be measured with."""
        made = (_choice(adapters, discovery, cell) for cell in keys)
        return {one.cell: one.suite.title for one in made if isinstance(one, HubChoice)}

    def choices(self, adapters: LabStudyAdapters, run: LabRun) -> Sequence[HubChoice | HubResult]:
        """Return hub and suite of each cell that is not done, or why it has none."""
        made = [_choice(adapters, run.discovery, cell) for cell in self.left(run)]
        for text in dict.fromkeys(_other_suite(run, one) for one in made if isinstance(one, HubChoice)):
            if text:
                run.report(text)
        return made

    def measure(self, run: LabRun, choices: Sequence[HubChoice | HubResult]) -> None:
        """Keep why cells cannot be measured, and measure the others."""
        for one in choices:
            if isinstance(one, HubResult):
                run.kept.keep(one)
        possible = [one for one in choices if isinstance(one, HubChoice)]
        HubStudyRun(
            *(possible, HUB_PARTS[run.part], hub_clients(), run.sessions, run.discovery.b.facts, run.tunnels),
            *(run.guests, run.report, run.kept.keep, run.token),
        ).run()


def _choice(adapters: LabStudyAdapters, discovery: Discovery, cell: HubCell) -> HubChoice | HubResult:
    """Return hub and suite of a cell, or why there is none; the suite is the safe default."""
    hub = adapters.hubs[cell.solution]
    suite = usual_suite(hub.adapter(1), discovery, cell.solution) or _own_default(adapters, discovery, hub)
    if suite is None:
        why = why_no_suite(discovery, cell.solution)
        return HubResult(cell, 0, message=NODE_SOLUTION_MISSING(title=cell.title, why=why))
    return HubChoice(cell, hub, adapters.session_hubs.get(cell.solution), suite)


def _own_default(adapters: LabStudyAdapters, discovery: Discovery, hub: Hub) -> Suite | None:
    """Return a hub's own default where both hosts have the safe default of a tunnel and the hub does not.

    WireGuard's hub has no suite with a pre-shared key from ML-KEM, which is made for two hosts. None where the hosts do
    not have that default, or the hub has none.
    """
    if usual_suite(adapters.adapters[hub.solution], discovery, hub.solution) is None:
        return None
    facts = discovery.facts[Side.A.value], discovery.facts[Side.B.value]
    return next((suite for suite in hub.adapter(1).suites(*facts) if suite.is_default), None)


def _other_suite(run: LabRun, choice: HubChoice) -> str:
    """Return that a hub is measured with another suite than the safe default of two hosts; empty where it is not."""
    default = safe_default(run.discovery, choice.hub.solution)
    if default is None or default == choice.suite.name:
        return ""
    return HUB_SUITE(title=choice.cell.title, suite=choice.suite.name, default=default)
