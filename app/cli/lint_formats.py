"""Findings of the linter in machine-readable formats: JSON of our own, and SARIF."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from app.cli.lint_text import replacement_text
from app.domain.linting import LintedFile, LintFinding
from app.domain.verdicts import FindingQuestion

JSON_FORMAT = 1

_LEVELS = {
    FindingQuestion.INSECURE: "error",
    FindingQuestion.MISSING: "warning",
    FindingQuestion.GUIDELINE: "note",
    FindingQuestion.SLOW: "note",
}
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
"""Source: Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01, OASIS, section 3.13.3."""


def as_json(files: Sequence[LintedFile]) -> dict[str, object]:
    """Return everything as JSON's types; docs/linting.md describes them."""
    return {"format": JSON_FORMAT, "files": [_file(file) for file in files]}


def _file(file: LintedFile) -> dict[str, object]:
    return {
        "path": file.path,
        "kind": file.kind,
        "findings": [_finding(finding) for finding in file.findings],
        "error": file.error,
        "notes": list(file.notes),
    }


def _finding(finding: LintFinding) -> dict[str, object]:
    return {
        "line": finding.line,
        "setting": finding.setting,
        "value": finding.value,
        "question": finding.question,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "source": finding.source,
        "replacement": finding.replacement,
    }


def as_sarif(files: Sequence[LintedFile], version: str) -> dict[str, object]:
    """Return everything as SARIF 2.1.0."""
    rules: dict[str, dict[str, object]] = {}
    results = []
    for file in files:
        for finding in file.findings:
            rule = _rule_id(file, finding)
            rules.setdefault(rule, _rule(rule, finding))
            results.append(_result(file, finding, rule, list(rules).index(rule)))
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "Tunnelmark", "version": version, "rules": list(rules.values())}},
                "columnKind": "unicodeCodePoints",
                "artifacts": [{"location": {"uri": uri}} for uri in dict.fromkeys(map(_uri, files))],
                "results": results,
                "invocations": [
                    {
                        "executionSuccessful": not any(file.error for file in files),
                        "toolExecutionNotifications": [
                            {"level": "error", "message": {"text": file.error}} for file in files if file.error
                        ],
                    }
                ],
            }
        ],
    }


def _rule_id(file: LintedFile, finding: LintFinding) -> str:
    """Return a stable name of a finding: kind, setting and question, made unique by its reason."""
    digest = hashlib.sha256(finding.reason.encode("utf-8")).hexdigest()[:8]
    setting = finding.setting.lower().rpartition(".")[2].strip("[]").replace(" ", "-")[:40]
    return f"{file.kind}/{setting}/{finding.question}/{digest}"


def _rule(rule: str, finding: LintFinding) -> dict[str, object]:
    helped = " ".join(text for text in (finding.reason, f"Source: {finding.source}.", _instead(finding)) if text)
    return {
        "id": rule,
        "shortDescription": {"text": finding.reason},
        "help": {"text": helped},
        "defaultConfiguration": {"level": _LEVELS[finding.question]},
    }


def _result(file: LintedFile, finding: LintFinding, rule: str, index: int) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(file)}}
    if finding.line > 0:
        place["region"] = {"startLine": finding.line}
    value = f" {finding.value}" if finding.value else ""
    instead = f" {_instead(finding)}" if finding.replacement else ""
    return {
        "ruleId": rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.question],
        "message": {"text": f"{finding.setting}{value}: {finding.reason}{instead}"},
        "locations": [{"physicalLocation": place}],
        "properties": {
            "question": finding.question,
            "verdict": finding.verdict,
            "source": finding.source,
            "replacement": finding.replacement,
        },
    }


def _uri(file: LintedFile) -> str:
    """Return where a file lies: absolute, or relative to where the program was called; on a host, below its name.

    Source: SARIF 2.1.0, section 3.4.3; RFC 3986, section 4.2 (no colon in the first segment), RFC 8089 (file:).
    """
    path = Path(file.path)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path), safe="/~")


def _instead(finding: LintFinding) -> str:
    return f"{replacement_text(finding)}." if finding.replacement else ""
