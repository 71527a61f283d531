"""Judges the algorithms that a setting names."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any

from app.domain.adapters import Setting
from app.domain.errors import Bug
from app.domain.linting import LintFinding
from app.domain.verdicts import Finding, Question, Verdict
from app.policy.data import normalise
from app.policy.judge import UNKNOWN_REASON, findings
from app.policy.lint.names import split_names

_SPELLING = "The policy does not know this name; look whether it is spelled as the program lists it."


@lru_cache(maxsize=1)
def own_names() -> Mapping[str, Finding]:
    """Return verdicts on words that only configuration files have, for example OpenSSL's `LOW`.

    Raises:
        Bug: resources/policy/names_in_files.toml is malformed.
    """
    text = (resources.files("resources") / "policy" / "names_in_files.toml").read_text(encoding="utf-8")
    found: dict[str, Finding] = {}
    try:
        for row in tomllib.loads(text)["name"]:
            found |= _named(row)
    except (KeyError, TypeError, ValueError) as error:
        raise Bug(f"names_in_files.toml is malformed: {error}.") from error
    return found


def _named(row: Mapping[str, Any]) -> dict[str, Finding]:
    finding = Finding(row["title"], Verdict(row["verdict"]), row["reason"], row["source"], row.get("replacement", ""))
    return {normalise(name): finding for name in row["names"]}


def judge_setting(
    setting: Setting, style: str, *, guidelines: Collection[str], solution: str = ""
) -> list[LintFinding]:
    """Return what is wrong with the algorithms of one setting, each said once.

    Args:
        setting: It names algorithms.
        style: How it names them.
        guidelines: Ids of the guidelines that count.
        solution: Whose setting it is, which decides what guidelines are about it.
    """
    names = list(dict.fromkeys(split_names(style, setting.value)))
    is_alone = len({written for written, _ in names}) < 2
    found: dict[tuple[str, str, Question], LintFinding] = {}
    for written, name in names:
        for finding in _findings(name, tuple(guidelines), solution):
            key = (written, finding.reason, finding.question)
            if key not in found:
                found[key] = _of(setting, written, finding, is_alone=is_alone)
    return list(found.values())


@lru_cache(maxsize=4096)
def _findings(name: str, guidelines: tuple[str, ...], solution: str) -> tuple[Finding, ...]:
    """Return findings on one name that are worth saying: nothing on what is good."""
    own = own_names().get(normalise(name))
    found = (own,) if own is not None else findings(name, guidelines=guidelines, solution=solution)
    if found[0].reason == UNKNOWN_REASON:
        return (replace(found[0], reason=_SPELLING),)
    return tuple(
        one for one in found if one.question is not Question.INSECURE or one.verdict.severity >= Verdict.LEGACY.severity
    )


def _of(setting: Setting, written: str, finding: Finding, *, is_alone: bool) -> LintFinding:
    reason = finding.reason if is_alone else f"{written}: {finding.reason}"
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
