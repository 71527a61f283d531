"""Parsers of iperf3's output: events of --json-stream (3.17 and newer), or plain text (older ones).

Source: iperf3 3.18, iperf_api.c and iperf3(1); 3.9 and 3.12 for the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

JSON_STREAM_SINCE = (3, 17)

_TEXT_LINE = re.compile(
    r"^\[\s*(?:\d+|SUM)\]\s+(?P<begin>\d+\.\d+)-(?P<end>\d+\.\d+)\s+sec\s+[\d.]+\s+[KMGT]?Bytes\s+"
    r"(?P<kbit_s>[\d.]+)\s+Kbits/sec(?:\s+(?P<retransmits>\d+))?.*?"
    r"(?P<end_word>sender|receiver|\(omitted\))?\s*$"
)
_ERROR = re.compile(r"iperf3: (?:error|parameter error|warning) - (?P<text>.*)|^(?P<interrupt>iperf3: interrupt.*)")


@dataclass(frozen=True, slots=True)
class Interval:
    """One interval: seconds from the start, goodput as the client saw it in Mbit/s.

    Attributes:
        is_omitted: Whether it belongs to the start that `--omit` leaves out; its seconds are counted on their own.
    """

    begin_s: float
    end_s: float
    mbit_s: float
    is_omitted: bool = False


@dataclass(frozen=True, slots=True)
class Total:
    """The whole test.

    Attributes:
        received_mbit_s: Goodput at the receiver in Mbit/s; None where iperf3 did not say.
        retransmits: Segments sent again; None where iperf3 does not count them.
    """

    received_mbit_s: float | None
    retransmits: int | None


@dataclass(frozen=True, slots=True)
class Failure:
    """iperf3's own words about what went wrong."""

    text: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something that iperf3 should not print."""

    text: str


IperfLine = Interval | Total | Failure | Malformed


def has_json_stream(version: str) -> bool:
    """Whether this version has --json-stream. An unknown version is taken for an old one."""
    match = re.search(r"(\d{1,3})\.(\d{1,3})", version)
    return match is not None and (int(match[1]), int(match[2])) >= JSON_STREAM_SINCE


def parse_json_event(line: str) -> IperfLine | None:
    """Understand one line of --json-stream; None for events that say nothing of interest."""
    if not line.strip():
        return None
    error = _ERROR.search(line)
    if error is not None and not line.lstrip().startswith("{"):
        return Failure(_words(error["text"] or error["interrupt"]))
    try:
        return _event(json.loads(line))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return Malformed(_words(line))


def _event(value: Any) -> IperfLine | None:
    name, data = value["event"], value["data"]
    if name == "error":
        return Failure(_words(str(data)))
    if name == "interval":
        total = data["sum"]
        return Interval(
            _number(total["start"]),
            _number(total["end"]),
            _number(total["bits_per_second"]) / 1e6,
            is_omitted=total.get("omitted") is True,
        )
    if name == "end":
        received = data.get("sum_received") or {}
        sent = data.get("sum_sent") or {}
        rate = received.get("bits_per_second")
        retransmits = sent.get("retransmits")
        return Total(
            received_mbit_s=_number(rate) / 1e6 if rate is not None else None,
            retransmits=int(_number(retransmits)) if retransmits is not None else None,
        )
    return None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"not a number: {value!r:.50}")
    number = float(value)
    if not 0 <= number < 1e15:
        raise ValueError(f"out of range: {number}")
    return number


class TextReader:
    """Understands iperf3's text (-f k), in which the totals are two lines."""

    def __init__(self) -> None:
        self._retransmits: int | None = None

    def read(self, line: str) -> IperfLine | None:
        """Understand one line; None for lines that say nothing of interest."""
        error = _ERROR.search(line)
        if error is not None:
            return Failure(_words(error["text"] or error["interrupt"]))
        match = _TEXT_LINE.match(line)
        if match is None:
            return None
        try:
            mbit_s = float(match["kbit_s"]) / 1000.0
            begin_s, end_s = float(match["begin"]), float(match["end"])
        except ValueError:
            return Malformed(_words(line))
        if match["end_word"] == "sender":
            self._retransmits = int(match["retransmits"]) if match["retransmits"] else None
            return None
        if match["end_word"] == "receiver":
            return Total(mbit_s, self._retransmits)
        return Interval(begin_s, end_s, mbit_s, is_omitted=match["end_word"] == "(omitted)")


def _words(text: str) -> str:
    return " ".join(text.split())[:300]
