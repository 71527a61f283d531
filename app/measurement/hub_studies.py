"""Study of a hub between sites on a practice lab: its parts, the time they take, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.hub_study import HubCell, HubKind, HubResult
from app.measurement.hub_study_run import HubChoice, HubPart, HubStudyRun
from app.measurement.lab_study import LabRun, LabStudy, LabStudyAdapters, usual_suite
from app.measurement.messages import NO_SAFE_SUITE
from app.measurement.messages.studies import HUB_STUDY_NEEDS_LAB, NODE_SOLUTION_MISSING
from app.ranking.hub_study import HUB_STUDY, hub_cells, hub_clients, recovery_s
from app.storage.lab_results import HubResults

HUB_PARTS: Mapping[str, HubPart] = {
    "quick": HubPart(try_s=4, window_s=10, precision=1.3, recovery=(8,), tcp_s=4, is_quick=True),
    "all": HubPart(try_s=10, window_s=60, recovery=(8, 16, 32, 64, 100), tcp_s=10),
}
"""Amounts by part. Source of the 60 s: the study's own flood."""

_BUILD_S, _EACH_S, _TRIES = 20.0, 6.0, 7
"""Seconds of a hub with its clients, made and removed; of a rate that is tried, besides its own time; number of rates.

Source: own trials on a practice lab.
"""


class HubStudy(LabStudy):
    """Implements `LabStudy`: many clients of one hub."""

    name = HUB_STUDY
    parts = tuple(HUB_PARTS)
    needs_lab = HUB_STUDY_NEEDS_LAB
    kind = HubResults

    def keys(self, part: str) -> tuple[HubCell, ...]:
        """Return the cells of a part."""
        return hub_cells(is_quick=HUB_PARTS[part].is_quick)

    def predicted_s(self, part: str, keys: Sequence[Any]) -> float:
        """Return about how long some cells take, in s."""
        amounts = HUB_PARTS[part]
        flood_s = _TRIES * (amounts.try_s + _EACH_S) + amounts.window_s + _EACH_S
        seconds = {
            HubKind.FLOOD: _BUILD_S + flood_s,
            HubKind.RECOVERY: sum(_BUILD_S + one + recovery_s() for one in amounts.recovery),
            HubKind.THROUGHPUT: _BUILD_S + 2 * (amounts.tcp_s + _EACH_S),
        }
        return sum(seconds[cell.kind] for cell in keys)

    def choices(self, adapters: LabStudyAdapters, run: LabRun) -> Sequence[HubChoice | HubResult]:
        """Return hub and suite of each cell that is not done, or why it has none."""
        return [_choice(adapters, run, cell) for cell in self.left(run)]

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


def _choice(adapters: LabStudyAdapters, run: LabRun, cell: HubCell) -> HubChoice | HubResult:
    """Return hub and suite of a cell, or why there is none; the suite is the safe default, or else the best."""
    hub = adapters.hubs[cell.solution]
    suite = usual_suite(hub.adapter(1), run.discovery, cell.solution)
    if suite is None:
        why = run.discovery.unavailable.get(cell.solution, NO_SAFE_SUITE())
        return HubResult(cell, 0, message=NODE_SOLUTION_MISSING(title=cell.title, why=why))
    return HubChoice(cell, hub, adapters.session_hubs.get(cell.solution), suite)
