"""Finds what is wrong with a configuration file, or missing in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from app.domain.adapters import Setting
from app.domain.declared import declared
from app.domain.linting import ConfigKind, FileAccess, LintFinding
from app.domain.verdicts import FindingQuestion
from app.policy.combinations import Composition, compositions
from app.policy.guidelines import DEFAULT_GUIDELINES, GUIDELINES
from app.policy.judge import check_guidelines
from app.policy.lint.access import judge_access
from app.policy.lint.algorithms import Usage, judge_setting
from app.policy.lint.inheritance import expand
from app.policy.lint.names import split_names
from app.policy.lint.rules import AlgorithmSetting, LintRule, Name, RuleSet, Versions, rule_sets, version_of
from app.policy.lint.view import Section, SettingsView

MAX_FINDINGS = 1000
"""No file gets more findings than this; a file made by people has a few."""

_GUIDELINE_TITLES = tuple(one.title for one in GUIDELINES.values())

_NUMBER = re.compile(r"\d{1,9}")

_SOLUTIONS = {ConfigKind(kind): solution for one in declared().values() for kind, solution in one.formats.items()}
"""Solutions by kind of file: guidelines on one protocol do not speak of another."""


def lint(
    kind: ConfigKind,
    settings: Iterable[Setting],
    *,
    guidelines: Collection[str] = DEFAULT_GUIDELINES,
    versions: Mapping[str, str] | None = None,
    own_access: FileAccess | None = None,
    access: Mapping[str, FileAccess] | None = None,
) -> tuple[LintFinding, ...]:
    """Return what is wrong with a file.

    Args:
        settings: What its reader found, secrets masked.
        guidelines: Ids of the guidelines that count.
        versions: Versions of programs, by their names (`openvpn`), as far as they are known.
        own_access: The file's own permissions, where they count.
        access: Permissions of the key files it names, by the path as written.

    Returns:
        Findings in the order of lines; what concerns the file as a whole comes first.

    Raises:
        InvalidOption: There is no such guideline.
    """
    check_guidelines(guidelines)
    written = tuple(settings)
    expanded = expand(written)
    view = SettingsView(expanded.settings, expanded.origins)
    rules = rule_sets().get(kind, RuleSet())
    found = [*_on_algorithms(kind, view, guidelines), *_on_rules(rules, view, versions or {})]
    found += judge_access(kind, written, own_access, access or {})
    unique = dict.fromkeys(sorted(found, key=lambda one: one.line))
    return tuple(unique)[:MAX_FINDINGS]


def is_advice(finding: LintFinding) -> bool:
    """Whether a finding is advice: what no guideline that can be picked says, but a manual."""
    return finding.question is FindingQuestion.GUIDELINE and not finding.source.startswith(_GUIDELINE_TITLES)


def _on_algorithms(kind: ConfigKind, view: SettingsView, guidelines: Collection[str]) -> Iterator[LintFinding]:
    rules = rule_sets().get(kind)
    for algorithm in rules.algorithms if rules is not None else ():
        composition = _composition(algorithm, view)
        design = () if algorithm.macs else algorithm.design
        usage = Usage(_SOLUTIONS.get(kind, ""), design, composition, algorithm.instead, algorithm.spelled)
        for setting in _written(algorithm.names, view):
            yield from judge_setting(setting, algorithm.style, usage, guidelines=guidelines)


def _composition(algorithm: AlgorithmSetting, view: SettingsView) -> tuple[Composition, ...]:
    """Return what holds for the ciphers of a setting because of the MACs that other settings of the file name."""
    if not algorithm.macs:
        return ()
    written = list(_written(algorithm.macs, view))
    named = [name for setting in written for _, name in split_names(algorithm.mac_style, setting.value)]
    # Source: sshd_config(5): what begins with one of these changes the default list.
    is_default_kept = algorithm.mac_style == "ssh" and any(one.value.strip()[:1] in tuple("+-^") for one in written)
    if algorithm.default_mac and (is_default_kept or not named):
        named.append(algorithm.default_mac)
    return compositions(named, algorithm.design)


def _on_rules(rules: RuleSet, view: SettingsView, versions: Mapping[str, str]) -> Iterator[LintFinding]:
    sections: dict[str, tuple[Section, ...]] = {}
    for rule in rules.rules:
        if not _is_for_version(rule, versions):
            continue
        if rule.section is None:
            yield from _on_section(rule, Section(Setting(0, "", ""), view, view))
            continue
        if rule.section not in sections:
            sections[rule.section] = tuple(view.sections(rule.section))
        for section in sections[rule.section]:
            yield from _on_section(rule, section)


def _on_section(rule: LintRule, section: Section) -> Iterator[LintFinding]:
    """Judge one section, or the file as a whole, by one rule."""
    if not _holds(rule, section):
        return
    if not rule.is_missing:
        yield from (_finding(rule, one) for one in _written(rule.names, section.inside) if _is_fault(rule, one))
    elif not any(section.inside.has(name) for name in rule.names):
        yield _finding(rule, Setting(section.head.line, _missing_name(rule, section.head), ""))


def _written(names: tuple[Name, ...], view: SettingsView) -> Iterator[Setting]:
    """Yield the settings of these names, each once, as they are written in the file."""
    yield from dict.fromkeys(view.written(setting) for name in names for setting in view.matching(name))


def _is_fault(rule: LintRule, setting: Setting) -> bool:
    if rule.value is not None and not rule.value.fullmatch(setting.value):
        return False
    if rule.below is not None:
        number = _NUMBER.search(setting.value)
        return number is not None and int(number[0]) < rule.below
    return True


def _holds(rule: LintRule, section: Section) -> bool:
    """Whether the rest of a section, and what is around it, is as a rule wants it."""
    return (
        all(section.inside.has(name) for name in rule.requires)
        and (not rule.any_of or any(section.inside.has(name) for name in rule.any_of))
        and all(section.around.has(name) for name in rule.around)
        and not any(section.inside.has(name) for name in rule.unless)
    )


def _is_for_version(rule: LintRule, versions: Mapping[str, str]) -> bool:
    if not rule.program:
        return True
    version = version_of(versions.get(rule.program, ""))
    if not version:
        return rule.versions is not Versions.KNOWN
    if rule.versions is Versions.UNKNOWN:
        return False
    return (not rule.since or version >= rule.since) and (not rule.before or version < rule.before)


def _missing_name(rule: LintRule, head: Setting) -> str:
    """Return the name of what a section lacks, with the section where names have one."""
    last = rule.names[0].last
    return last if not head.name or head.name.startswith("[") else f"{head.name}.{last}"


def _finding(rule: LintRule, setting: Setting) -> LintFinding:
    return LintFinding(
        setting.line,
        setting.name,
        setting.value,
        rule.question,
        rule.verdict,
        rule.reason,
        rule.source,
        rule.replacement,
        rule.is_addition,
    )
