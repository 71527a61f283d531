"""Study of applications over a satellite link: its parts, the time they take, and what is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter
from app.domain.application_study import APPLICATIONS
from app.domain.condition_files import presets
from app.domain.conditions import Condition
from app.domain.errors import InvalidOption
from app.domain.solutions import Suite
from app.domain.transfers import TransferCell, of_solutions
from app.measurement.application_run import ApplicationRun
from app.measurement.cell_run import CellPlan, CellReports
from app.measurement.lab_study import LabRun, LabStudy, LabStudyAdapters
from app.measurement.link_conditions import PLAIN
from app.measurement.messages.studies import APPLICATIONS_NEED_LAB, OWN_HOSTS_ROUTED
from app.measurement.node_needs import NodeNeeds
from app.measurement.satellite_choices import satellite_choices, todays_suites
from app.probes.workloads import WORKLOADS
from app.ranking.application_study import APPLICATION_STUDY, PARTS, application_cells, published_flows
from app.ranking.study_parts import around_s
from app.storage.lab_results import ApplicationResults

_EACH_S = 5.0
"""Time around each cell. Source: a quick part on a practice lab took 477 s; with `around_s` this gives 588 s for it."""
_LOSS_S = 40.0
"""Time that a cell takes longer with loss, for three loads of the page. Source: calculated from CUBIC's window."""


def _cell_s(cell: TransferCell) -> float:
    condition = presets()[cell.condition]
    rtt_s, flows = condition.rtt_ms / 1_000, published_flows()
    seconds = _EACH_S + max(flows.first_s, flows.later_s + flows.second_s)
    for name in APPLICATIONS:
        workload = WORKLOADS[name]
        if name != "two-flows":  # takes as long as in the study, whatever the link
            seconds += rtt_s * workload.round_trips + workload.seconds
    return seconds + (_LOSS_S if condition.b_to_a.loss_pct else 0.0)


class ApplicationStudy(LabStudy):
    """Implements `LabStudy`: applications between nodes over a satellite link."""

    name = APPLICATION_STUDY
    parts = tuple(PARTS)
    needs_lab = APPLICATIONS_NEED_LAB
    own_hosts = OWN_HOSTS_ROUTED
    takes_others = True
    kind = ApplicationResults
    node_needs = NodeNeeds.of_workloads(APPLICATIONS, ("ip", "sysctl"))

    def keys(self, part: str) -> tuple[TransferCell, ...]:
        """Return the cells of a part."""
        return application_cells(part)

    def predicted_s(self, part: str, keys: Sequence[Any], *, is_shaped: bool = False) -> float:
        """Return about how long some cells take, in s."""
        del part  # cells take as long in each
        return sum(map(_cell_s, keys)) + around_s(keys, is_shaped=is_shaped)

    def chosen(self, part: str, solutions: Collection[str] = ()) -> tuple[TransferCell, ...]:
        """Return the cells of a part, or those of some VPNs and of none, which each choice is compared with.

        Other VPNs than the study's are behind them.
        """
        return of_solutions(application_cells(part), solutions)

    def conditions(self, part: str, solutions: Collection[str] = ()) -> tuple[str, ...]:
        """Return the names of the conditions of a part, or of some VPNs and of none."""
        return tuple(dict.fromkeys(one.condition for one in self.chosen(part, solutions)))

    def todays_suites(self, keys: Collection[Any], adapters: LabStudyAdapters, discovery: Discovery) -> dict[Any, str]:
        """Return the titles of the suites that cells would be measured with."""
        return todays_suites(keys, adapters.adapters, discovery)

    def choices(self, adapters: LabStudyAdapters, run: LabRun) -> Sequence[tuple[str, tuple[Adapter, Suite]]]:
        """Return adapter and suite by the study's name of a VPN.

        Raises:
            InvalidOption: A VPN of the study is not possible on these hosts, or no condition can be emulated.
        """
        if run.conditioned is None and run.shaping is None:
            raise InvalidOption(APPLICATIONS_NEED_LAB(pair=run.discovery.pair.name))
        return tuple(satellite_choices(adapters.adapters, run.discovery, self.left(run)).items())

    def measure(self, run: LabRun, choices: Sequence[tuple[str, tuple[Adapter, Suite]]]) -> None:
        """Measure the cells that are not done yet; the link is as before afterwards."""
        link, cells = run.conditioned, self.left(run)
        if not cells:
            return

        def set_condition(condition: Condition | None) -> None:
            if link is not None:
                link.hold(condition or PLAIN)

        def deviation(condition: Condition) -> str:
            return link.deviation(condition) if link is not None else ""

        plan = CellPlan(cells, dict(choices), run.guests, is_lab=run.discovery.pair.is_lab)
        reports = CellReports(run.report, run.kept.keep)
        try:
            ApplicationRun(
                *(plan, run.sessions, run.discovery.link, run.tunnels, set_condition, deviation, reports),
                token=run.token,
                machines=run.machines,
                shaping=run.shaping,
            ).run()
        finally:
            if link is not None:
                link.release()
