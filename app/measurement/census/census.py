"""Census: the options of one solution after another, on tunnels that are given one suite after another."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from itertools import groupby
from typing import ClassVar

from app.domain.census import CensusPlan, CensusRecord, OptionResult, OptionStatus
from app.domain.errors import PackageMissing
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.results import AttemptKey, CampaignStatus
from app.measurement.census.option_test import CensusContext
from app.measurement.census.planning import GUESS_S
from app.measurement.census.solution import SolutionRun
from app.measurement.interfaces import CampaignStore
from app.measurement.messages import LOAD_HINT_CENSUS, PING_WITHOUT_PATTERN
from app.measurement.work import Done, Task, Work


class Census(Work[CensusPlan, OptionResult, CensusRecord]):
    """Implements `Work`. An option that does not come up is a result; a host that is lost is an error."""

    kind = EntryKind.CENSUS
    needed: ClassVar[Mapping[Side, tuple[str, ...]]] = {Side.A: ("ping", "tcpdump", "iperf3"), Side.B: ("iperf3",)}
    load_hint = LOAD_HINT_CENSUS()
    minds_firewalls = False
    is_proven_clean = False
    is_ended_by_lost_host = False

    def __init__(self, context: CensusContext, record: CensusRecord) -> None:
        super().__init__(context, record)
        self._run: SolutionRun | None = None

    @classmethod
    def check(cls, plan: CensusPlan, facts: Mapping[str, HostFacts]) -> None:
        """Refuse a plan that cannot be run on these hosts."""
        super().check(plan, facts)
        if facts[Side.A.value].tools["ping"].flavour is ToolFlavour.BUSYBOX:
            raise PackageMissing(PING_WITHOUT_PATTERN(host=plan.pair.a.label))

    @staticmethod
    def load(store: CampaignStore, number: int) -> CensusRecord:
        """Return a census as it is stored."""
        return store.load_census(number)

    @staticmethod
    def final_attempts(record: CensusRecord) -> tuple[OptionResult, ...]:
        """Return the options that were tried."""
        return tuple(result for result in record.results if result.status is not OptionStatus.NOT_RUN)

    @staticmethod
    def predicted(plan: CensusPlan) -> tuple[tuple[AttemptKey, float], ...]:
        """Return all options in order, with a guess of the seconds that each will take."""
        return tuple((item.key, GUESS_S) for item in plan.items)

    @staticmethod
    def is_crossed(attempt: OptionResult) -> bool:
        """Return whether a result shows that frames cross the link."""
        return attempt.status is OptionStatus.WORKS

    def tasks(self) -> Generator[Task[OptionResult], Done[OptionResult], CampaignStatus]:
        """Yield the options that are left, solution by solution, and controls between them."""
        finished = {result.position for result in self.done}
        left = [item for item in self.context.plan.items if item.position not in finished]
        for solution, items in groupby(left, key=lambda item: item.solution):
            self._run = SolutionRun(self.context, self.context.adapters[solution])
            yield from self._run.tasks(tuple(items))
            finished |= self._run.tried
        return CampaignStatus.COMPLETED if len(finished) == len(self.context.plan.items) else CampaignStatus.INTERRUPTED

    @property
    def is_tunnel_up(self) -> bool:
        """Whether a tunnel is up."""
        return self._run is not None and self._run.reusable.tunnel is not None

    def release(self) -> None:
        """Close the tunnel, if one is up."""
        if self._run is not None:
            self._run.reusable.close()
