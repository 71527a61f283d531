"""The linter's rules, read from resources/policy/lint_*.toml and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from app.domain.errors import Bug
from app.domain.linting import ConfigKind
from app.domain.structured import base_converter, bundled
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.data import POLICY_FOLDER
from app.policy.judge import UNKNOWN_REASON, judge
from app.policy.messages import KIND_TWICE

STYLES = frozenset({"word", "digest", "colon", "comma", "ssh", "proposals", "ipsec-proposals", "tls", "tls13"})
"""Ways to write several algorithms in one setting."""


@dataclass(frozen=True, slots=True)
class Name:
    """A setting's name in a rule; `+` stands for one section's name, `*` for one or several.

    Attributes:
        last: The last part in lower case, by which settings are looked up.
        pattern: Matches the whole name in lower case.
        value: Matches the whole value; None means any.
    """

    last: str
    pattern: re.Pattern[str]
    value: re.Pattern[str] | None = None


class Versions(StrEnum):
    """Programs that a rule is for, by what is known of their version."""

    ANY = "any"
    KNOWN = "known"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule on a setting, or on its absence.

    Attributes:
        names: Settings that it is about.
        value: Matches the whole value of a setting that is found fault with; None means any.
        below: Fault is found with a value whose first number is less than this.
        is_missing: Whether fault is found if none of the settings is there.
        section: In each section of this name by itself (`[Peer]`, `[*]`, or `connections.*`); None: in the file.
        requires: Only where each of these is in the section, or the file.
        any_of: Only where one of these is in the section, or the file; empty means that it does not matter.
        around: Only where each of these is in what the section lies in: for a child, its connection.
        unless: Not where one of these is in the section, or the file.
        program: Whose version `since` and `before` speak of.
        since: First version it holds for; empty means from the beginning.
        before: First version it no longer holds for; empty means all.
        versions: Whether it is used where the version is known, and where it is not.
        question: Which question it answers.
        verdict: The word.
        reason: One sentence.
        source: Where that is stated.
        replacement: What to write instead.
        is_addition: Whether the replacement is a line to add, because the setting is missing.
    """

    names: tuple[Name, ...]
    question: FindingQuestion
    verdict: Verdict
    reason: str
    source: str
    value: re.Pattern[str] | None = None
    below: int | None = None
    is_missing: bool = False
    section: str | None = None
    requires: tuple[Name, ...] = ()
    any_of: tuple[Name, ...] = ()
    around: tuple[Name, ...] = ()
    unless: tuple[Name, ...] = ()
    program: str = ""
    since: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    versions: Versions = Versions.ANY
    replacement: str = ""
    is_addition: bool = False

    def __post_init__(self) -> None:
        if self.is_addition and not self.is_missing:
            raise ValueError("adds = true needs missing = true")


@dataclass(frozen=True, slots=True)
class AlgorithmSetting:
    """A setting that names algorithms.

    Attributes:
        names: Settings that it is about.
        style: How they name algorithms: one of STYLES.
        design: Parts of the design that its ciphers are used in, as compositions of the policy have them.
        macs: Settings that name the MAC beside its ciphers; empty means that it is in the same proposal.
        mac_style: How they name it.
        default_mac: The MAC where no setting names one.
        instead: Best algorithm that the program can do here, where that is not what the policy replaces others by.
        spelled: The policy's replacements as the program writes them here; that of an empty name is for all others.
    """

    names: tuple[Name, ...]
    style: str
    design: tuple[str, ...] = ()
    macs: tuple[Name, ...] = ()
    mac_style: str = ""
    default_mac: str = ""
    instead: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not {self.style, self.mac_style} <= STYLES | {""} or (self.macs and not self.mac_style):
            raise ValueError(f"unknown style {self.style} {self.mac_style}, or macs without mac_style")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules for one kind of file.

    Attributes:
        rules: In the order of the file.
        algorithms: Settings that name algorithms.
        key_files: Settings whose value is the path of a file that others must not read.
        kinds: Kinds of files that it is for.
    """

    rules: tuple[LintRule, ...] = ()
    algorithms: tuple[AlgorithmSetting, ...] = ()
    key_files: tuple[Name, ...] = ()
    kinds: tuple[ConfigKind, ...] = ()


@lru_cache(maxsize=1)
def rule_sets() -> Mapping[ConfigKind, RuleSet]:
    """Return the rules by kind of file.

    Raises:
        Bug: A file is malformed, or two speak of one kind.
    """
    found: dict[ConfigKind, RuleSet] = {}
    for file in sorted(POLICY_FOLDER.iterdir(), key=lambda one: one.name):
        if file.name.startswith("lint_") and file.name.endswith(".toml"):
            rules = bundled(file, RuleSet, _converter)
            for kind in rules.kinds:
                if kind in found:
                    raise Bug(KIND_TWICE(name=file.name, kind=kind))
                found[kind] = rules
    return found


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=True)
    converter.register_structure_hook(Name, lambda text, _: _name(text))
    settings, version = override(rename="settings"), override(struct_hook=lambda text, _: version_of(text))
    read_rule = make_dict_structure_fn(
        LintRule,
        converter,
        names=settings,
        value=override(struct_hook=lambda text, _: re.compile(text, re.IGNORECASE | re.DOTALL)),
        is_missing=override(rename="missing"),
        any_of=override(rename="any"),
        since=version,
        before=version,
        is_addition=override(rename="adds"),
    )
    converter.register_structure_hook(LintRule, lambda row, kind: read_rule(_whole(row), kind))
    read_setting = make_dict_structure_fn(AlgorithmSetting, converter, names=settings)
    converter.register_structure_hook(AlgorithmSetting, read_setting)
    converter.register_structure_hook(
        RuleSet, make_dict_structure_fn(RuleSet, converter, rules=override(rename="rule"))
    )
    return converter


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """Return a rule's row; where it names something of the policy, verdict and what it leaves out come from there."""
    row = {"adds": row.get("missing", False), **row}
    if "policy" not in row:
        return row
    found = judge(row.pop("policy"), guidelines=())
    if found.reason == UNKNOWN_REASON:
        raise ValueError(f"{found.subject} is not in the policy")
    question = (
        FindingQuestion.INSECURE if found.verdict.severity >= Verdict.LEGACY.severity else FindingQuestion.GUIDELINE
    )
    usual = {"reason": found.reason, "source": found.source, "replacement": found.replacement, "question": question}
    return {**usual, **row, "verdict": found.verdict}


def _name(text: str) -> Name:
    """Read `name` or `name=pattern of the value`."""
    name, has_value, value = text.partition("=")
    name = name.lower()
    pattern = re.escape(name).replace(r"\*", r"[^\n]{1,150}")
    if ".+." in name:
        pattern = pattern.replace(r"\+", r'(?:"[^"\n]{1,150}"|[^.\n]{1,150})')
    return Name(
        name.rpartition(".")[2] if not name.startswith("[") else name,
        re.compile(pattern),
        re.compile(value, re.IGNORECASE | re.DOTALL) if has_value else None,
    )


def version_of(text: str) -> tuple[int, ...]:
    """Return a version as numbers: (2, 4, 9) for `2.4.9`; empty where there is none."""
    found = re.match(r"\D{0,40}(\d{1,6}(?:\.\d{1,6}){0,4})", text)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


@lru_cache(maxsize=1)
def newest_versions() -> Mapping[str, tuple[int, ...]]:
    """Return the newest version that rules speak of, by each program whose version they ask for."""
    newest: dict[str, tuple[int, ...]] = {}
    for rule in (one for rules in rule_sets().values() for one in rules.rules if one.program):
        newest[rule.program] = max(newest.get(rule.program, ()), rule.since, rule.before)
    return newest
