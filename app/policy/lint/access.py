"""Judges who may read files: the configuration and the keys that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.domain.adapters import Setting
from app.domain.linting import MASK, ConfigKind, FileAccess, LintFinding
from app.domain.verdicts import Question, Verdict
from app.policy.lint.rules import rule_sets
from app.policy.lint.view import SettingsView

_SOURCE = "BSI IT-Grundschutz CON.1; ssh(1) and wg(8), which refuse or warn of such keys"


def key_files(kind: ConfigKind, settings: Iterable[Setting]) -> tuple[tuple[Setting, str], ...]:
    """Return the files with private keys or passwords that a configuration names.

    Returns:
        (setting, path as written); relative paths are relative to where the program looks for them.
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
        settings: Its settings.
        own_access: Its own permissions; None where they were not looked at.
        access: Permissions of the files it names, by the path as written.
    """
    found = []
    secret = next((setting for setting in settings if setting.value == MASK), None)
    if own_access is not None and secret is not None and _word(own_access):
        found.append(
            _finding(
                0, secret.name, own_access, f"The file holds a secret (line {secret.line}), and {_word(own_access)}."
            )
        )
    for setting, path in key_files(kind, settings):
        there = access.get(path)
        if there is not None and _word(there):
            found.append(_finding(setting.line, setting.name, there, f"{path} is secret, and {_word(there)}.", path))
    return found


def _word(access: FileAccess) -> str:
    if access.is_open_to_others:
        return f"every user of this computer can read it (mode {access.mode:04o})"
    return ""


def _finding(line: int, setting: str, access: FileAccess, reason: str, path: str = "") -> LintFinding:
    value = path or f"mode {access.mode:04o}"
    return LintFinding(
        line, setting, value, Question.INSECURE, Verdict.INSECURE, reason, _SOURCE, f"chmod 600 {path}".strip()
    )
