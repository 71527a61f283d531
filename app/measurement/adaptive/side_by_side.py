"""Check that candidates may be measured while others are up: their idle tunnels must not change a latency."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed, TunnelmarkError
from app.domain.profiles import CHECK_BLOCKS, Profile
from app.domain.results import AttemptKey
from app.domain.solutions import BASELINE
from app.measurement.adaptive.cycles import Cycles
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.messages import (
    BARE_LINK_CHANGED,
    LATENCY_CHANGED,
    MEASURED_ONE_AT_A_TIME,
    SIDE_BY_SIDE_NOT_CHECKED,
)
from app.probes.blocks import BlockTarget

MOST_MOVED = 0.05
"""If idle tunnels change a latency by more than this share, one is up at a time. Source: our choice."""

_ERRORS_BEYOND_CHANCE = 3.0
"""A change counts from so many standard errors on: of five blocks before and afterwards, chance alone exceeds them in
2 % of checks. Source: Student's t of 8 degrees of freedom."""

ONE_AT_A_TIME = MEASURED_ONE_AT_A_TIME()
"""Begin of the doubt that every attempt of such a comparison has; resuming knows it by that."""

NOT_CHECKED = SIDE_BY_SIDE_NOT_CHECKED()
"""Doubt of every attempt whose group could not be checked; the check remains due for the next round."""

FailureSink = Callable[[Draft, TunnelmarkError], None]


class NotSideBySide(TunnelmarkError):
    """Tunnels that are up side by side change each other's latency."""

    reason = "not-side-by-side"


@dataclass(frozen=True, slots=True)
class Moved:
    """Change of a latency when the others came up.

    Attributes:
        title: Of what.
        ratio: Latency afterwards over that before.
        error: Standard error of the ratio's logarithm; infinite where there are too few values.
    """

    title: str
    ratio: float
    error: float

    @property
    def is_too_much(self) -> bool:
        """Whether it is more than 5 %, and more than chance."""
        change = abs(math.log(self.ratio))
        return change > math.log(1.0 + MOST_MOVED) and change > _ERRORS_BEYOND_CHANCE * self.error

    @property
    def percent(self) -> float:
        """The change in percent."""
        return (self.ratio - 1.0) * 100.0


def moved(title: str, before_ms: Sequence[float], after_ms: Sequence[float]) -> Moved:
    """Compare block values before and after the others came up.

    Args:
        title: Of what.
        before_ms: Values in ms.
        after_ms: Values in ms.
    """
    logs = [[math.log(value) for value in values] for values in (before_ms, after_ms)]
    if min(map(len, logs)) < 2:
        return Moved(title, 1.0, math.inf)
    variance = sum(statistics.variance(values) / len(values) for values in logs)
    return Moved(title, math.exp(statistics.median(logs[1]) - statistics.median(logs[0])), math.sqrt(variance))


@dataclass
class SideBySideCheck:
    """Blocks of the bare link and of one candidate before and after the others are up.

    Attributes:
        probes: Measures.
        profile: The comparison's profile.
        link: Far end of the bare link, which is measured beside the candidate where it is no candidate itself.
    """

    probes: RoundProbes
    profile: Profile
    link: BlockTarget
    _before_ms: dict[AttemptKey, list[float | None]] = field(default_factory=dict, init=False)
    _link: Draft | None = field(default=None, init=False)

    def measure_before(self, drafts: Sequence[Draft], *, token: CancelToken) -> None:
        """Measure the first blocks.

        Args:
            drafts: One candidate, and the bare link if it is one.
        """
        if not any(draft.is_bare for draft in drafts):
            self._link = self._answering_link(drafts[0], token)
        few = [draft.copy() for draft in drafts] + ([self._link.copy()] if self._link else [])
        values_ms = self._measure(few, token)
        # A bare link that answers nothing is no candidate's fault: the candidate is compared alone.
        self._before_ms = {one.key: values_ms[one.key] for one in few if one.is_open or not one.is_bare}

    def prove(self, drafts: Sequence[Draft], on_failed: FailureSink, *, token: CancelToken) -> str | None:
        """Measure the same targets once more, while the others are up.

        Beside the bare link a candidate's latency is compared as a ratio to it, cycle by cycle: load that comes and
        goes meanwhile changes both. A change of the bare link itself may be such load, so it is measured again.

        Args:
            drafts: Candidates that are measured on.
            on_failed: Gets a candidate of the check that stopped answering.

        Returns:
            A doubt: the bare link changed as well, and remained so, or there were too few replies; empty if there is
            none; None where a candidate of the check has ended early, so that the check is to be made with another.

        Raises:
            NotSideBySide: The ratio has changed by more than 5 %, and by more than chance.
        """
        everyone = [*drafts, *([self._link] if self._link else [])]
        same = [draft for draft in everyone if draft.key in self._before_ms]
        if len(same) < len(self._before_ms):
            return None
        copies = [draft.copy() for draft in same]
        after_ms = self._measure(copies, token)
        ended = [(draft, one.error) for draft, one in zip(same, copies, strict=True) if draft in drafts and one.error]
        for draft, error in ended:
            on_failed(draft, error)
        return None if ended else self._judge(same, after_ms, token)

    def _judge(
        self, same: Sequence[Draft], after_ms: Mapping[AttemptKey, Sequence[float | None]], token: CancelToken
    ) -> str:
        bare = next((one for one in same if one.is_bare), None)
        for draft in [one for one in same if not one.is_bare]:
            change = self._change_of_ratio(draft, bare, after_ms)
            if math.isinf(change.error):
                return NOT_CHECKED
            if change.is_too_much:
                raise NotSideBySide(LATENCY_CHANGED(title=change.title, percent=change.percent))
        if bare is None or not self._change(bare, after_ms).is_too_much:
            return ""
        change = self._change(bare, self._measure([bare.copy()], token))
        return BARE_LINK_CHANGED(percent=change.percent) if change.is_too_much else ""

    def _change_of_ratio(
        self, draft: Draft, bare: Draft | None, after_ms: Mapping[AttemptKey, Sequence[float | None]]
    ) -> Moved:
        before, after = (
            _ratios(found[draft.key], None if bare is None else found[bare.key])
            for found in (self._before_ms, after_ms)
        )
        return moved(draft.title, before, after)

    def _change(self, bare: Draft, after_ms: Mapping[AttemptKey, Sequence[float | None]]) -> Moved:
        return moved(bare.title, _ratios(self._before_ms[bare.key], None), _ratios(after_ms[bare.key], None))

    def _answering_link(self, draft: Draft, token: CancelToken) -> Draft | None:
        """Return the bare link beside a candidate; None where it does not answer echo requests."""
        key = replace(draft.key, position=-1, solution=BASELINE, suite="")
        link = replace(draft.copy(), key=key, title=BASELINE, tunnel=None, fixed_target=self.link)
        try:
            self.probes.warm_up(link.target, token=token)
        except ProbeFailed:
            return None
        return link

    def _measure(self, drafts: Sequence[Draft], token: CancelToken) -> dict[AttemptKey, list[float | None]]:
        cycles = Cycles(
            probes=self.probes,
            profile=self.profile,
            round=0,
            random=random.Random(0),  # noqa: S311 - an order, not a secret
            emit=lambda _event: None,
            report=lambda _text: None,
        )
        for draft in drafts:
            try:
                self.probes.warm_up(draft.target, token=token)
            except ProbeFailed as error:
                draft.fail(error)
        for _ in range(CHECK_BLOCKS):
            if answering := [draft for draft in drafts if draft.is_open]:
                cycles.one(answering, lambda draft, error: draft.fail(error), token=token)
        return {draft.key: [one.value_ms for one in draft.blocks] for draft in drafts}


def _ratios(values: Sequence[float | None], bare: Sequence[float | None] | None) -> list[float]:
    """Return values over those of the bare link in the same cycle, or as they are without it."""
    if bare is None:
        return [value for value in values if value is not None]
    return [value / other for value, other in zip(values, bare, strict=False) if value is not None and other]
