"""Runs a census: option after option, each stored when it was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, CensusPlan, CensusRecord, OptionResult, OptionStatus
from app.domain.commands import SessionPair
from app.domain.errors import Cancelled, InvalidPlan, PackageMissing, TunnelmarkError, UnderlayDown
from app.domain.events import (
    AttemptEnded,
    AttemptStarted,
    CampaignEnded,
    CampaignStarted,
    CensusSink,
    LogLevel,
    LogLine,
)
from app.domain.hosts import HostFacts, Side, ToolFlavour
from app.domain.link import Link, LinkHealer
from app.domain.results import CampaignStatus
from app.measurement.census.interfaces import CensusStore, Tunnels
from app.measurement.census.progress import CensusMeter
from app.measurement.census.solution import SolutionRun
from app.probes import UnderlayGuard, UnderlayWatch

CANCELLED = "The census was cancelled."


def run_census(
    plan: CensusPlan,
    *,
    sessions: SessionPair,
    adapters: Mapping[str, Adapter],
    link: Link,
    facts: Mapping[str, HostFacts],
    store: CensusStore,
    token: CancelToken,
    emit: CensusSink,
    version: str,
    header: tuple[str, ...],
    resume_id: int | None = None,
    tunnels: Tunnels | None = None,
    healer: LinkHealer | None = None,
) -> CensusRecord:
    """Run a census to its end, whatever that is.

    Args:
        plan: What to try; when resuming, the stored plan counts.
        sessions: Connections to both hosts.
        adapters: By solution.
        link: What tunnels are built on.
        facts: What was found on the hosts, by `a` and `b`.
        store: Where results go as they are made.
        token: Cancelling it ends the running option; both hosts are put back.
        emit: Gets every event.
        version: Tunnelmark's version.
        header: Comment lines for every file on the hosts.
        resume_id: Go on with this census.
        tunnels: Builds tunnels; None means `app.tunnel`.
        healer: Gets the link between the hosts back; None where it is not ours.

    Returns:
        The census as stored. Cancelling, options that do not work and a link that stays dead are results, not errors.

    Raises:
        InvalidPlan: There is no consent to load on a live link; nothing was touched.
        PackageMissing: A host lacks what trying needs; nothing was touched.
        EnvironmentFault: A host stays away, or could not be put back; what was tried before is stored.
    """
    if resume_id is not None:
        plan = store.load_census(resume_id).plan
    _check(plan, facts)
    if tunnels is None:
        from app.measurement.census.tunnels import DeployedTunnels

        tunnels = DeployedTunnels(plan.pair, sessions, link, facts, header, store.audit)
    if resume_id is not None:
        store.claim_census(resume_id)
    census_id = resume_id if resume_id is not None else store.create_census(plan, facts, version)
    stored = store.load_census(census_id).results
    done = tuple(result for result in stored if result.status is not OptionStatus.NOT_RUN)
    emit(CampaignStarted(census_id, plan, done))
    # A practice lab's gateways answer pings; elsewhere that is only known once frames crossed.
    is_known = plan.pair.is_lab or any(result.status is OptionStatus.WORKS for result in done)
    underlay = UnderlayGuard(UnderlayWatch(sessions, link, has_answered=is_known), healer=healer, emit=emit)
    census = _Census(census_id, plan, adapters, link, facts, store, tunnels, underlay, token, emit)
    return census.run(done, is_resumed=resume_id is not None)


def _check(plan: CensusPlan, facts: Mapping[str, HostFacts]) -> None:
    if not plan.pair.is_lab and not plan.allow_load:
        raise InvalidPlan(
            f"{plan.pair.name} is not a practice lab, and nobody agreed to put load on its link.",
            hint="Each option fills the link for a second: agree to that (--allow-load).",
        )
    needed = {Side.A: ("ping", "tcpdump", "iperf3"), Side.B: ("iperf3",)}
    for side, names in needed.items():
        for name in names:
            tool = facts[side.value].tools.get(name)
            if tool is None or tool.flavour is ToolFlavour.MISSING:
                raise PackageMissing(
                    f"{name} is missing on {plan.pair.host(side).label}.",
                    hint="Install it there; Tunnelmark can do that for you.",
                )
    if facts[Side.A.value].tools["ping"].flavour is ToolFlavour.BUSYBOX:
        raise PackageMissing(
            f"BusyBox's ping on {plan.pair.a.label} cannot mark what it sends.", hint="Install iputils' ping there."
        )


@dataclass(frozen=True, slots=True)
class _Census:
    """One run of a census."""

    census_id: int
    plan: CensusPlan
    adapters: Mapping[str, Adapter]
    link: Link
    facts: Mapping[str, HostFacts]
    store: CensusStore
    tunnels: Tunnels
    underlay: UnderlayGuard
    token: CancelToken
    emit: CensusSink

    def run(self, done: Sequence[OptionResult], *, is_resumed: bool) -> CensusRecord:
        message = ""
        try:
            self._run_all(done, is_resumed=is_resumed)
        except Cancelled:
            return self._finish(CampaignStatus.CANCELLED, CANCELLED)
        except UnderlayDown as error:
            message = error.sentence()
        except BaseException as error:
            message = error.sentence() if isinstance(error, TunnelmarkError) else f"It broke off ({error!r:.200})."
            self._finish(CampaignStatus.INTERRUPTED, message)
            raise
        return self._finish(CampaignStatus.INTERRUPTED, message)

    def _finish(self, status: CampaignStatus, message: str) -> CensusRecord:
        self.store.finish_census(self.census_id, message)
        record = self.store.load_census(self.census_id)
        status = CampaignStatus.COMPLETED if record.is_complete else status
        self.emit(CampaignEnded(self.census_id, status, message))
        return record

    def _run_all(self, done: Sequence[OptionResult], *, is_resumed: bool) -> None:
        if is_resumed:
            for sentence in self.tunnels.recover(token=self.token):
                self.emit(LogLine(LogLevel.INFO, sentence))
        finished = {(result.solution, result.suite) for result in done}
        left = [item for item in self.plan.items if (item.solution, item.suite) not in finished]
        meter = CensusMeter(len(self.plan.items), len(self.plan.items) - len(left), self.emit)
        seen: set[int] = set()

        def on_begin(item: CensusItem) -> None:
            self.emit(AttemptStarted(item.key, item.title))
            meter.begin(item)

        def on_result(item: CensusItem, result: OptionResult) -> None:
            self.store.save_option(self.census_id, item, result)
            self.emit(AttemptEnded(result))
            meter.end(item, result, is_new=item.position not in seen)
            seen.add(item.position)

        for solution, items in groupby(left, key=lambda item: item.solution):
            SolutionRun(
                plan=self.plan,
                adapter=self.adapters[solution],
                link=self.link,
                facts=self.facts,
                tunnels=self.tunnels,
                underlay=self.underlay,
                token=self.token,
                emit=self.emit,
                on_begin=on_begin,
                on_result=on_result,
            ).run(tuple(items))
