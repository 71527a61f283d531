"""Packet test of a candidate as a reason for or against it."""

from __future__ import annotations

from app.domain.capture import BreakVerdict, CaptureReport, Property, properties_of
from app.domain.injection import PropertyResult, PropertyVerdict
from app.domain.link_protocols import ProtocolVerdict
from app.ranking.candidates import Contender
from app.wording.capture_sentences import within_sentence
from app.wording.link_protocols import PROTOCOL_NAMES
from app.wording.numbers import listed

_FAILS = {
    Property.CONFIDENTIAL: "frames could be read on the underlay",
    Property.AUTHENTIC: "forged frames got in",
    Property.REPLAY_PROOF: "replayed frames got in",
}

_LONGEST_REASON = 100
"""Characters; the page of the candidate has longer ones. Source: our choice, a line of the PDF report."""


def failed_proofs(one: Contender) -> tuple[str, ...]:
    """Return what the packet test found against a candidate, in words; it is not recommended then."""
    report = _report(one)
    return () if report is None else failures_of(report)


def failures_of(report: CaptureReport) -> tuple[str, ...]:
    """Return what a packet test found against a tunnel, in words."""
    properties = properties_of(report)
    found = [words for kind, words in _FAILS.items() if properties[kind].verdict is PropertyVerdict.FAILS]
    broken = report.leak.broken if report.leak is not None else ()
    if any(outcome.verdict is BreakVerdict.FAILS_OPEN for outcome in broken):
        found.append("frames left unprotected when the protection was gone")
    return tuple(found)


def untried_proofs(one: Contender) -> str:
    """Return what the packet test did not show of a candidate, as a sentence; empty where it showed everything."""
    report = _report(one)
    if report is None:
        return f"No packet test was made of {one.title}: whether it protects is known from its configuration only."
    missing = {kind: each for kind, each in properties_of(report).items() if each.verdict is PropertyVerdict.NOT_TRIED}
    unreached = [kind.value for kind, each in missing.items() if each.is_tried]
    said = [f"The packet test did not show that {one.title} is {listed(unreached)}."] if unreached else []
    untested: dict[str, list[str]] = {}
    for kind, each in missing.items():
        if not each.is_tried:
            untested.setdefault(_short_reason(each), []).append(kind.value)
    said += [f"Whether {one.title} is {listed(kinds)} was not tested{why}" for why, kinds in untested.items()]
    return " ".join(said)


def _short_reason(result: PropertyResult) -> str:
    """Return the end of a sentence: why a property was not tested, where that is short."""
    return f": {within_sentence(result.note)}" if 0 < len(result.note) <= _LONGEST_REASON else "."


def lost_protocols(one: Contender) -> str:
    """Return which link-layer protocols do not cross a candidate as they were sent, as a sentence; or nothing."""
    report = _report(one)
    crossings = report.protocols if report is not None else ()
    lost = [PROTOCOL_NAMES[each.protocol] for each in crossings if each.verdict is ProtocolVerdict.LOST]
    changed = [PROTOCOL_NAMES[each.protocol] for each in crossings if each.verdict is ProtocolVerdict.CHANGED]
    words = [f"does not carry {listed(lost)}"] if lost else []
    words += [f"changes {listed(changed)}"] if changed else []
    return f"{one.title} {' and '.join(words)}." if words else ""


def _report(one: Contender) -> CaptureReport | None:
    return next((attempt.wire for attempt in one.attempts if attempt.wire is not None), None)
