"""Tells kinds of configuration files apart by their content."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SAMPLE = 65_536
_MAX_LINES = 2000
_FIRST_WORD = re.compile(r"[ \t]*(?:--)?(\[[^\]\n]{1,40}\]|[A-Za-z+-][A-Za-z0-9_+-]{0,40})")


@dataclass(frozen=True, slots=True)
class Sniffer:
    """What a kind of file looks like.

    Attributes:
        words: First words of its lines, in lower case.
        names: File names that belong to this kind alone, for example `sshd_config`.
        path: Found in the path of most such files.
        strong: Found in hardly any other kind of file.
        is_strong_needed: Whether first words alone do not make it this kind.
    """

    words: frozenset[str]
    names: frozenset[str]
    path: re.Pattern[str]
    strong: re.Pattern[str]
    is_strong_needed: bool = False

    def score(self, text: str, path: str) -> float:
        """Return how much a text looks like this kind.

        The share of lines whose first word it knows counts up to 1, what is found in such files alone 1, the path half,
        a name that belongs to this kind alone 1 and a half.

        Args:
            text: The file; its first 64 KiB are looked at.
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
