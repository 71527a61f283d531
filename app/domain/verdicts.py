"""Verdicts on algorithms, suites and settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Five words for how good something is; `unprotected` stands for no cryptography at all."""

    RECOMMENDED = "recommended"
    ACCEPTABLE = "acceptable"  # no known weakness, but something better is known, or it is outside a chosen guideline
    LEGACY = "legacy"  # outdated design, no known break
    UNKNOWN = "unknown"  # a name that the policy does not know
    INSECURE = "insecure"  # broken, or below the floor
    UNPROTECTED = "unprotected"  # deliberately none; measured as a reference, never deployed

    @property
    def is_deployable(self) -> bool:
        """Whether it may be deployed on a pair without further questions."""
        return self in (Verdict.RECOMMENDED, Verdict.ACCEPTABLE)

    @property
    def needs_reason(self) -> bool:
        """Whether it may be deployed on a pair only with a reason, which is written down."""
        return self in (Verdict.LEGACY, Verdict.UNKNOWN)

    @property
    def severity(self) -> int:
        """0 (recommended) to 5 (unprotected); a suite is as bad as its worst part."""
        return list(Verdict).index(self)


class FindingQuestion(StrEnum):
    """Question that a finding answers; the questions are kept apart, since each is answered by other people."""

    INSECURE = "insecure"  # broken, below today's floor, or outdated: this program's own policy says so
    GUIDELINE = "guideline"  # outside a guideline that the user picked
    SLOW = "slow"  # measured here, or known to be slow everywhere
    MISSING = "missing"  # a protection that is not there


class PostQuantum(StrEnum):
    """Protection of recorded traffic against a later quantum computer; a property beside the verdict."""

    HYBRID = "hybrid"  # a post-quantum key exchange beside a classical one
    PURE = "pure"  # a post-quantum key exchange without a classical one
    STORED = "hybrid-stored-key"  # a classical exchange with a stored key that a post-quantum exchange has made
    SYMMETRIC = "symmetric"  # no such exchange, but keys that depend on a secret which both hosts hold
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with its reason and source.

    Attributes:
        subject: What is judged, for example `AES-256-GCM`.
        verdict: The word.
        reason: One sentence.
        source: Where that is stated, for example an RFC with its section.
        replacement: What to use instead; empty where nothing has to be replaced.
        question: Which question it answers.
    """

    subject: str
    verdict: Verdict
    reason: str
    source: str
    replacement: str = ""
    question: FindingQuestion = FindingQuestion.INSECURE

    @property
    def is_counted(self) -> bool:
        """Whether it bears on the verdict: being slow makes nothing less secure."""
        return self.question is not FindingQuestion.SLOW


def by_weight(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order in which they are shown: the deciding one first, what is not counted last.

    Of several that are as bad, those of this program's own policy come first, then the order is kept.
    """
    return tuple(
        sorted(
            findings,
            key=lambda one: (not one.is_counted, -one.verdict.severity, one.question is not FindingQuestion.INSECURE),
        )
    )


def deciding_finding(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding that a verdict comes from: the first `by_weight`; None where nothing is counted."""
    return next((one for one in by_weight(findings) if one.is_counted), None)
