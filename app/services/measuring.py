"""Comparisons and censuses: planned, run, and what is stored of censuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord
from app.domain.commands import SessionPair
from app.domain.events import CensusSink, EventOf, EventSink
from app.domain.history import EntryKind
from app.domain.hosts import PairSpec
from app.domain.hubs import Hub
from app.domain.progress import ProgressSink
from app.domain.results import CampaignPlan, CampaignRecord
from app.domain.version import tunnelmark_version
from app.lab.practice_labs import Labs
from app.measurement.adaptive import comparison_kind
from app.measurement.census import Census, find_unfinished, plan_census
from app.measurement.census.stored import CensusOptions, CensusResults, census_results
from app.measurement.clean_host_check import run_checked
from app.measurement.comparison import plan_choice
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts
from app.measurement.firewalls import FirewallConsents
from app.measurement.options import RunOptions
from app.measurement.overhead import Overheads, measure_overheads
from app.measurement.work import A, P, R, Work
from app.policy.file_header import file_header
from app.services.messages import A_BENCHMARK, A_CENSUS, A_COMPARISON, MEASURING_OVERHEAD
from app.storage import Store
from app.storage.in_use import InUse, renaming
from app.storage.messages import NUMBERED_WORK

_WORK = {EntryKind.COMPARISON: A_COMPARISON, EntryKind.CENSUS: A_CENSUS}


class MeasuringOperations:
    """Implements what `app.services.interfaces.ComparisonServices` says of measuring, and the same for censuses.

    Attributes:
        adapters: By solution.
        hubs: Hubs with many clients, by solution.
        store: The database.
        in_use: Hosts that this user's processes work on.
        lab_service: Practice labs.
        firewall_consents: Which firewalls may be opened.
    """

    adapters: Mapping[str, Adapter]
    hubs: Mapping[str, Hub]
    store: Store
    in_use: InUse
    lab_service: Labs
    firewall_consents: FirewallConsents

    def sessions(self, pair: PairSpec, *, token: CancelToken) -> SessionPair:
        """Return connections to both hosts of a pair."""
        raise NotImplementedError

    def plan(self, discovery: Discovery, chosen: Sequence[tuple[str, str]], options: RunOptions) -> CampaignPlan:
        """Make a plan with predicted times."""
        return plan_choice(
            discovery,
            chosen,
            options,
            usual_condition=self.lab_service.condition,
            durations=self.store.durations,
            hubs=self.hubs,
        )

    def run(
        self,
        discovery: Discovery,
        plan: CampaignPlan,
        *,
        control: CampaignControl,
        emit: EventSink,
        resume_id: int | None = None,
    ) -> CampaignRecord:
        """Measure. Returns when all is done, cancelled and cleaned up. Raises PairLocked as `_measure`."""
        return self._measure(comparison_kind(plan), discovery, plan, control, emit, resume_id)

    def _measure(
        self,
        work: type[Work[P, A, R]],
        discovery: Discovery,
        plan: P,
        control: CampaignControl,
        emit: Callable[[EventOf[P, A]], None],
        resume_id: int | None,
    ) -> R:
        """Run a comparison or a census while this user's other processes leave both hosts alone.

        Raises:
            PairLocked: Other work on this computer holds one of the hosts; nothing was touched.
        """
        what = _WORK[work.kind]() if resume_id is None else NUMBERED_WORK(kind=work.kind, number=resume_id)
        with self.in_use.hold((plan.pair.a, plan.pair.b), what) as use:
            self.firewall_consents.take(plan.pair, is_needed=work.minds_firewalls)
            sessions, link = self.sessions(plan.pair, token=control.token), self.lab_service.link(plan.pair)
            hosts = CampaignHosts(
                sessions,
                self.adapters,
                discovery.link,
                discovery.facts,
                file_header(),
                healer=link,
                guests=self.lab_service.guests(plan.pair),
                conditioned=link,
                hubs=self.hubs,
            )
            return run_checked(
                work,
                plan,
                hosts,
                store=self.store,
                control=control,
                emit=renaming(use, work.kind, emit),
                version=tunnelmark_version(),
                resume_id=resume_id,
            )

    def measure_overhead(
        self, discovery: Discovery, *, rounds: int, token: CancelToken, on_progress: ProgressSink
    ) -> Overheads:
        """Measure the bare link by latency probes and by bare pings. Raises PairLocked as `_measure`."""
        pair = discovery.pair
        with self.in_use.hold((pair.a, pair.b), A_BENCHMARK()):
            client = self.sessions(pair, token=token).a
            return measure_overheads(
                client,
                discovery,
                rounds=rounds,
                token=token,
                on_share=lambda share: on_progress(MEASURING_OVERHEAD(), share),
            )

    def plan_census(self, discovery: Discovery, options: CensusOptions) -> CensusPlan:
        """Plan a census: every option of the chosen solutions that both hosts list."""
        return plan_census(
            discovery.pair,
            self.adapters,
            discovery.facts,
            solutions=options.solutions,
            names=options.names,
            kinds=options.kinds,
            pings=options.pings,
            allow_load=options.has_load_consent,
        )

    def unfinished_census(self, discovery: Discovery, plan: CensusPlan) -> int | None:
        """Return the number of an unfinished census of the same options with the same versions."""
        return find_unfinished(self.store, plan, discovery.facts, tunnelmark_version())

    def run_census(
        self,
        discovery: Discovery,
        plan: CensusPlan,
        *,
        token: CancelToken,
        emit: CensusSink,
        resume_id: int | None = None,
    ) -> CensusRecord:
        """Try every option. Returns when all is done, cancelled and cleaned up. Raises PairLocked as `_measure`."""
        return self._measure(Census, discovery, plan, CampaignControl(token=token), emit, resume_id)

    def census_results(self, census_id: int) -> CensusResults:
        """Return a stored census with its triples and verdicts."""
        return census_results(self.store, self.adapters, census_id)

    def censuses(self) -> tuple[int, ...]:
        """Return the numbers of stored censuses, newest first."""
        return self.store.list_censuses()

    def write_census(self, results: CensusResults, path: Path) -> Path:
        """Write a census to a file; the kind follows from the ending: .json or .html."""
        from app.reports import write_census

        return write_census(results.record, results.words, path)
