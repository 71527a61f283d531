"""Replacements that findings name: only what the programs of both hosts can do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.domain.solutions import SolutionInfo, Suite
from app.domain.verdicts import Finding, FindingQuestion, Verdict
from app.policy.combinations import Composition, compositions
from app.policy.data import PolicyRow
from app.policy.guidelines import DEFAULT_GUIDELINES
from app.policy.judge import findings, judge_suite
from app.policy.names import find_rows
from app.wording.language import mark

ANOTHER_VPN = mark("another VPN")
"""Replacement where the program itself has nothing better."""

_ROLES = {"cipher": "cipher", "mode": "cipher", "mac": "mac", "key-exchange": "key-exchange", "signature": "signature"}
"""Uses of what a suite chooses, by the kind of the policy's rows; all else is fixed by the program."""


@dataclass(frozen=True, slots=True)
class Possible:
    """Abilities of the programs of both hosts in one solution.

    Attributes:
        proposed: Algorithms of the suites that are proposed, best first.
        listed: Algorithms that the programs can do besides.
    """

    proposed: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def _by_role(names: tuple[str, ...]) -> dict[str, tuple[tuple[str, tuple[PolicyRow, ...]], ...]]:
    """Return names with their rows by what they are used for, in their order."""
    found: dict[str, list[tuple[str, tuple[PolicyRow, ...]]]] = {}
    for name in dict.fromkeys(names):
        rows = find_rows(name)
        found.setdefault(_role(rows), []).append((name, rows))
    return {role: tuple(those) for role, those in found.items()}


def judge_possible(
    suite: Suite, info: SolutionInfo, possible: Possible, *, guidelines: Collection[str] = DEFAULT_GUIDELINES
) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return what `judge_suite` returns, with replacements that both hosts' programs can do.

    Args:
        possible: What both hosts can do in it.
        guidelines: Ids of the guidelines that apply.
    """
    verdict, found = judge_suite(suite, info, guidelines=guidelines)
    fitting = _Fitting(info, possible, guidelines, compositions(suite.algorithms, info.design))
    return verdict, tuple(replace(one, replacement=fitting.replacement(one)) for one in found)


@dataclass(frozen=True, slots=True)
class _Fitting:
    info: SolutionInfo
    possible: Possible
    guidelines: Collection[str]
    composition: Sequence[Composition]

    def replacement(self, finding: Finding) -> str:
        """Return what is to be used instead, on these hosts."""
        if not finding.replacement:
            return ""
        if finding.subject in self.info.design:
            return ANOTHER_VPN  # a design is the program's own
        wanted = find_rows(finding.replacement) or find_rows(finding.replacement.partition(",")[0])
        known = _by_role((*self.possible.proposed, *self.possible.listed)).get(_role(wanted), ())
        # The program fixes it, or the adapter does not say what there is, or it is there.
        if not _role(wanted) or not known or any(rows == wanted for _, rows in known):
            return finding.replacement
        better = self._better(finding)
        if better or (finding.verdict is Verdict.ACCEPTABLE and finding.question is not FindingQuestion.GUIDELINE):
            return better
        own = find_rows(finding.subject)
        is_proposed = any(rows == own for _, rows in _by_role(self.possible.proposed).get(_role(own), ()))
        return "" if is_proposed else ANOTHER_VPN

    def _better(self, finding: Finding) -> str:
        """Return the best proposed algorithm for the same use that the finding does not hold for; empty for none."""
        own = find_rows(finding.subject)
        proposed = _by_role(self.possible.proposed).get(_role(own), ())
        return next((name for name, rows in proposed if rows != own and self._is_better(name, finding)), "")

    def _is_better(self, name: str, finding: Finding) -> bool:
        found = findings(name, guidelines=self.guidelines, solution=self.info.name, composition=tuple(self.composition))
        same = [one for one in found if one.question is finding.question]
        if finding.question is FindingQuestion.INSECURE:
            return all(one.verdict.severity < finding.verdict.severity for one in same)
        return not any(_origin(one) == _origin(finding) for one in same)


def _origin(finding: Finding) -> str:
    """Return which guideline or policy a finding is of; what follows is the section."""
    return finding.source.partition(",")[0]


def _role(rows: Sequence[PolicyRow]) -> str:
    kinds = [row.kind for row in rows]
    return next((_ROLES[kind] for kind in kinds if kind in _ROLES), "")
