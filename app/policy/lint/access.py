"""Judges who may read files: the configuration and the keys that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.domain.linting import MASK, ConfigKind, FileAccess, LintFinding
from app.domain.messages import MessageForm
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint.rules import rule_sets
from app.policy.lint.view import SettingsView
from app.policy.messages import (
    ACCESS_FAULT,
    ALL_CAN_CHANGE,
    ALL_CAN_DO_BOTH,
    ALL_CAN_READ,
    FILE_DECIDES_PROTECTION,
    FILE_HOLDS_SECRET,
    GROUP_CAN_CHANGE,
    GROUP_CAN_DO_BOTH,
    GROUP_CAN_READ,
    ITS_GROUP,
    OF_ANOTHER_USER,
    PATH_IS_SECRET,
    THE_GROUP,
)

_SOURCE = "BSI IT-Grundschutz CON.1; ssh(1) and wg(8), which refuse or warn of such keys"

_OPEN_TO_ALL: Mapping[int, MessageForm] = {0o004: ALL_CAN_READ, 0o002: ALL_CAN_CHANGE, 0o006: ALL_CAN_DO_BOTH}
_OPEN_TO_GROUP: Mapping[int, MessageForm] = {0o040: GROUP_CAN_READ, 0o020: GROUP_CAN_CHANGE, 0o060: GROUP_CAN_DO_BOTH}


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
        subject = FILE_HOLDS_SECRET(line=secret.line)
        found += [_finding(Setting(0, secret.name, ""), own_access, subject, fault) for fault in _faults(own_access)]
    elif own_access is not None and own_access.is_writable_by_others:
        fault = _Fault(_OPEN_TO_ALL[0o2](), "chmod o-w")
        found.append(_finding(Setting(0, "", ""), own_access, FILE_DECIDES_PROTECTION(), fault))
    for setting, path in key_files(kind, settings):
        there = access.get(path)
        if there is not None:
            found += [_finding(setting, there, PATH_IS_SECRET(path=path), fault, path) for fault in _faults(there)]
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
        found.append(_Fault(_OPEN_TO_ALL[access.mode & 0o006](), "chmod 600"))
    elif access.is_open_to_group:
        whose = THE_GROUP(group=access.group) if access.group else ITS_GROUP()
        found.append(_Fault(_OPEN_TO_GROUP[access.mode & 0o060](whose=whose), "chmod 600", Verdict.LEGACY))
    if access.is_of_another_user:
        found.append(_Fault(OF_ANOTHER_USER(owner=access.owner), "chown root"))
    return found


def _finding(setting: Setting, access: FileAccess, subject: str, fault: _Fault, path: str = "") -> LintFinding:
    reason = ACCESS_FAULT(subject=subject, fault=fault.word, mode=access.mode)
    mode = f"mode {access.mode:04o}"
    mend = f"{fault.mend} {path}".strip()
    return LintFinding(
        setting.line, setting.name, path or mode, FindingQuestion.INSECURE, fault.verdict, reason, _SOURCE, mend
    )
