"""Results of the injection test: packets sent at a tunnel that did not come through its cryptography."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.domain.messages import mark, sentences
from app.domain.messages.results import (
    FORGERIES_LOST,
    FRAMES_INTACT,
    INJECTION_CONTROL_FAILED,
    INJECTION_NOT_RUN,
    INJECTION_SHOWS_NOTHING,
    NO_FORGERY_GOT_IN,
    NO_REPLAY_GOT_IN,
    NO_TRIAL_ARRIVED,
    NO_TRIAL_SENT,
    PACKETS_GOT_IN,
    TRIAL_WORDS,
)


class TrialKind(StrEnum):
    """Kind of packet that the injection test sends."""

    FORGED = "forged"  # a plain frame in the encapsulation that the tunnel uses
    ALTERED = "altered"  # a captured packet that had not been delivered, with one bit flipped
    DELAYED = "delayed"  # the control: a captured packet that had not been delivered, as it was
    REPLAYED = "replayed"  # a captured packet that had been delivered, once more


@dataclass(frozen=True, slots=True)
class InjectionTrial:
    """Packets of one kind that were sent at one host.

    Attributes:
        kind: The kind.
        title: The packets, for example `from a third address`.
        sent: Number of packets.
        arrived: Those of them that the host's underlay interface received.
        entered: Frames that came out of the tunnel because of them.
        intact: Of altered packets: frames that came out as they had been sent, because the bit was one on which nothing
            depends, or because the program sent them again by another way; they are not among those that entered.
    """

    kind: TrialKind
    title: str
    sent: int
    arrived: int
    entered: int
    intact: int = 0

    @property
    def words(self) -> str:
        """The packets in words, for example `forged from a third address`."""
        return TRIAL_WORDS[self.kind.value](title=self.title)


@dataclass(frozen=True, slots=True)
class HostInjection:
    """The injection test of one host.

    Attributes:
        trials: Packets that were sent.
        missing: Reasons why a kind was not tried, as sentences, by `TrialKind` value.
    """

    trials: tuple[InjectionTrial, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)

    def of(self, kind: TrialKind) -> tuple[InjectionTrial, ...]:
        """Return the trials of one kind."""
        return tuple(trial for trial in self.trials if trial.kind is kind)

    def entered(self, kind: TrialKind) -> int:
        """Return how many frames of one kind came out of the tunnel."""
        return sum(trial.entered for trial in self.of(kind))


@dataclass(frozen=True, slots=True)
class InjectionReport:
    """The injection test of both hosts.

    Attributes:
        hosts: By `a` and `b`, the host that the packets were sent at.
        is_exempt: Whether the tunnel has no cryptography on purpose: then the packets must get in.
    """

    hosts: Mapping[str, HostInjection]
    is_exempt: bool = False


class PropertyVerdict(StrEnum):
    """Whether a property of a tunnel was shown."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_TRIED = "not-tried"


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """One property of a tunnel, as captures and the injection test showed it.

    Attributes:
        verdict: Whether it was shown.
        note: What was seen, or why it was not tried, as sentences.
        is_tried: Whether a test was made, whatever it showed: one whose control failed has the verdict `not-tried`.
    """

    verdict: PropertyVerdict
    note: str = ""
    is_tried: bool = True


NOT_RUN = PropertyResult(PropertyVerdict.NOT_TRIED, INJECTION_NOT_RUN(), is_tried=False)


_AUTHENTIC = ((TrialKind.FORGED, TrialKind.ALTERED), TrialKind.ALTERED)
_REPLAY_PROOF = ((TrialKind.REPLAYED,), TrialKind.REPLAYED)
"""Trials that show a property, and the one of them that must have been made."""


def authenticity(report: InjectionReport | None) -> PropertyResult:
    """Return whether forged and altered packets were kept out."""
    return _judge(report, *_AUTHENTIC)


def replay_protection(report: InjectionReport | None) -> PropertyResult:
    """Return whether packets that were sent once more were kept out."""
    return _judge(report, *_REPLAY_PROOF)


def doubtful_sides(report: InjectionReport | None) -> tuple[str, ...]:
    """Return the hosts, `a` and `b`, whose trials do not show what they should; both where none show anything."""
    if report is None or not report.hosts or report.is_exempt:
        return ("a", "b")
    return tuple(
        side
        for side, host in report.hosts.items()
        if _doubts(side, host, *_AUTHENTIC) or _doubts(side, host, *_REPLAY_PROOF)
    )


def _judge(report: InjectionReport | None, kinds: tuple[TrialKind, ...], required: TrialKind) -> PropertyResult:
    if report is None or not report.hosts:
        return NOT_RUN
    trials = {side: [trial for kind in kinds for trial in host.of(kind)] for side, host in report.hosts.items()}
    entered = [words for side, tried in trials.items() for words in _entered(side, tried)]
    if entered:
        return PropertyResult(PropertyVerdict.FAILS, sentences(entered))
    if report.is_exempt:
        return PropertyResult(PropertyVerdict.NOT_TRIED, INJECTION_SHOWS_NOTHING())
    doubts = _all_doubts(report, kinds, required)
    if doubts:
        is_tried = all(_is_tried(host, kinds, required) for host in report.hosts.values())
        return PropertyResult(PropertyVerdict.NOT_TRIED, sentences(doubts), is_tried=is_tried)
    return PropertyResult(PropertyVerdict.HOLDS, _note([one for tried in trials.values() for one in tried], required))


def _all_doubts(report: InjectionReport, kinds: tuple[TrialKind, ...], required: TrialKind) -> list[str]:
    doubts = (doubt for side, host in report.hosts.items() for doubt in _doubts(side, host, kinds, required))
    return list(dict.fromkeys(doubts))


def _entered(side: str, trials: list[InjectionTrial]) -> list[str]:
    return [
        PACKETS_GOT_IN(entered=trial.entered, sent=trial.sent, words=trial.words, side=side.upper())
        for trial in trials
        if trial.entered
    ]


def _note(trials: list[InjectionTrial], required: TrialKind) -> str:
    """Return what was tried where nothing got in, as sentences."""
    sent, intact = sum(trial.arrived for trial in trials), sum(trial.intact for trial in trials)
    notes = [_NONE_GOT_IN[required](sent=sent)]
    lost = sorted({trial.title for trial in trials if trial.kind is TrialKind.FORGED and not trial.arrived})
    if lost:
        notes.append(FORGERIES_LOST(titles=lost))
    if intact:
        notes.append(FRAMES_INTACT(intact=intact))
    return sentences(notes)


PLAIN_FORGERY = mark("from the peer's address")
"""Forged packets that arrive by any way that the tunnel's own ones take; a router on it may drop the others."""


def _may_be_lost(trial: InjectionTrial) -> bool:
    return trial.kind is TrialKind.FORGED and trial.title != PLAIN_FORGERY


_NONE_GOT_IN = {TrialKind.ALTERED: NO_FORGERY_GOT_IN, TrialKind.REPLAYED: NO_REPLAY_GOT_IN}


def _is_tried(host: HostInjection, kinds: tuple[TrialKind, ...], required: TrialKind) -> bool:
    return bool(host.of(required)) and not any(kind in host.missing for kind in kinds)


def _doubts(side: str, host: HostInjection, kinds: tuple[TrialKind, ...], required: TrialKind) -> list[str]:
    """Return why one host's trials do not show the property, as sentences."""
    missing = [host.missing[kind] for kind in kinds if kind in host.missing]
    if missing:
        return missing
    if not host.of(required):
        return [NO_TRIAL_SENT(kind=TRIAL_WORDS[required.value](title=""), side=side.upper())]
    unheard = [trial for kind in kinds for trial in host.of(kind) if not trial.arrived and not _may_be_lost(trial)]
    if unheard:
        return [NO_TRIAL_ARRIVED(side=side.upper(), words=trial.words) for trial in unheard]
    if not host.entered(TrialKind.DELAYED):
        return [INJECTION_CONTROL_FAILED(side=side.upper())]
    return []
