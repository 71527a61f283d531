"""Frames of link-layer protocols: sent by both hosts' interfaces of the tunnel, and captured on the other one's."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.adapters import TunnelPlan, shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_sides
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES
from app.domain.link_protocols import A_TO_B, B_TO_A, LinkProtocol, ProtocolCrossing, ProtocolVerdict, ProtocolWay
from app.domain.messages import sentences
from app.domain.script_files import bare_script
from app.probes.capture.canary_traffic import printable
from app.probes.capture.link_frames import CONTROL, COPIES, FrameTag, LinkFrame, build_frames
from app.probes.capture.messages import (
    CHANGED_CONTENT,
    CHANGED_DESTINATION,
    FEW_CONTROLS,
    FRAMES_NOT_SENT,
    FRAMES_REPEATED,
    FRAMES_SENT_TOO_LATE,
    KERNEL_LOST,
    NO_PERL_FOR_FRAMES,
    PERL_REPORTED,
    PRIORITY_CHANGED,
    TAG_ADDED,
    TAG_KEPT,
    TAG_REMOVED,
    VLAN_CHANGED,
)
from app.probes.capture.packets import TAG_BYTES, VLAN_ETHERTYPES
from app.probes.capture.pcap import ETHERNET, Record
from app.probes.capture.recording import TUNNEL, HostCapture

TIMEOUT_S = 20.0

_SEND_SCRIPT = bare_script("capture/link-protocols.sh")

_SENT = re.compile(r"#(?P<word>sent|unsent) (?P<number>\d{1,4})(?: (?P<error>.{1,100}))?")


@dataclass(frozen=True, slots=True)
class LinkSent:
    """Frames that one host sent.

    Attributes:
        label: The host, for sentences.
        frames: All that were to be sent.
        sent: Numbers of those that were.
        error: Why some or all were not, as the end of a sentence after `because`; empty where all were.
    """

    label: str
    frames: tuple[LinkFrame, ...]
    sent: frozenset[int] = frozenset()
    error: str = ""

    def of(self, kind: str) -> tuple[LinkFrame, ...]:
        """Return the frames of one kind that were sent."""
        return tuple(frame for n, frame in enumerate(self.frames) if frame.kind == kind and n in self.sent)


@dataclass(frozen=True)
class LinkRun:
    """One run of the test of link-layer protocols.

    Attributes:
        tag: In all of its frames.
        sent: By side; empty where nothing was tried.
    """

    tag: FrameTag = field(default_factory=FrameTag.new)
    sent: Mapping[Side, LinkSent] = field(default_factory=dict)


def send_link_frames(sessions: SessionPair, plan: TunnelPlan, *, token: CancelToken) -> LinkRun:
    """Send the frames of every protocol from both hosts at the same time, and wait until they have arrived.

    Args:
        plan: The tunnel; its interfaces are captured on.

    Raises:
        ConnectionLost, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    tag = FrameTag.new()

    def work(side: Side) -> LinkSent:
        host, frames = sessions.on(side), build_frames(tag, side)
        words = (plan.on(side).interface, plan.probe_address(side), plan.probe_address(side.other))
        stdin = "".join(f"{frame.data.hex()}\n" for frame in frames).encode()
        argv = shell_step_argv(_SEND_SCRIPT, *words)
        command = Command(argv, timeout_s=TIMEOUT_S, stdin=stdin, is_root=True, max_output_bytes=16_384)
        try:
            printed = host.run(command, token=token).stdout
        except DeadlineExceeded:
            return LinkSent(
                host.spec.label, frames, error=FRAMES_SENT_TOO_LATE(host=host.spec.label, seconds=TIMEOUT_S)
            )
        return parse_link_sent(host.spec.label, frames, printed)

    return LinkRun(tag, run_sides(work))


def parse_link_sent(label: str, frames: tuple[LinkFrame, ...], text: str) -> LinkSent:
    """Return what sending printed, parsed. Never raises."""
    sent: set[int] = set()
    errors: list[str] = []
    for line in text.splitlines():
        match = _SENT.fullmatch(line)
        if line == "#no-perl":
            return LinkSent(label, frames, error=NO_PERL_FOR_FRAMES(host=label))
        if match is not None and match["word"] == "sent":
            sent.add(int(match["number"]))
        elif line.strip():
            errors.append(printable(match["error"] or "" if match is not None else line))
    if len(sent) == len(frames):
        return LinkSent(label, frames, frozenset(sent))
    reason = PERL_REPORTED(output=errors[0].rstrip(".")) if errors else ""
    return LinkSent(label, frames, frozenset(sent), sentences((FRAMES_NOT_SENT(host=label), reason)))


def judge_link_frames(run: LinkRun, captures: Mapping[Side, HostCapture]) -> tuple[ProtocolCrossing, ...]:
    """Return the fate of each protocol's frames; nothing where none was tried.

    Args:
        run: Frames that were sent.
        captures: Captures on both hosts' interfaces of the tunnel.
    """
    if not run.sent:
        return ()
    ways = {
        name: judge_way(run.tag, run.sent[sender], captures[sender.other], sender)
        for name, sender in ((A_TO_B, Side.A), (B_TO_A, Side.B))
    }
    return tuple(ProtocolCrossing.of(one, {name: way[one] for name, way in ways.items()}) for one in LinkProtocol)


def judge_way(tag: FrameTag, sent: LinkSent, capture: HostCapture, sender: Side) -> Mapping[LinkProtocol, ProtocolWay]:
    """Return the fate of each protocol's frames from one host to the other.

    Args:
        tag: In all frames of the run.
        sent: Frames that the sender sent.
        capture: What the other host captured.
        sender: The host that sent.
    """
    arrived = _sort(tag, capture.of(TUNNEL), sender)
    controls, seen = len(sent.of(CONTROL)), len({number for number, _ in arrived.get(CONTROL, [])})
    doubt = _doubt(controls, seen, capture.dropped)
    return {one: _judge(sent, one, arrived.get(one, []), doubt) for one in LinkProtocol}


def _sort(tag: FrameTag, records: Sequence[Record], sender: Side) -> dict[str, list[tuple[int, bytes]]]:
    """Return numbers and content of the frames of one sender by kind, as they were captured."""
    found: dict[str, list[tuple[int, bytes]]] = {}
    for record in records:
        known = tag.find(record.data) if record.link_type == ETHERNET else None
        if known is not None and known[1] == sender.value:
            found.setdefault(known[0], []).append((known[2], record.data))
    return found


def _doubt(controls: int, seen: int, dropped: int) -> str:
    """Return why a frame that was not seen may have crossed all the same; empty where it did not."""
    if seen < max(controls, 1):
        return FEW_CONTROLS(seen=seen, controls=controls or COPIES)
    return KERNEL_LOST(dropped=dropped) if dropped else ""


def _judge(sent: LinkSent, protocol: LinkProtocol, arrived: list[tuple[int, bytes]], doubt: str) -> ProtocolWay:
    frames = {frame.number: frame for frame in sent.of(protocol)}
    if not frames:
        return ProtocolWay(ProtocolVerdict.NOT_TRIED, note=sent.error)
    own = [(number, data) for number, data in arrived if number in frames]
    numbers = Counter(number for number, _ in own)
    if not numbers:
        verdict = ProtocolVerdict.NOT_TRIED if doubt else ProtocolVerdict.LOST
        return ProtocolWay(verdict, len(frames), 0, doubt)
    changes = dict.fromkeys(change for number, data in own for change in changes_of(frames[number].data, data))
    verdict = ProtocolVerdict.CHANGED if changes else ProtocolVerdict.CROSSES
    is_repeated = numbers.total() > len(numbers)
    return ProtocolWay(verdict, len(frames), len(numbers), _note(protocol, changes, is_repeated=is_repeated))


def _note(protocol: LinkProtocol, changes: Iterable[str], *, is_repeated: bool) -> str:
    notes = list(changes)
    kept = TAG_KEPT() if protocol is LinkProtocol.PRIORITY_TAG and not notes else ""
    return sentences((*notes, FRAMES_REPEATED() if is_repeated else "", kept))


def changes_of(sent: bytes, arrived: bytes) -> Iterator[str]:
    """Yield, as sentences, how a frame differs from what was sent, but for its source and padding at its end."""
    if arrived[:6] != sent[:6]:
        yield CHANGED_DESTINATION()
    yield from _tag_changes(_tci(sent), _tci(arrived))
    before, after = _behind_tag(sent), _behind_tag(arrived)
    length = len(before.rstrip(b"\0"))
    if after[:length] != before[:length] or after[length:].strip(b"\0"):
        yield CHANGED_CONTENT()


def _tag_changes(before: int | None, after: int | None) -> Iterator[str]:
    if before is None or after is None:
        if before is not None:
            yield TAG_REMOVED()
        elif after is not None:
            yield TAG_ADDED()
        return
    if before >> 13 != after >> 13:
        yield PRIORITY_CHANGED(after=after >> 13, before=before >> 13)
    if before & 0xFFF != after & 0xFFF:
        yield VLAN_CHANGED(after=after & 0xFFF, before=before & 0xFFF)


def _tci(frame: bytes) -> int | None:
    """Return the control information of a frame's outermost VLAN tag; None where it has no tag."""
    if len(frame) < ETHERNET_HEADER_BYTES + TAG_BYTES:
        return None
    ethertype, tci = struct.unpack_from("!HH", frame, 12)
    return tci if ethertype in VLAN_ETHERTYPES else None


def _behind_tag(frame: bytes) -> bytes:
    """Return EtherType and content."""
    return frame[12 + (TAG_BYTES if _tci(frame) is not None else 0) :]
