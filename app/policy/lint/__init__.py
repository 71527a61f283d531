"""Verdicts on existing configuration files, by rules that are data."""

from app.policy.lint.access import key_files
from app.policy.lint.linting import MAX_FINDINGS, lint
from app.policy.lint.rules import rule_sets

__all__ = ["MAX_FINDINGS", "key_files", "lint", "rule_sets"]
