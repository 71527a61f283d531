"""Packet test of a candidate as a reason for or against it."""

from __future__ import annotations

from app.domain.capture import BreakVerdict, CaptureReport, Property, properties_of
from app.domain.injection import PropertyResult, PropertyVerdict
from app.domain.link_protocols import ProtocolVerdict
from app.ranking.candidates import Contender, capture_of
from app.wording.capture_sentences import PROPERTY_WORDS, within_sentence
from app.wording.language import mark, tr
from app.wording.link_protocols import PROTOCOL_NAMES
from app.wording.local_forms import listed_names
from app.wording.messages import local_text

_FAILS = {
    Property.CONFIDENTIAL: mark("frames could be read on the underlay"),
    Property.AUTHENTIC: mark("forged frames got in"),
    Property.REPLAY_PROOF: mark("replayed frames got in"),
}

MOST_FAILURES = len(_FAILS) + 1
"""Number of properties that a packet test can refute: those above, and that it is fail-closed."""

_LONGEST_REASON = 100
"""Characters; the page of the candidate has longer ones. Source: our choice, a line of the PDF report."""


def failed_proofs(one: Contender) -> tuple[str, ...]:
    """Return what the packet test found against a candidate, in words; it is not recommended then."""
    report = capture_of(one.attempts)
    return () if report is None else failures_of(report)


def failures_of(report: CaptureReport) -> tuple[str, ...]:
    """Return what a packet test found against a tunnel, in words."""
    properties = properties_of(report)
    found = [tr(words) for kind, words in _FAILS.items() if properties[kind].verdict is PropertyVerdict.FAILS]
    broken = report.leak.broken if report.leak is not None else ()
    if any(outcome.verdict is BreakVerdict.FAILS_OPEN for outcome in broken):
        found.append(tr("frames left unprotected when the protection was gone"))
    return tuple(found)


def untried_proofs(one: Contender) -> str:
    """Return what the packet test did not show of a candidate, as a sentence; empty where it showed everything."""
    report = capture_of(one.attempts)
    if report is None:
        return tr(
            "No packet test was made of {title}: whether it protects is known from its configuration only."
        ).format(title=one.title)
    missing = {kind: each for kind, each in properties_of(report).items() if each.verdict is PropertyVerdict.NOT_TRIED}
    unreached = [tr(PROPERTY_WORDS[kind]) for kind, each in missing.items() if each.is_tried]
    texts: list[str] = []
    if unreached:
        text = tr("The packet test did not show that {title} is {properties}.")
        texts.append(text.format(title=one.title, properties=listed_names(unreached)))
    untested: dict[str, list[str]] = {}
    for kind, each in missing.items():
        if not each.is_tried:
            untested.setdefault(_short_reason(each), []).append(tr(PROPERTY_WORDS[kind]))
    texts += [
        tr("Whether {title} is {properties} was not tested{why}").format(
            title=one.title, properties=listed_names(kinds), why=why
        )
        for why, kinds in untested.items()
    ]
    return " ".join(texts)


def _short_reason(result: PropertyResult) -> str:
    """Return the end of a sentence: why a property was not tested, where that is short."""
    return f": {within_sentence(local_text(result.note))}" if 0 < len(result.note) <= _LONGEST_REASON else "."


def lost_protocols(one: Contender) -> str:
    """Return which link-layer protocols do not cross a candidate as they were sent, as a sentence; or nothing."""
    report = capture_of(one.attempts)
    crossings = report.protocols if report is not None else ()
    lost = [tr(PROTOCOL_NAMES[each.protocol]) for each in crossings if each.verdict is ProtocolVerdict.LOST]
    changed = [tr(PROTOCOL_NAMES[each.protocol]) for each in crossings if each.verdict is ProtocolVerdict.CHANGED]
    words = [tr("does not carry {protocols}").format(protocols=listed_names(lost))] if lost else []
    words += [tr("changes {protocols}").format(protocols=listed_names(changed))] if changed else []
    return f"{one.title} {listed_names(words)}." if words else ""
