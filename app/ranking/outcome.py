"""Outcome of a comparison: how many VPNs were measured, and why the others were not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.domain.errors import UNRESTORED, PackageMissing, PreflightRefused, PrivilegeMissing
from app.domain.messages import Message
from app.domain.results import Attempt, AttemptStatus, CampaignRecord, CampaignStatus, Candidate
from app.domain.solutions import BASELINE
from app.wording.language import tr
from app.wording.local_forms import attempts_text, vpns_text
from app.wording.messages import local_text
from app.wording.titles import local_title


class Remedy(StrEnum):
    """Step of a comparison in which the cause of a failure can be removed."""

    HOSTS = "hosts"
    LINK = "link"
    NONE = ""


_REMEDIES = {
    PreflightRefused.reason: Remedy.LINK,
    PackageMissing.reason: Remedy.HOSTS,
    PrivilegeMissing.reason: Remedy.HOSTS,
}


@dataclass(frozen=True, slots=True)
class FailureCause:
    """One cause, with the candidates that failed of it.

    Attributes:
        reason: Stable reason code.
        message: The sentence of the error, with what to do next.
        titles: Candidates that failed of it, in the order of the plan.
    """

    reason: str
    message: str
    titles: tuple[str, ...]

    @property
    def remedy(self) -> Remedy:
        """The step in which the cause can be removed."""
        return _REMEDIES.get(self.reason, Remedy.NONE)

    @property
    def sentence(self) -> str:
        """Number or name of the candidates, and the message."""
        who = self.titles[0] if len(self.titles) == 1 else f"{len(self.titles)}x"
        return f"{who}: {local_text(self.message)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a comparison. The baseline counts as no VPN, but its failures are among the causes.

    Attributes:
        vpns: VPNs in the plan.
        measured: VPNs with at least one completed attempt.
        failed: VPNs without one, of which an attempt failed.
        attempts: Attempts in the plan.
        attempts_failed: Attempts that failed.
        causes: Causes of the failures, the most frequent first.
    """

    vpns: int
    measured: int
    failed: int
    attempts: int
    attempts_failed: int
    causes: tuple[FailureCause, ...]

    @property
    def headline(self) -> str:
        """Number of VPNs that failed; empty where nothing failed."""
        if self.failed:
            return tr("{number} of {all} failed").format(number=self.failed, all=vpns_text(self.vpns))
        if self.attempts_failed:
            return tr("{number} of {all} failed").format(number=self.attempts_failed, all=attempts_text(self.attempts))
        return ""

    @property
    def measured_words(self) -> str:
        """Number of VPNs that were measured, for lists."""
        return tr("{number} of {all} measured").format(number=self.measured, all=vpns_text(self.vpns))


def outcome_of(record: CampaignRecord) -> Outcome:
    """Sum up how a comparison ended.

    Args:
        record: The comparison, finished or not.
    """
    vpns = [candidate for candidate in record.plan.candidates if candidate.solution != BASELINE]
    done = _keys(record.attempts, AttemptStatus.COMPLETED)
    failed = _keys(record.attempts, AttemptStatus.FAILED) - done
    return Outcome(
        vpns=len(vpns),
        measured=sum(_key(one) in done for one in vpns),
        failed=sum(_key(one) in failed for one in vpns),
        attempts=record.attempts_needed,
        attempts_failed=sum(one.status is AttemptStatus.FAILED for one in record.attempts),
        causes=failure_causes(record.plan.candidates, record.attempts),
    )


def is_unfinished(record: CampaignRecord) -> bool:
    """Whether a comparison was interrupted, or cancelled while attempts were left, so that it can be resumed."""
    if record.status is CampaignStatus.INTERRUPTED:
        return True  # also where all is measured: its hosts may have to be rolled back
    return record.status is CampaignStatus.CANCELLED and attempts_left(record) > 0


def attempts_left(record: CampaignRecord) -> int:
    """Return how many attempts are left to be made; of an adaptive comparison at most so many."""
    return max(0, record.attempts_needed - ended_attempts(record))


def left_behind(record: CampaignRecord) -> str:
    """Return why a host may not be as it was before a comparison, as a sentence; empty where both are.

    Hosts were recovered from what attempts left before the last one. Those of an adaptive round end together.
    """
    ran = [one for one in record.attempts if one.status is not AttemptStatus.NOT_RUN]
    last = [one for one in ran if one.key.round == ran[-1].key.round] if record.plan.profile.is_adaptive else ran[-1:]
    return next((one.message or one.reason for one in reversed(last) if one.reason in UNRESTORED), "")


def ended_attempts(record: CampaignRecord) -> int:
    """Return how many attempts came to an end; those that were cancelled or not run are stored, too."""
    ended = (AttemptStatus.COMPLETED, AttemptStatus.FAILED, AttemptStatus.SKIPPED)
    return sum(attempt.status in ended for attempt in record.attempts)


def failure_causes(candidates: Iterable[Candidate], attempts: Iterable[Attempt]) -> tuple[FailureCause, ...]:
    """Group failed attempts by cause.

    Args:
        candidates: In the order of the plan.
        attempts: All attempts; those that did not fail are left out.

    Returns:
        The causes, the one of most candidates first.
    """
    titles = {_key(candidate): local_title(candidate.title) for candidate in candidates}
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for attempt in attempts:
        if attempt.status is AttemptStatus.FAILED:
            message = _on_one_line(attempt.message) or attempt.reason
            found.setdefault((attempt.reason, message), set()).add((attempt.key.solution, attempt.key.suite))
    causes = [
        FailureCause(reason, message, tuple(title for key, title in titles.items() if key in keys))
        for (reason, message), keys in found.items()
    ]
    return tuple(sorted((cause for cause in causes if cause.titles), key=lambda cause: -len(cause.titles)))


def _on_one_line(text: str) -> str:
    return text if isinstance(text, Message) else " ".join(text.split())


def _keys(attempts: Iterable[Attempt], status: AttemptStatus) -> set[tuple[str, str]]:
    return {(one.key.solution, one.key.suite) for one in attempts if one.status is status}


def _key(candidate: Candidate) -> tuple[str, str]:
    return candidate.solution, candidate.suite
