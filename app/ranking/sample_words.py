"""Samples of a candidate and their outages in words."""

from __future__ import annotations

from app.ranking.sample_history import SampleHistory, SampleOutage
from app.wording.language import tr, trn
from app.wording.local_forms import decimal
from app.wording.numbers import grouped


def lasted_text(one: SampleOutage) -> str:
    """Return for how long an outage lasted, as far as that is stored; empty where no times are."""
    if one.least_s is None or one.most_s is None:
        return ""
    most = f"{decimal(one.most_s, 1)} s"
    if one.least_s == 0:
        return tr("at most {time}").format(time=most)
    return tr("{low} to {high}").format(low=f"{decimal(one.least_s, 1)} s", high=most)


def outage_text(one: SampleOutage) -> str:
    """Return an outage in lines: its requests, and what is known of its duration."""
    if one.requests == 1:
        text = tr("Round {round}: request {number} had no reply").format(round=one.round, number=grouped(one.first + 1))
    else:
        text = tr("Round {round}: {number} requests in a row had no reply")
        text = text.format(round=one.round, number=grouped(one.requests))
    lasted = lasted_text(one)
    known = tr("duration: {time}").format(time=lasted) if lasted else tr("The times of requests are not stored.")
    return f"{text}\n{known}"


def history_note(history: SampleHistory) -> str:
    """Return how many requests and outages there were, which outage was the longest, and which times are stored."""
    numbers = {
        "requests": grouped(int(history.is_sent.sum())),
        "lost": grouped(sum(one.requests for one in history.outages)),
        "outages": grouped(len(history.outages)),
    }
    parts = [tr("Requests: {requests}; without a reply: {lost}; outages: {outages}.").format(**numbers)]
    if history.outages:
        parts.append(_longest(max(history.outages, key=lambda one: one.requests)))
    if history.at_s is None:
        parts.append(tr("Only the order of requests is stored, not their times."))
    elif history.outages:
        parts.append(tr("Stored is when each block of requests began; durations lie between bounds."))
    return " ".join(parts)


def _longest(one: SampleOutage) -> str:
    text = trn(
        "The longest: {number} request, in round {round}{duration}.",
        "The longest: {number} requests in a row, in round {round}{duration}.",
        one.requests,
    )
    lasted = lasted_text(one)
    duration = f" ({tr('duration: {time}').format(time=lasted)})" if lasted else ""
    return text.format(number=grouped(one.requests), round=one.round, duration=duration)
