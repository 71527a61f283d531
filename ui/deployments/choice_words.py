"""Sentences on a chosen candidate: whether it may be deployed, and why not."""

from __future__ import annotations

from app.domain.declared import comparison_reason
from app.domain.results import Candidate
from app.domain.verdicts import Verdict, deciding_finding
from app.wording.findings import replacement_words
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title
from ui.common.texts import tr
from ui.common.verdicts import verdict_appearance


def is_never(candidate: Candidate) -> bool:
    """Whether a candidate is never deployed, whatever the reason."""
    return candidate.verdict in (Verdict.INSECURE, Verdict.UNPROTECTED) or bool(comparison_reason(candidate.solution))


def why_never(candidate: Candidate) -> str:
    """Return why a candidate is never deployed, and what to deploy in its place."""
    if why := comparison_reason(candidate.solution):
        return tr("%1 is never deployed: %2", local_title(candidate.title), local_text(why))
    what = verdict_appearance(candidate.verdict).word
    sentence = tr("%1 cannot be deployed: %2.", local_title(candidate.title), what.lower())
    return f"{sentence} {deciding_words(candidate)}".strip()


def deciding_words(candidate: Candidate) -> str:
    """Return the finding that decides a candidate's verdict; empty where there is none."""
    deciding = deciding_finding(candidate.findings)
    if deciding is None:
        return ""
    instead = f" {tr('Instead')}: {replacement_words(deciding.replacement)}." if deciding.replacement else ""
    return f"{local_name(deciding.subject)}: {local_text(deciding.reason)} ({local_text(deciding.source)}){instead}"
