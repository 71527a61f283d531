"""Check that candidates may be measured while others are up: their idle tunnels must not change a latency."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed, TunnelmarkError
from app.domain.profiles import Profile
from app.domain.results import AttemptKey
from app.domain.solutions import BASELINE
from app.measurement.adaptive.cycles import Cycles
from app.measurement.adaptive.draft import Draft
from app.measurement.adaptive.probes import RoundProbes
from app.measurement.messages import BARE_LINK_CHANGED, LATENCY_CHANGED, MEASURED_ONE_AT_A_TIME
from app.probes.blocks import BlockTarget

MOST_MOVED = 0.05
"""If idle tunnels change a latency by more than this share, one is up at a time. Source: our choice."""

CHECK_BLOCKS = 5
"""Blocks before and after the others are up, of the same tunnels. Source: our choice."""

_ERRORS_BEYOND_CHANCE = 3.0
"""A change counts from so many standard errors on: of five blocks before and afterwards, chance alone exceeds them in
2 % of checks. Source: Student's t of 8 degrees of freedom."""

ONE_AT_A_TIME = MEASURED_ONE_AT_A_TIME()
"""Begin of the doubt that every attempt of such a comparison has; resuming knows it by that."""


class NotSideBySide(TunnelmarkError):
    """Tunnels that are up side by side change each other's latency."""

    reason = "not-side-by-side"


@dataclass(frozen=True, slots=True)
class Moved:
    """Change of a latency when the others came up.

    Attributes:
        title: Of what.
        ratio: Latency afterwards over that before.
        error: Standard error of the ratio's logarithm.
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

    @property
    def has_begun(self) -> bool:
        """Whether there are blocks from before the others were up."""
        return bool(self._before_ms)

    def measure_before(self, drafts: Sequence[Draft], *, token: CancelToken) -> None:
        """Measure the first blocks.

        Args:
            drafts: One candidate, and the bare link if it is one.
        """
        if not any(draft.is_bare for draft in drafts):
            self._link = self._answering_link(drafts[0], token)
        self._before_ms = self._measure([*drafts, *([self._link] if self._link else [])], token)

    def prove(self, drafts: Sequence[Draft], *, token: CancelToken) -> str:
        """Measure the same targets once more, while the others are up.

        Beside the bare link a candidate's latency is compared as a ratio to it, cycle by cycle: load that comes and
        goes meanwhile changes both. A change of the bare link itself may be such load, so it is measured again.

        Returns:
            A doubt: the bare link changed as well, and remained so; empty if it did not.

        Raises:
            NotSideBySide: The ratio has changed by more than 5 %, and by more than chance.
        """
        same = [draft for draft in drafts if draft.key in self._before_ms] + ([self._link] if self._link else [])
        if len(same) < len(self._before_ms):
            return ""
        after_ms = self._measure([draft.copy() for draft in same], token)
        bare = next((one for one in same if one.is_bare), None)
        for draft in [one for one in same if not one.is_bare]:
            change = self._change_of_ratio(draft, bare, after_ms)
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
            self.probes.warm_up(draft.target, token=token)
        for _ in range(CHECK_BLOCKS):
            cycles.one(drafts, lambda draft, error: draft.fail(error), token=token)
        return {draft.key: [one.value_ms for one in draft.blocks] for draft in drafts}


def _ratios(values: Sequence[float | None], bare: Sequence[float | None] | None) -> list[float]:
    """Return values over those of the bare link in the same cycle, or as they are without it."""
    if bare is None:
        return [value for value in values if value is not None]
    return [value / other for value, other in zip(values, bare, strict=False) if value is not None and other]
