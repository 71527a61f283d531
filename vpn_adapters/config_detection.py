"""Detection of a configuration file's kind by its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SAMPLE = 65_536
_MAX_LINES = 2000
_ENOUGH, _MOST = 6, 0.8
"""A text of so many known lines, and of this share of them, is of a kind though its other lines are not known."""
_BLOCK = re.compile(r"<([A-Za-z0-9-]{1,40})>|-----BEGIN [A-Za-z0-9 .-]{1,60}-----")
_STRUCTURE = re.compile(r"\[[^\]]*\]|[{}();\]]+|[^{};]*\{\}?")
_FIRST_WORD = re.compile(r"[ \t]*(?:--)?(\[[^\]\n]{1,40}\]|[A-Za-z+-][A-Za-z0-9_+-]{0,40})")


@dataclass(frozen=True, slots=True)
class Sniffer:
    """Traits by which a kind of file is recognised.

    Attributes:
        words: First words of its lines, in lower case.
        names: File names that belong to this kind alone, for example `sshd_config`.
        path: Found in the path of most such files.
        strong: Found in hardly any other kind of file.
        is_strong_needed: Whether first words alone do not make it this kind.
        more: First words of lines that are settings, too, but do not tell this kind from others.
        shape: A line of it that has no first word to be known by; None where all have.
    """

    words: frozenset[str]
    names: frozenset[str]
    path: re.Pattern[str]
    strong: re.Pattern[str]
    is_strong_needed: bool = False
    more: frozenset[str] = frozenset()
    shape: re.Pattern[str] | None = None

    def score(self, text: str, path: str) -> float:
        """Return how much a text resembles this kind.

        The share of lines whose first word it knows counts up to 1 (of many a fifth may be unknown), what is found in
        such files alone 1, the path half, a name that belongs to this kind alone 1 and a half.

        Args:
            text: The file; its first 64 KiB are examined.
            path: Where it lies; may be empty.
        """
        sample = text[:_SAMPLE]
        known, total = self._known(sample)
        share = known / total if total else 0.0
        is_strong = self.strong.search(sample) is not None
        if self.is_strong_needed and not is_strong:
            share = 0.0
        if not is_strong and known < 2:
            share = 0.0
        if known >= _ENOUGH and share >= _MOST:
            share += 1.0 - _MOST  # one misspelt name must not hide what the others say
        by_path = 0.5 if path and self.path.search(path) else 0.0
        if path and path.rpartition("/")[2] in self.names:
            by_path += 1.0
        return share + (1.0 if is_strong else 0.0) + by_path

    def _known(self, sample: str) -> tuple[int, int]:
        """Return how many lines begin with a word that is known, and how many lines there are, without comments."""
        known = total = 0
        for line in sample.split("\n")[:_MAX_LINES]:
            found = _FIRST_WORD.match(line)
            if found is None:
                continue
            total += 1
            known += found[1].lower() in self.words
        return known, total

    def settings(self, text: str) -> tuple[int, int]:
        """Return how many lines are settings of this kind, and how many lines could be.

        Comments, keys and certificates, section heads, braces alone and continued lines are not counted.

        Args:
            text: The file; its first 64 KiB are examined.
        """
        known = total = 0
        for line in _lines_to_judge(text[:_SAMPLE]):
            if (is_known := self._is_setting(line)) or _STRUCTURE.fullmatch(line) is None:
                total += 1
                known += is_known
        return known, total

    def _is_setting(self, line: str) -> bool:
        # What follows a brace in the same line is a setting, too: `local { auth = psk`.
        for part in (line, line.partition("{")[2]):
            found = _FIRST_WORD.match(part)
            if found is not None and (found[1].lower() in self.words or found[1].lower() in self.more):
                return True
        return self.strong.search(line) is not None or (
            self.shape is not None and self.shape.fullmatch(line) is not None
        )


def _lines_to_judge(text: str) -> Iterator[str]:
    """Yield lines without what is around them; a block in tags or in PEM's frame is its first line alone, or none."""
    end = ""
    is_continued = False
    for line in map(str.strip, text.split("\n")[:_MAX_LINES]):
        if end:
            end = "" if end in line else end
            continue
        was_continued, is_continued = is_continued, line.endswith("\\")
        if not line or line[0] in "#;" or was_continued:
            continue
        block = _BLOCK.match(line)
        if block is None:
            yield line
            continue
        if block[1] is not None:
            yield line
        closing = f"</{block[1]}>" if block[1] is not None else "-----END"
        end = closing if closing not in line else ""
