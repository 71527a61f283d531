"""Judges the algorithms that a setting names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from app.domain.adapters import Setting
from app.domain.linting import LintFinding
from app.domain.verdicts import Finding, FindingQuestion, Verdict
from app.policy.combinations import Composition, compositions
from app.policy.data import normalise, rows_of
from app.policy.judge import UNKNOWN_REASON, findings
from app.policy.lint.names import MAX_NAMES, split_names
from app.policy.messages import CHECK_SPELLING, ON_ONE_NAME
from app.policy.names import find_rows
from app.policy.replacing import ANOTHER_VPN

_SPELLING = CHECK_SPELLING()


@dataclass(frozen=True, slots=True)
class _Named:
    names: tuple[str, ...]
    title: str
    verdict: Verdict
    reason: str
    source: str
    replacement: str = ""


@lru_cache(maxsize=1)
def own_names() -> Mapping[str, Finding]:
    """Return verdicts on words that only configuration files have, for example OpenSSL's `LOW`.

    Raises:
        Bug: resources/policy/names_in_files.toml is malformed.
    """
    found: dict[str, Finding] = {}
    for row in rows_of(_Named, "names_in_files.toml", "name"):
        finding = Finding(row.title, row.verdict, row.reason, row.source, row.replacement)
        found |= {normalise(name): finding for name in row.names}
    return found


@dataclass(frozen=True, slots=True)
class Usage:
    """Use of the algorithms of a setting.

    Attributes:
        solution: Whose setting it is, which decides what guidelines are about it.
        design: Parts of the design where each proposal names its own MAC.
        composition: What holds for modes because of the MAC that other settings name.
        instead: Best algorithm that the program can do, in place of the policy's replacements; empty for these.
        spelled: See `AlgorithmSetting`.
    """

    solution: str = ""
    design: tuple[str, ...] = ()
    composition: tuple[Composition, ...] = ()
    instead: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict)

    def fitted(self, finding: Finding, name: str) -> Finding:
        """Return a finding on a name whose replacement the program can do, and as it writes it."""
        if not finding.replacement:
            return finding
        if not self.instead:
            usual = self.spelled.get("", finding.replacement)
            return replace(finding, replacement=self.spelled.get(finding.replacement, usual))
        is_best = find_rows(name) == find_rows(self.instead)
        return replace(finding, replacement=ANOTHER_VPN if is_best else self.instead)


def judge_setting(setting: Setting, style: str, usage: Usage, *, guidelines: Collection[str]) -> list[LintFinding]:
    """Return what is wrong with the algorithms of one setting, each once.

    Args:
        setting: It names algorithms.
        style: How it names them.
        usage: What they are used for.
        guidelines: Ids of the guidelines that count.
    """
    names = list(dict.fromkeys(islice(_named_in(setting.value, style, usage), MAX_NAMES)))
    is_alone = len({written for written, _, _ in names}) < 2
    found: dict[tuple[str, str, FindingQuestion], LintFinding] = {}
    for written, name, composition in names:
        for finding in _findings(name, tuple(guidelines), usage.solution, composition, tuple(usage.design)):
            key = (written, finding.reason, finding.question)
            if key not in found:
                found[key] = _of(setting, written, usage.fitted(finding, name), is_alone=is_alone)
    return list(found.values())


def _named_in(value: str, style: str, usage: Usage) -> Iterator[tuple[str, str, tuple[Composition, ...]]]:
    """Yield names as written and as the policy knows them, with what holds for their modes."""
    if not usage.design:
        yield from ((written, name, usage.composition) for written, name in split_names(style, value))
        return
    for proposal in value.split(","):
        pairs = list(split_names(style, proposal))
        # A pseudo-random function derives keys and authenticates no packet. Source: RFC 7296 section 2.13.
        used = [name for written, name in pairs if not written.lower().startswith("prf")]
        holding = compositions(used, usage.design)
        yield from ((written, name, holding) for written, name in pairs)


@lru_cache(maxsize=4096)
def _findings(
    name: str,
    guidelines: tuple[str, ...],
    solution: str,
    composition: tuple[Composition, ...],
    design: tuple[str, ...],
) -> tuple[Finding, ...]:
    """Return findings on one name that are worth saying: nothing on what is good."""
    own = own_names().get(normalise(name))
    found = (
        (own,)
        if own is not None
        else findings(name, guidelines=guidelines, solution=solution, composition=composition, design=design)
    )
    if found[0].reason == UNKNOWN_REASON:
        return (replace(found[0], reason=_SPELLING),)
    return tuple(
        one
        for one in found
        if one.question is not FindingQuestion.INSECURE or one.verdict.severity >= Verdict.LEGACY.severity
    )


def _of(setting: Setting, written: str, finding: Finding, *, is_alone: bool) -> LintFinding:
    reason = finding.reason if is_alone else ON_ONE_NAME(name=written, reason=finding.reason)
    return LintFinding(
        setting.line,
        setting.name,
        setting.value,
        finding.question,
        finding.verdict,
        reason,
        finding.source,
        finding.replacement,
    )
