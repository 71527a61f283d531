"""Judges algorithms and suites."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from app.domain.errors import InvalidOption
from app.domain.solutions import SolutionInfo, Suite
from app.domain.verdicts import Finding, FindingQuestion, PostQuantum, Verdict, deciding_finding
from app.policy.combinations import Composition, combined, composed, compositions
from app.policy.data import POLICY_NAME, POLICY_VERSION, PolicyRow
from app.policy.guidelines import DEFAULT_GUIDELINES, GUIDELINES, Guideline, GuidelineRule, GuidelineStatus
from app.policy.messages import (
    GUIDELINE_SECTION,
    GUIDELINE_UNKNOWN,
    NAME_NOT_IN_POLICY,
    NO_CRYPTOGRAPHY,
    OUTSIDE_SINCE,
    OUTSIDE_UNTIL,
    OWN_POLICY,
    SOURCES,
)
from app.policy.names import find_rows

UNKNOWN_REASON = NAME_NOT_IN_POLICY()

_OWN_POLICY = OWN_POLICY(name=POLICY_NAME, version=POLICY_VERSION)
_BEST_FIRST = (PostQuantum.HYBRID, PostQuantum.PURE, PostQuantum.STORED, PostQuantum.SYMMETRIC)


def judge(algorithm: str, *, guidelines: Collection[str] = DEFAULT_GUIDELINES) -> Finding:
    """Return the worst finding on one algorithm.

    Args:
        algorithm: A name as any program writes it, for example `AES-256-GCM`, `bf-cbc` or `SHA512/256`.
        guidelines: Ids of the guidelines that apply.

    Returns:
        The finding. A name that the policy does not know is unknown.

    Raises:
        InvalidOption: There is no such guideline.
    """
    found = findings(algorithm, guidelines=guidelines)
    return deciding_finding(found) or found[0]


def findings(
    algorithm: str,
    *,
    guidelines: Collection[str] = DEFAULT_GUIDELINES,
    solution: str = "",
    composition: Sequence[Composition] = (),
    design: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Return all findings about one algorithm, one for each question.

    Args:
        algorithm: A name as any program writes it.
        guidelines: Ids of the guidelines that apply.
        solution: The solution it is used in; empty means any.
        composition: What holds for a mode because of the MAC beside it, the one that decides first.
        design: The part of the solution's design that uses it, which decides what guidelines are about it; empty means
            any.

    Returns:
        First whether it is insecure by this program's own policy, always; then one finding per guideline that it is
        outside of, in the order of the guidelines' file; then whether it is known to be slow everywhere.

    Raises:
        InvalidOption: There is no such guideline.
    """
    chosen = _chosen(guidelines, solution, design)
    rows = find_rows(algorithm)
    if not rows:
        return (Finding(algorithm, Verdict.UNKNOWN, UNKNOWN_REASON, _OWN_POLICY),)
    worst = max(composed(rows, composition), key=lambda row: row.verdict.severity)
    own = Finding(algorithm, worst.verdict, worst.reason, _joined(worst.sources), _readable(worst.replacement))
    outside = ((guideline, guideline.outside(rows)) for guideline in chosen)
    return (
        own,
        *(_outside(algorithm, guideline, *found) for guideline, found in outside if found is not None),
        *(
            Finding(algorithm, Verdict.ACCEPTABLE, row.slow, _OWN_POLICY, row.replacement, FindingQuestion.SLOW)
            for row in rows
            if row.slow
        ),
    )


def judge_suite(
    suite: Suite, info: SolutionInfo, *, guidelines: Collection[str] = DEFAULT_GUIDELINES
) -> tuple[Verdict, tuple[Finding, ...]]:
    """Return the verdict on a suite within its solution, with the findings it comes from.

    Args:
        suite: The suite; it is as good as its worst part.
        info: The solution it belongs to, whose design is part of every suite.
        guidelines: Ids of the guidelines that apply.

    Returns:
        The verdict, and the findings on each algorithm, each part of the design, and what both mean together: a mode
        that does not authenticate is judged with the MAC that the design adds, and some faults arise only together. A
        solution without cryptography is unprotected, whatever is in it; a suite of a protected solution that names no
        algorithm is unknown.

    Raises:
        InvalidOption: There is no such guideline.
    """
    together = combined(suite.algorithms, info.design)
    names: Sequence[str] = (*suite.algorithms, *info.design, *together)
    if not suite.algorithms and not info.is_unprotected:
        names = (suite.name, *info.design)
    holding = compositions(suite.algorithms, info.design)
    found = tuple(
        finding
        for name in names
        for finding in findings(name, guidelines=guidelines, solution=info.name, composition=holding)
    )
    if info.is_unprotected:
        reason: str = NO_CRYPTOGRAPHY(title=info.title)
        return Verdict.UNPROTECTED, (
            Finding(info.name, Verdict.UNPROTECTED, reason, _joined(info.sources)),
            *found,
        )
    deciding = deciding_finding(found)
    return deciding.verdict if deciding is not None else Verdict.UNKNOWN, found


def post_quantum(suite: Suite, info: SolutionInfo) -> PostQuantum:
    """Return the best of what a suite's algorithms and its solution's design do for its keys.

    One of them is enough: a hybrid exchange or a pre-shared secret holds whatever the rest of the exchange is. A
    post-quantum exchange is hybrid where the suite has a sound classical one beside it.

    Args:
        info: The solution it belongs to; one without cryptography has no keys.
    """
    if info.is_unprotected:
        return PostQuantum.NONE
    rows = [row for name in (*suite.algorithms, *info.design) for row in find_rows(name)]
    found = {row.post_quantum for row in rows}
    if PostQuantum.PURE in found and any(map(_is_sound_and_classical, rows)):
        return PostQuantum.HYBRID
    return next((one for one in _BEST_FIRST if one in found), PostQuantum.NONE)


def _is_sound_and_classical(row: PolicyRow) -> bool:
    is_sound = row.verdict.severity <= Verdict.ACCEPTABLE.severity
    return is_sound and row.kind == "key-exchange" and row.post_quantum is PostQuantum.NONE


def _joined(sources: Sequence[str]) -> str:
    """Return sources as one text, each in the language of its reader."""
    first, *rest = sources or ("",)
    return SOURCES(first=first, rest=_joined(rest)) if rest else first


def _readable(replacement: str) -> str:
    """Return a replacement as people call it: some protocols have an id that no program knows."""
    rows = find_rows(replacement) if replacement else ()
    return rows[0].title if len(rows) == 1 and rows[0].kind == "protocol" else replacement


def check_guidelines(ids: Collection[str]) -> None:
    """Refuse ids that no guideline has.

    Raises:
        InvalidOption: There is no such guideline.
    """
    unknown = [one for one in ids if one not in GUIDELINES]
    if unknown:
        raise InvalidOption(GUIDELINE_UNKNOWN(unknown=tuple(unknown), known=tuple(GUIDELINES)))


def _chosen(guidelines: Collection[str], solution: str, design: Collection[str]) -> tuple[Guideline, ...]:
    check_guidelines(guidelines)
    return tuple(one for one in GUIDELINES.values() if one.id in guidelines and one.is_about(solution, design))


def _outside(algorithm: str, guideline: Guideline, row: PolicyRow, rule: GuidelineRule) -> Finding:
    reason, title = rule.reason, guideline.full_title
    if rule.year is not None:
        form = OUTSIDE_UNTIL if rule.status is GuidelineStatus.EXPIRING else OUTSIDE_SINCE
        reason = form(reason=reason, year=rule.year)
    source = GUIDELINE_SECTION(guideline=title, section=rule.section) if rule.section else title
    replacement = rule.replacement or row.replacement
    return Finding(algorithm, Verdict.ACCEPTABLE, reason, source, replacement, FindingQuestion.GUIDELINE)
