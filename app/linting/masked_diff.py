"""Differences of files on hosts, for showing: what may be secret in them is masked."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from vpn_adapters.config_formats import KINDS, sniff_kind
from vpn_adapters.shared.config_parsing.page import ConfigPage, printable

_CONTEXT_LINES = 3


def shown_lines(text: str, path: str, public: str) -> tuple[str, ...]:
    """Return the lines of a file on a host without secrets and control characters.

    Args:
        text: What is in the file now; anything may be.
        path: Where it lies; helps to tell what it is.
        public: A text that is known to hold no secret; its lines are shown as they are.
    """
    lines = _lines(text)
    known = frozenset(_lines(public))
    # A file edited by hand may hold anything anywhere: what resembles a secret is masked wherever it is.
    masked = list(ConfigPage(text).reading().lines)
    kind = sniff_kind(public, path) or sniff_kind(text, path)
    if kind is not None:
        for number, line in enumerate(KINDS[kind].read(text).lines[: len(lines)]):
            if line != printable(lines[number]):
                masked[number] = line
    return tuple(printable(line) if line in known else hidden for line, hidden in zip(lines, masked, strict=False))


def shown_diff(before: Sequence[str], after: Sequence[str], shown: tuple[Sequence[str], Sequence[str]]) -> str:
    """Return a unified diff of what is shown; lines differ where the files do, although both may be masked.

    Args:
        before: Lines of the one file.
        after: Lines of the other one.
        shown: The same lines as they are shown.
    """
    parts: list[str] = []
    for group in difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT_LINES):
        a, b = group[0], group[-1]
        parts.append(f"@@ -{_range(a[1], b[2])} +{_range(a[3], b[4])} @@")
        for what, low_a, high_a, low_b, high_b in group:
            if what == "equal":
                parts += [f" {line}" for line in shown[0][low_a:high_a]]
                continue
            parts += [f"-{line}" for line in shown[0][low_a:high_a]]
            parts += [f"+{line}" for line in shown[1][low_b:high_b]]
    return "\n".join(parts)


def changed_by_hand(known: str, found: str, path: str) -> str:
    """Return how a file on a host differs from what was deployed.

    Args:
        known: What was deployed; it holds no secret.
        found: What is in the file now.
        path: Where it lies.
    """
    before, after = _lines(known), _lines(found)
    masked = tuple(map(printable, before)), shown_lines(found, path, known)
    return _with_names(shown_diff(before, after, masked), f"{path} (deployed)", path)


def would_change(found: str | None, wanted: str, path: str) -> str:
    """Return what a deployment would change in a file on a host.

    Args:
        found: What is in the file now; None where there is none.
        wanted: What would be written; it holds no secret.
        path: Where it lies.
    """
    before, after = _lines(found or ""), _lines(wanted)
    masked = shown_lines(found or "", path, wanted), tuple(map(printable, after))
    return _with_names(shown_diff(before, after, masked), path if found is not None else "/dev/null", path)


def _range(low: int, high: int) -> str:
    """Source: POSIX diff, unified format: an empty range is named by the line before it."""
    return f"{low + 1 if high > low else low},{high - low}"


def _with_names(diff: str, before: str, after: str) -> str:
    return f"--- {printable(before)}\n+++ {printable(after)}\n{diff}" if diff else ""


def _lines(text: str) -> list[str]:
    """Return the lines as the readers of configuration files count them."""
    lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
    return lines[:-1] if lines[-1] == "" else lines
