"""Collects the echo replies of one frame size: order, losses, duplicates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from app.domain.messages import sentences
from app.domain.results import LOST_RTT_US, LatencySeries
from app.probes.messages import CLOCK_WAS_SET, PING_REPORTED, REPLIES_DAMAGED, REPLIES_REORDERED
from app.probes.ping_lines import Reply, Summary, Trouble

_SEQ_MODULUS = 65_536
"""icmp_seq has 16 bits. Source: RFC 792, echo message."""


class Echoes:
    """Replies to the requests of one frame size.

    Args:
        frame_bytes: Ethernet frame size in bytes without FCS.
        expected: How many requests are to be sent.
        first_seq: Sequence number of the first request (iputils begins with 1, BusyBox with 0).
    """

    def __init__(self, frame_bytes: int, expected: int, first_seq: int) -> None:
        self.frame_bytes = frame_bytes
        self.first_seq = first_seq
        self.received = 0
        self.duplicates = 0
        self.reordered = 0
        self.damaged = 0
        self.stop_reason = ""
        self.troubles: dict[str, int] = {}
        self.has_clock_step = False
        self._rtt_us = np.full(expected, LOST_RTT_US, dtype=np.uint32)
        self._highest = -1
        self._summary: Summary | None = None
        self._unsent_from = 0  # of the samples that were not shown yet

    @property
    def expected(self) -> int:
        """Number of requests that are to be sent."""
        return len(self._rtt_us)

    @property
    def rtt_us(self) -> npt.NDArray[np.uint32]:
        """Round-trip times in µs of all requests that were to be sent; LOST_RTT_US where no reply came."""
        return self._rtt_us.copy()

    def add_reply(self, reply: Reply) -> bool:
        """Take one reply; return whether it is the first one to its request."""
        index = self._index(reply.seq)
        if not 0 <= index < self.expected:
            return False
        if reply.is_damaged:
            self.damaged += 1
            return False
        if reply.is_duplicate or self._rtt_us[index] != LOST_RTT_US:
            self.duplicates += 1
            return False
        if reply.rtt_us is None:
            return False
        if index < self._highest:
            self.reordered += 1
        self._highest = max(self._highest, index)
        self._rtt_us[index] = min(reply.rtt_us, int(LOST_RTT_US) - 1)
        self.received += 1
        return True

    def add_summary(self, summary: Summary) -> None:
        """Take ping's totals."""
        self._summary = summary

    def add_trouble(self, trouble: Trouble) -> None:
        """Take a complaint of ping's."""
        if trouble.is_clock:
            self.has_clock_step = True
        elif trouble.text in self.troubles or len(self.troubles) < 8:
            self.troubles[trouble.text] = self.troubles.get(trouble.text, 0) + 1

    def take_new(self) -> tuple[int, tuple[float, ...]]:
        """Return the samples since the last call: index of the first, and RTTs in ms (NaN where none came yet)."""
        first = self._unsent_from
        end = self._highest + 1
        if end <= first:
            return first, ()
        self._unsent_from = end
        values = self._rtt_us[first:end]
        rtt_ms = np.where(values == LOST_RTT_US, np.nan, values / 1000.0)
        return first, tuple(rtt_ms.tolist())

    def series(self, extra_note: str = "") -> LatencySeries:
        """Return what came of it, for good."""
        sent = self.sent
        return LatencySeries(
            frame_bytes=self.frame_bytes,
            sent=sent,
            received=self.received,
            duplicates=self.duplicates,
            rtt_us=self._rtt_us[:sent].copy(),
            note=sentences((*self._notes(), extra_note)),
        )

    @property
    def sent(self) -> int:
        """Number of requests that were sent, as far as is known."""
        if self._summary is not None:
            return max(self._highest + 1, min(self._summary.sent, self.expected))
        return self._highest + 1

    def _notes(self) -> list[str]:
        notes = [self.stop_reason] if self.stop_reason else []
        if not self.stop_reason:
            notes += [PING_REPORTED(text=text) for text in list(self.troubles)[:2]]
        if self.reordered:
            notes.append(REPLIES_REORDERED(count=self.reordered))
        if self.damaged:
            notes.append(REPLIES_DAMAGED(count=self.damaged))
        if self.has_clock_step:
            notes.append(CLOCK_WAS_SET())
        return notes

    def _index(self, seq: int) -> int:
        """Return the request's index: the one nearest to the highest so far among those with this sequence number."""
        reference = max(self._highest, 0)
        delta = (seq - self.first_seq - reference) % _SEQ_MODULUS
        if delta >= _SEQ_MODULUS // 2:
            delta -= _SEQ_MODULUS
        return reference + delta
