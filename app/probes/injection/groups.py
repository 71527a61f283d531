"""The packets that a host copied, sorted by the separators that it sent between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames, read_separator
from app.probes.capture.packets import ECHO_REQUEST, ICMP
from app.probes.injection.packets import Captured, read_captured
from app.probes.injection.stages import ECHOES, Copied

_SEPARATORS = 3


@dataclass(frozen=True, slots=True)
class Groups:
    """Packets that one host copied.

    Attributes:
        first: Never delivered where they were withheld; altered copies are made of them.
        second: Those of the control and of the replays.
    """

    first: tuple[Captured, ...]
    second: tuple[Captured, ...]


def groups_of(copied: Copied, canaries: CanaryFrames) -> Groups:
    """Sort what a host copied by the separators around it.

    Other traffic of the tunnel is left out: echo requests are as many as were sent, and have one length in both
    groups.
    """
    groups: dict[int, list[Captured]] = {number: [] for number in range(_SEPARATORS + 1)}
    current = 0
    for record in copied.records:
        packet = read_captured(record)
        if packet is None:
            continue
        is_request = packet.protocol == ICMP and packet.content[:1] == bytes([ECHO_REQUEST])
        number = read_separator(canaries, packet.content) if is_request else None
        if number is not None:
            current = min(number, _SEPARATORS)
        elif packet.protocol != ICMP and len(packet.content) > PAYLOAD_BYTES:
            groups[current].append(packet)
    return _own_packets(groups[1], groups[2])


def _own_packets(first: Sequence[Captured], second: Sequence[Captured]) -> Groups:
    """Leave out what has another length than the echo requests; nothing remains where that is not certain."""
    lengths = [Counter(len(packet.content) for packet in group) for group in (first, second)]
    # Twice as many where the other host's echo requests were not withheld here, and are answered.
    numbers = ((ECHOES, ECHOES), (2 * ECHOES, 2 * ECHOES))
    own = [length for length in lengths[0] if (lengths[0][length], lengths[1][length]) in numbers]
    if len(own) != 1:
        return Groups((), ())
    a, b = (tuple(packet for packet in group if len(packet.content) == own[0]) for group in (first, second))
    return Groups(a, b)
