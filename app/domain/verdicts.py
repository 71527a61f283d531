"""Verdicts on algorithms, suites and settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Four words for how good something is; `unprotected` stands for no cryptography at all."""

    RECOMMENDED = "recommended"
    ACCEPTABLE = "acceptable"  # outside a chosen guideline only
    LEGACY = "legacy"  # outdated design, no known break
    INSECURE = "insecure"  # broken, or below the floor
    UNPROTECTED = "unprotected"  # deliberately none; measured as a reference, never deployed

    @property
    def is_deployable(self) -> bool:
        """Whether it may stay on a pair without further questions."""
        return self in (Verdict.RECOMMENDED, Verdict.ACCEPTABLE)

    @property
    def severity(self) -> int:
        """0 (recommended) to 4 (unprotected); a suite is as bad as its worst part."""
        return list(Verdict).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with its reason and source.

    Attributes:
        subject: What is judged, for example `AES-256-GCM`.
        verdict: The word.
        reason: One sentence.
        source: Where that is said, for example an RFC with its section.
        replacement: What to use instead; empty where nothing has to be replaced.
    """

    subject: str
    verdict: Verdict
    reason: str
    source: str
    replacement: str = ""
