"""Texts that are linted as files are."""

from __future__ import annotations

from app.domain.linting import LintedFile
from app.linting.files import LintOptions, lint_bytes


def lint_text(text: str, path: str = "", options: LintOptions | None = None) -> LintedFile:
    """Lint a text, for example one that was pasted."""
    return lint_bytes(text.encode("utf-8", errors="replace"), path, options or LintOptions())
