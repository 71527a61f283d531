"""Findings of the linter as text: the line, the position in it, and the words."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from app.cli.terminal import prose_width
from app.cli.words import word_of
from app.domain.linting import LintedFile, LintFinding
from app.domain.plain_text import plain_text
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint import is_advice
from app.wording.findings import replacement_words
from app.wording.language import mark, tr
from app.wording.messages import local_text

_OUTSIDE, _ADVICE = mark("outside a guideline"), mark("advice")
_GUTTER = 9
_NARROWEST = 40
_STYLES = {
    Verdict.UNPROTECTED: "bold red",
    Verdict.INSECURE: "bold red",
    Verdict.UNKNOWN: "yellow",
    Verdict.LEGACY: "yellow",
    Verdict.ACCEPTABLE: "cyan",
    Verdict.RECOMMENDED: "green",
}


def print_files(out: Console, files: Sequence[LintedFile]) -> None:
    """Print every file with its findings; colours where the console has them."""
    for file in files:
        if file.error:
            _line(out, tr("{path}: not read").format(path=file.path), "bold")
            _prose(out, local_text(file.error))
            continue
        _line(out, f"{file.path} ({file.kind}): {_counted(file)}", "bold")
        for note in file.notes:
            _prose(out, tr("Remark: {text}").format(text=local_text(note)))
        for finding in file.findings:
            _print_finding(out, file, finding)


def replacement_text(finding: LintFinding) -> str:
    """Return what to add, or what to write instead."""
    form = tr("Add: {text}") if finding.is_addition else tr("Instead: {text}")
    return form.format(text=replacement_words(finding.replacement))


def _counted(file: LintedFile) -> str:
    if not file.findings:
        return tr("no issues; whether its values are valid is not checked")
    counts = Counter(map(_kind, file.findings))
    missing = Counter(_kind(finding) for finding in file.findings if finding.question is FindingQuestion.MISSING)
    order = (*map(str, Verdict), _OUTSIDE, _ADVICE, str(FindingQuestion.SLOW))
    return ", ".join(f"{counts[kind]} {word_of(kind)}{_missing_text(missing[kind])}" for kind in order if counts[kind])


def _missing_text(number: int) -> str:
    return f" ({tr('{number} missing').format(number=number)})" if number else ""


def _kind(finding: LintFinding) -> str:
    """Return what a finding counts as: its verdict, also where something is missing, or what else was asked."""
    if finding.question is FindingQuestion.GUIDELINE:
        return _ADVICE if is_advice(finding) else _OUTSIDE
    return str(finding.question if finding.question is FindingQuestion.SLOW else finding.verdict)


def _print_finding(out: Console, file: LintedFile, finding: LintFinding) -> None:
    gutter = " " * (_GUTTER - 2) + "| "
    room = max(_NARROWEST, prose_width(out) - _GUTTER)
    indent = 0
    if 0 < finding.line <= len(file.lines):
        shown = file.lines[finding.line - 1]
        column, length = _highlighted(shown, finding)
        start = max(0, column - room // 2)
        cut = shown[start : start + room]
        _line(out, f"{finding.line:6d} | {cut}")
        indent = min(column - start, max(0, room - _NARROWEST))
        marker = " " * (column - start) + "^" * max(1, min(length, len(cut) - column + start))
        _line(out, gutter + marker, _STYLES[finding.verdict])
    else:
        _line(out, f"     - | {finding.setting}{' ' + finding.value if finding.value else ''}")
    words = [f"{_verdict(finding)}: {local_text(finding.reason)}"]
    if finding.replacement:
        words.append(replacement_text(finding))
    words.append(tr("Source: {source}").format(source=local_text(finding.source)))
    for index, text in enumerate(words):
        for wrapped in textwrap.wrap(text, room - indent):
            _line(out, gutter + " " * indent + wrapped, _STYLES[finding.verdict] if index == 0 else "dim")


def _highlighted(shown: str, finding: LintFinding) -> tuple[int, int]:
    """Return where in a line the marker goes, and how long it is: the named part, the value, the setting."""
    named = finding.reason.partition(":")[0]
    name = finding.setting.rpartition(".")[2]
    if finding.is_about_name and name in shown:
        return shown.find(name), len(name)
    for text in (named if named in finding.value else "", finding.value, finding.setting, name):
        if text and text in shown:
            after = shown.find(name) + len(name) if text is not name and name in shown else 0
            column = shown.find(text, after)
            return (column if column >= 0 else shown.find(text)), len(text)
    stripped = shown.strip()
    return shown.find(stripped) if stripped else 0, len(stripped)


def _verdict(finding: LintFinding) -> str:
    if finding.question is FindingQuestion.MISSING:
        return f"{word_of(finding.question)} ({word_of(finding.verdict)})"
    return word_of(_kind(finding))


def _prose(out: Console, text: str) -> None:
    for line in textwrap.wrap(text, max(_NARROWEST, prose_width(out)), initial_indent="  ", subsequent_indent="    "):
        _line(out, line)


def _line(out: Console, text: str, style: str = "") -> None:
    if out.is_terminal:
        out.print(text, style=style or None, soft_wrap=True)
    else:
        out.file.write(
            plain_text(text) + "\n"
        )  # a thousand findings are written at once, and not laid out line by line
