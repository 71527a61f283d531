"""Judges who may read files: the configuration and the keys that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.domain.linting import MASK, ConfigKind, FileAccess, LintFinding
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint.rules import rule_sets
from app.policy.lint.view import SettingsView

_SOURCE = "BSI IT-Grundschutz CON.1; ssh(1) and wg(8), which refuse or warn of such keys"


def key_files(kind: ConfigKind, settings: Iterable[Setting]) -> tuple[tuple[Setting, str], ...]:
    """Return the files with private keys or passwords that a configuration names.

    Returns:
        (setting, path as written); relative paths are relative to the folder in which the program opens them.
    """
    names = rule_sets()[kind].key_files if kind in rule_sets() else ()
    view = SettingsView(tuple(settings))
    found = []
    for name in names:
        for setting in view.matching(name):
            words = setting.value.split()
            if words and setting.value not in ("", MASK) and words[0] not in ("[inline]", "none"):
                found.append((setting, words[0]))
    return tuple(dict.fromkeys(sorted(found, key=lambda one: one[0].line)))


def judge_access(
    kind: ConfigKind,
    settings: tuple[Setting, ...],
    own_access: FileAccess | None,
    access: Mapping[str, FileAccess],
) -> list[LintFinding]:
    """Return what is wrong with the permissions of a file and of the keys that it names.

    Args:
        kind: What the file is.
        own_access: Its own permissions; None where they were not read.
        access: Permissions of the files it names, by the path as written.
    """
    found: list[LintFinding] = []
    secret = next((setting for setting in settings if setting.value == MASK), None)
    if own_access is not None and secret is not None:
        subject = f"The file holds a secret (line {secret.line})"
        found += [_finding(Setting(0, secret.name, ""), own_access, subject, fault) for fault in _faults(own_access)]
    elif own_access is not None and own_access.is_writable_by_others:
        fault = _Fault("every user of this computer can change it", "chmod o-w")
        found.append(_finding(Setting(0, "", ""), own_access, "The file decides how the tunnel is protected", fault))
    for setting, path in key_files(kind, settings):
        there = access.get(path)
        if there is not None:
            found += [_finding(setting, there, f"{path} is secret", fault, path) for fault in _faults(there)]
    return found


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of a file's permissions, and its remedy."""

    word: str
    mend: str
    verdict: Verdict = Verdict.INSECURE


def _faults(access: FileAccess) -> list[_Fault]:
    """Return what is wrong with the permissions of a secret."""
    found = []
    if access.is_open_to_others:
        doing = {0o004: "read", 0o002: "change", 0o006: "read and change"}[access.mode & 0o006]
        found.append(_Fault(f"every user of this computer can {doing} it", "chmod 600"))
    elif access.is_open_to_group:
        doing = {0o040: "read", 0o020: "change", 0o060: "read and change"}[access.mode & 0o060]
        whose = f"the group {access.group}" if access.group else "its group"
        found.append(_Fault(f"{whose} can {doing} it", "chmod 600", Verdict.LEGACY))
    if access.is_of_another_user:
        found.append(_Fault(f"it belongs to another user ({access.owner}), who can read and change it", "chown root"))
    return found


def _finding(setting: Setting, access: FileAccess, subject: str, fault: _Fault, path: str = "") -> LintFinding:
    mode = f"mode {access.mode:04o}"
    reason = f"{subject}, and {fault.word} ({mode})."
    mend = f"{fault.mend} {path}".strip()
    return LintFinding(
        setting.line, setting.name, path or mode, FindingQuestion.INSECURE, fault.verdict, reason, _SOURCE, mend
    )
