"""Findings on existing configuration files, by rules that are data.

Rules see settings with line numbers, already without secrets. A finding names its line, reason, source and advice.
Must not read files, and must not change them.
"""

from app.policy.lint.access import key_files
from app.policy.lint.linting import MAX_FINDINGS, is_advice, lint
from app.policy.lint.rules import newest_versions, rule_sets, version_of

__all__ = ["MAX_FINDINGS", "is_advice", "key_files", "lint", "newest_versions", "rule_sets", "version_of"]
