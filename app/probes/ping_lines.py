"""Parser of ping's output, line by line.

Source: iputils 20161105 to 20240905 and BusyBox 1.30 to 1.36, ping and ping_common.c, ping.c; LC_ALL=C.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REPLY = re.compile(
    r"^(?:\[\d{1,20}\.\d{1,9}\] )?\d{1,6} bytes from \S{1,128}?: (?:icmp_)?seq=(?P<seq>\d{1,5}) ttl=\d{1,3}"
    r"(?: time=(?P<time>\d{1,9}(?:\.\d{1,6})?) ?ms)?(?P<rest>.{0,200})$"
)
_SUMMARY = re.compile(r"^(?P<sent>\d{1,9}) packets transmitted, (?P<received>\d{1,9}) (?:packets )?received")
_TOO_LONG = re.compile(r"message too long|Message too long|Frag(?:mentation)? needed", re.IGNORECASE)
_REFUSED = re.compile(
    r"Unreachable|unreachable|No route to host|Operation not permitted|Packet filtered|prohibited|bad address|"
    r"Cannot assign requested address|[Pp]ermission denied|No buffer space|No such device|cannot set|can't"
)
_TWO_NUMBERS = re.compile(r"^(\d{1,9}) (\d{1,9})$", re.ASCII)
_CLOCK = re.compile(r"time of day goes back|taking countermeasures")


@dataclass(frozen=True, slots=True)
class Reply:
    """One echo reply.

    Attributes:
        seq: Sequence number as printed, 0 to 65535.
        rtt_us: Round-trip time in microseconds; None where ping could not tell.
        is_duplicate: Whether ping says it had one for this request already.
        is_damaged: Whether the reply was cut, or its checksum or data were wrong.
    """

    seq: int
    rtt_us: int | None
    is_duplicate: bool
    is_damaged: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """The line with the totals."""

    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A complaint of ping's.

    Attributes:
        text: Its words, bounded.
        is_clock: Whether the host's clock was set while ping was measuring.
    """

    text: str
    is_clock: bool = False


PingLine = Reply | Summary | Trouble


def is_too_long(text: str) -> bool:
    """Whether a complaint says that the packet is too large for a link on the way: with DF set, it can never cross."""
    return _TOO_LONG.search(text) is not None


def milliseconds_to_us(text: str) -> int:
    """Turn what ping prints as milliseconds into whole microseconds, exactly (half a microsecond goes up).

    Args:
        text: Digits with at most one point, for example `0.534`, `12.3` or `120`.

    Returns:
        Microseconds.
    """
    whole, _, fraction = text.partition(".")
    padded = fraction.ljust(4, "0")
    return int(whole) * 1000 + int(padded[:3]) + (1 if padded[3] >= "5" else 0)


def ratio_of(text: str) -> float | None:
    """Return the first of two numbers over the second one; None where they are no numbers above 0."""
    found = _TWO_NUMBERS.match(text)
    return int(found[1]) / int(found[2]) if found is not None and int(found[1]) and int(found[2]) else None


def number_after(mark: str, line: str) -> int | None:
    """Return the number that follows a mark; None where the line is another one, or has no number there."""
    number = line.removeprefix(mark)
    return int(number) if number != line and number.isdecimal() and len(number) < 20 else None


def parse_ping_line(line: str) -> PingLine | None:
    """Understand one line of ping's output; None for lines that say nothing of interest."""
    reply = _REPLY.match(line)
    if reply is not None:
        rest = reply["rest"]
        return Reply(
            seq=int(reply["seq"]) & 0xFFFF,
            rtt_us=milliseconds_to_us(reply["time"]) if reply["time"] is not None else None,
            is_duplicate="DUP!" in rest,
            is_damaged="BAD CHECKSUM" in rest or "truncated" in rest or "wrong data" in rest,
        )
    summary = _SUMMARY.match(line)
    if summary is not None:
        return Summary(int(summary["sent"]), int(summary["received"]))
    text = " ".join(line.split())[:200]
    if is_too_long(text):
        return Trouble(text)
    if _CLOCK.search(text):
        return Trouble(text, is_clock=True)
    return Trouble(text) if _REFUSED.search(text) else None
