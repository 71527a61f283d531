"""All options of one solution, on one tunnel as far as that goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, CensusPlan, OptionResult, OptionStatus
from app.domain.errors import (
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    EnvironmentFault,
    HostUnreachable,
    InvalidPlan,
    PreflightRefused,
    ProbeFailed,
    TunnelDown,
)
from app.domain.events import CensusSink, LogLevel, LogLine
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.solutions import Suite
from app.measurement.census.interfaces import Tunnels
from app.measurement.census.option_test import OptionTest, is_control_well, try_option
from app.measurement.census.reusable_tunnel import ReusableTunnel
from app.probes import UnderlayGuard

T = TypeVar("T")

STREAK = 3
"""After so many failures in a row the safe default is tried, to see whether the hosts themselves are well."""

_PASSING = (ConnectionLost, DeadlineExceeded, HostUnreachable, ProbeFailed)
_CAUSED_BY_LINK = (PreflightRefused, TunnelDown, CommandFailed, *_PASSING)


@dataclass(frozen=True, slots=True)
class SolutionRun:
    """One solution of a census.

    A failure counts only where the solution's safe default works on these hosts: it is tried first, after a streak of
    failures, and after a last one. Where it does not work any more, the tunnel is built from nothing and what failed
    meanwhile is tried again. What failed on a dead link says nothing: it is tried again once frames cross that link.

    Attributes:
        plan: The census.
        adapter: The solution.
        link: What tunnels are built on.
        facts: What was found on the hosts, by `a` and `b`.
        tunnels: Builds tunnels.
        underlay: Watches the bare link.
        token: Cancels it.
        emit: Gets log lines.
        on_begin: Told which option begins.
        on_result: Told what became of it; may be told again of the same option.
    """

    plan: CensusPlan
    adapter: Adapter
    link: Link
    facts: Mapping[str, HostFacts]
    tunnels: Tunnels
    underlay: UnderlayGuard
    token: CancelToken
    emit: CensusSink
    on_begin: Callable[[CensusItem], None]
    on_result: Callable[[CensusItem, OptionResult], None]

    def run(self, items: Sequence[CensusItem]) -> None:
        """Try these options.

        Raises:
            UnderlayDown: The link between the hosts is dead and stays so.
            EnvironmentFault: A host stays away or could not be put back.
            Cancelled: The token was cancelled; both hosts were put back.
        """
        facts = self.facts[Side.A.value], self.facts[Side.B.value]
        control = next((suite for suite in self.adapter.suites(*facts) if suite.is_default), None)
        suites = {option.suite.name: option.suite for option in self.adapter.census(*facts)}
        with ReusableTunnel(self.tunnels, self.adapter, self.token) as standing:
            trial = OptionTest(self.plan, self.adapter, self.link, self.tunnels, standing, self.token)
            try:
                is_well = self._is_well(trial, control)
            except (PreflightRefused, InvalidPlan) as error:
                self._leave(items, error.sentence())
                return
            if not is_well:
                self._leave(items, "Not even its safe default works on these hosts, so that no failure would count.")
                return
            self._try_all(trial, control, suites, items)

    def _try_all(
        self, trial: OptionTest, control: Suite | None, suites: Mapping[str, Suite], items: Sequence[CensusItem]
    ) -> None:
        failed: list[CensusItem] = []
        for index, item in enumerate(items):
            self.token.raise_if_cancelled()
            suite = suites.get(item.suite)
            if suite is None:
                self._leave([item], "These hosts do not list it any more.")
                continue
            result = self._try(trial, item, suite)
            failed = [*failed, item] if result.status is OptionStatus.FAILS else []
            if len(failed) >= STREAK or (failed and index == len(items) - 1):
                if not self._confirm(trial, control, suites, failed):
                    self._leave(items[index + 1 :], "Its safe default does not work any more on these hosts.")
                    return
                failed = []

    def _confirm(
        self, trial: OptionTest, control: Suite | None, suites: Mapping[str, Suite], failed: Sequence[CensusItem]
    ) -> bool:
        """Return whether failures count; try them again where they may not."""
        if control is None or is_control_well(trial, control):
            return True
        self.emit(LogLine(LogLevel.WARNING, "The safe default did not work any more; building the tunnel anew."))
        if not self._is_well(trial, control):
            self._leave(failed, "Its safe default did not work any more on these hosts.")
            return False
        for item in failed:
            self._try(trial, item, suites[item.suite])
        return True

    def _is_well(self, trial: OptionTest, control: Suite | None) -> bool:
        """Return whether the safe default works on a tunnel built from nothing; it gets two tries."""
        if control is None:
            return True
        for _ in range(2):
            trial.standing.close()
            if self._on_live_link(trial, lambda: is_control_well(trial, control), is_bad=lambda is_well: not is_well)[
                0
            ]:
                return True
        return False

    def _try(self, trial: OptionTest, item: CensusItem, suite: Suite) -> OptionResult:
        self.on_begin(item)
        result, doubts = self._on_live_link(
            trial,
            lambda: try_option(trial, item, suite),
            is_bad=lambda result: result.status is not OptionStatus.WORKS,
        )
        result = replace(result, reason=" ".join((result.reason, *doubts)).strip())
        self.on_result(item, result)
        return result

    def _on_live_link(
        self, trial: OptionTest, work: Callable[[], T], *, is_bad: Callable[[T], bool]
    ) -> tuple[T, tuple[str, ...]]:
        """Do some work, once more where the link died meanwhile; return its outcome, and doubts about it."""
        while True:
            self._get_ready(trial)
            try:
                outcome = self._again(trial, work)
                if not is_bad(outcome) or not self.underlay.has_died(token=self.token):
                    doubts = self.underlay.doubts
                    self.underlay.settle()
                    return outcome, doubts
            except _CAUSED_BY_LINK:
                if not self.underlay.has_died(token=self.token):
                    raise
            self._put_in_order(trial)

    def _get_ready(self, trial: OptionTest) -> None:
        """Return when frames cross the link; hosts that cannot be asked just now are put in order and asked again."""
        try:
            self.underlay.ensure(token=self.token)
        except (CommandFailed, *_PASSING) as error:
            self.emit(LogLine(LogLevel.WARNING, f"{error.message} Trying once more."))
            self._put_in_order(trial)
            self.underlay.ensure(token=self.token)

    def _again(self, trial: OptionTest, work: Callable[[], T]) -> T:
        """Do it once more where a connection broke meanwhile, on hosts that have been put in order."""
        try:
            return work()
        except _PASSING as error:
            self.emit(LogLine(LogLevel.WARNING, f"{error.message} Trying once more."))
            self._put_in_order(trial)
            return work()

    def _put_in_order(self, trial: OptionTest) -> None:
        with suppress(EnvironmentFault):
            trial.standing.close()
        for sentence in self.tunnels.recover(token=self.token):
            self.emit(LogLine(LogLevel.INFO, sentence))

    def _leave(self, items: Sequence[CensusItem], reason: str) -> None:
        for item in items:
            self.on_result(
                item,
                OptionResult(
                    item.solution,
                    item.name,
                    item.kind,
                    item.suite,
                    OptionStatus.NOT_RUN,
                    reason=reason,
                    alias_of=item.alias_of,
                ),
            )
