"""All options of one solution, on one tunnel as far as that goes."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, OptionResult, OptionStatus
from app.domain.errors import InvalidPlan, PreflightRefused
from app.domain.events import LogLevel, LogLine
from app.domain.hosts import Side
from app.domain.solutions import Suite
from app.measurement.census.option_test import CensusContext, OptionTest, is_control_well, try_option
from app.measurement.messages import (
    BUILDING_ANEW,
    DEFAULT_DOES_NOT_WORK,
    DEFAULT_HAD_STOPPED,
    DEFAULT_STOPPED_WORKING,
    NOT_LISTED_ANY_MORE,
    OF_CANDIDATE,
)
from app.measurement.reusable_tunnel import ReusableTunnel
from app.measurement.work import Done, Task

STREAK = 3
"""After so many failures in a row the safe default is tried, to see whether the hosts themselves are well."""

Steps = Generator[Task[OptionResult], Done[OptionResult], None]
Answer = Generator[Task[OptionResult], Done[OptionResult], bool]


class SolutionRun:
    """One solution of a census.

    A failure counts only where the solution's safe default works on these hosts: it is tried first, after a streak of
    failures, and after a last one. Where it does not work any more, the tunnel is built from nothing and what failed
    meanwhile is tried again.

    Attributes:
        reusable: The tunnel.
        tried: Positions of the options that were tried.
    """

    def __init__(self, context: CensusContext, adapter: Adapter) -> None:
        self._context = context
        facts = context.facts[Side.A.value], context.facts[Side.B.value]
        self._control = next((suite for suite in adapter.suites(*facts) if suite.is_default), None)
        self._suites: Mapping[str, Suite] = {option.suite.name: option.suite for option in adapter.census(*facts)}
        self.reusable = ReusableTunnel(context.tunnels, adapter, context.control.token)
        self._trial = OptionTest(context, adapter, self.reusable)
        self.tried: set[int] = set()

    def tasks(self, items: Sequence[CensusItem]) -> Steps:
        """Yield what is to be done to try these options."""
        with self.reusable:
            try:
                is_well = yield from self._is_well()
            except (PreflightRefused, InvalidPlan) as error:
                self._leave(items, error.sentence())
                return
            if is_well:
                yield from self._try_all(items)
            else:
                self._leave(items, DEFAULT_DOES_NOT_WORK())

    def _try_all(self, items: Sequence[CensusItem]) -> Steps:
        failed: list[CensusItem] = []
        for index, item in enumerate(items):
            if item.suite not in self._suites:
                self._leave([item], NOT_LISTED_ANY_MORE())
                continue
            is_failing = yield from self._try(item)
            failed = [*failed, item] if is_failing else []
            if len(failed) >= STREAK or (failed and index == len(items) - 1):
                if not (yield from self._confirm(failed)):
                    self._leave(items[index + 1 :], DEFAULT_STOPPED_WORKING())
                    return
                failed = []

    def _confirm(self, failed: Sequence[CensusItem]) -> Answer:
        """Return whether failures count; try them again where they may not."""
        if (yield from self._is_control_well()):
            return True
        self._context.emit(LogLine(LogLevel.WARNING, BUILDING_ANEW()))
        if not (yield from self._is_well()):
            self._leave(failed, DEFAULT_HAD_STOPPED())
            return False
        for item in failed:
            yield from self._try(item)
        return True

    def _is_well(self) -> Answer:
        """Return whether the safe default works on a tunnel built from nothing; it gets two tries."""
        for _ in range(2):
            if (yield from self._is_control_well(is_anew=True)):
                return True
        return False

    def _is_control_well(self, *, is_anew: bool = False) -> Answer:
        if self._control is None:
            return True
        done = yield Task(partial(self._run_control, self._control, is_anew=is_anew))
        return done.is_good

    def _run_control(
        self, control: Suite, _token: CancelToken, _doubts: Sequence[str], *, is_anew: bool
    ) -> Done[OptionResult]:
        if is_anew:
            self.reusable.close()
        is_well = is_control_well(self._trial, control)
        return Done(is_good=is_well, is_doubtful=is_anew and not is_well)

    def _try(self, item: CensusItem) -> Answer:
        """Try an option; return whether it fails."""
        done = yield Task(partial(self._run_option, item), (item.key,), (item.title,))
        self.tried.add(item.position)
        return any(result.status is OptionStatus.FAILS for result in done.attempts)

    def _run_option(self, item: CensusItem, _token: CancelToken, doubts: Sequence[str]) -> Done[OptionResult]:
        result = try_option(self._trial, item, self._suites[item.suite], doubts)
        is_good = result.status is OptionStatus.WORKS
        return Done((result,), is_good=is_good, is_doubtful=not is_good, text=_ended(item, result.status))

    def _leave(self, items: Sequence[CensusItem], reason: str) -> None:
        for item in items:
            self.tried.discard(item.position)
            self._context.keep(item.result(OptionStatus.NOT_RUN, reason))
            self._context.meter.end(item.position, is_typical=False, text=_ended(item, OptionStatus.NOT_RUN))


def _ended(item: CensusItem, status: OptionStatus) -> str:
    """Return an option and its outcome."""
    return OF_CANDIDATE(title=item.title, what=status.value.replace("-", " "))
