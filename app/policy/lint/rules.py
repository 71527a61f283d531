"""The linter's rules, read from resources/policy/lint_*.toml and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from app.domain.errors import Bug
from app.domain.linting import ConfigKind
from app.domain.verdicts import Question, Verdict
from app.policy.judge import UNKNOWN_REASON, judge

_FOLDER = resources.files("resources") / "policy"

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


@dataclass(frozen=True, slots=True)
class Rule:
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
        is_for_known: Whether it is used where the version is known.
        is_for_unknown: Whether it is used where the version is not known.
        question: Which question it answers.
        verdict: The word.
        reason: One sentence.
        source: Where that is said.
        replacement: What to write instead.
        is_addition: Whether the replacement is a line to add, because the setting is missing.
    """

    names: tuple[Name, ...]
    value: re.Pattern[str] | None
    below: int | None
    is_missing: bool
    section: str | None
    requires: tuple[Name, ...]
    any_of: tuple[Name, ...]
    around: tuple[Name, ...]
    unless: tuple[Name, ...]
    program: str
    since: tuple[int, ...]
    before: tuple[int, ...]
    is_for_known: bool
    is_for_unknown: bool
    question: Question
    verdict: Verdict
    reason: str
    source: str
    replacement: str
    is_addition: bool


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
    """

    names: tuple[Name, ...]
    style: str
    design: tuple[str, ...] = ()
    macs: tuple[Name, ...] = ()
    mac_style: str = ""
    default_mac: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything about one kind of file.

    Attributes:
        rules: In the order of the file.
        algorithms: Settings that name algorithms.
        key_files: Settings whose value is the path of a file that others must not read.
    """

    rules: tuple[Rule, ...]
    algorithms: tuple[AlgorithmSetting, ...]
    key_files: tuple[Name, ...]


@lru_cache(maxsize=1)
def rule_sets() -> Mapping[ConfigKind, RuleSet]:
    """Return the rules by kind of file.

    Raises:
        Bug: A file is malformed, or two speak of one kind.
    """
    found: dict[ConfigKind, RuleSet] = {}
    for file in sorted(_FOLDER.iterdir(), key=lambda one: one.name):
        if file.name.startswith("lint_") and file.name.endswith(".toml"):
            try:
                data = tomllib.loads(file.read_text(encoding="utf-8"))
                for kind in (ConfigKind(text) for text in data["kinds"]):
                    if kind in found:
                        raise Bug(f"{file.name} speaks of {kind}, and another file does so too.")
                    found[kind] = _rule_set(data)
            except (KeyError, TypeError, ValueError, re.error) as error:
                raise Bug(f"{file.name} is malformed: {error}.") from error
    return found


def _rule_set(data: Mapping[str, Any]) -> RuleSet:
    return RuleSet(
        tuple(_rule(dict(row)) for row in data.get("rule", [])),
        tuple(_algorithm_setting(dict(row)) for row in data.get("algorithms", [])),
        tuple(_name(text) for text in data.get("key_files", [])),
    )


def _algorithm_setting(row: dict[str, Any]) -> AlgorithmSetting:
    style, mac_style = row.pop("style"), row.pop("mac_style", "")
    if not {style, mac_style} <= STYLES | {""}:
        raise ValueError(f"unknown style {style} {mac_style}")
    setting = AlgorithmSetting(
        names=tuple(_name(text) for text in row.pop("settings")),
        style=style,
        design=tuple(row.pop("design", ())),
        macs=tuple(_name(text) for text in row.pop("macs", ())),
        mac_style=mac_style,
        default_mac=row.pop("default_mac", ""),
        instead=row.pop("instead", ""),
    )
    if row or (setting.macs and not mac_style):
        raise ValueError(f"unknown keys {sorted(row)}, or macs without mac_style")
    return setting


def _rule(row: dict[str, Any]) -> Rule:
    """Read one rule; where it names something of the policy, verdict and what it leaves out come from there."""
    if "policy" in row:
        said = judge(row.pop("policy"), guidelines=())
        if said.reason == UNKNOWN_REASON:
            raise ValueError(f"{said.subject} is not in the policy")
        row = {"reason": said.reason, "source": said.source, "replacement": said.replacement} | row
        row["verdict"] = str(said.verdict)
        row.setdefault("question", "insecure" if said.verdict.severity >= Verdict.LEGACY.severity else "guideline")
    value = row.pop("value", None)
    is_missing = row.pop("missing", False)
    is_addition = row.pop("adds", is_missing)
    if is_addition and not is_missing:
        raise ValueError("adds = true needs missing = true")
    versions = row.pop("versions", "any")
    if versions not in ("any", "known", "unknown"):
        raise ValueError(f"versions = {versions}")
    rule = Rule(
        names=tuple(_name(text) for text in row.pop("settings")),
        value=re.compile(value, re.IGNORECASE | re.DOTALL) if value is not None else None,
        below=row.pop("below", None),
        is_missing=is_missing,
        section=row.pop("section", None),
        requires=tuple(_name(text) for text in row.pop("requires", [])),
        any_of=tuple(_name(text) for text in row.pop("any", [])),
        around=tuple(_name(text) for text in row.pop("around", [])),
        unless=tuple(_name(text) for text in row.pop("unless", [])),
        program=row.pop("program", ""),
        since=version_of(row.pop("since", "")),
        before=version_of(row.pop("before", "")),
        is_for_known=versions != "unknown",
        is_for_unknown=versions != "known",
        question=Question(row.pop("question")),
        verdict=Verdict(row.pop("verdict")),
        reason=row.pop("reason"),
        source=row.pop("source"),
        replacement=row.pop("replacement", ""),
        is_addition=is_addition,
    )
    if row:
        raise ValueError(f"unknown keys {sorted(row)}")
    return rule


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
