"""Emulates a link between the two gateways of a lab: delay, rate, queue and loss, in each direction.

It is run as a script with the standard library alone (`python -I link_emulator.py FD_A FD_B FILE`), by the lab's
supervisor. It reads whole Ethernet frames from the socket of one side and delivers them to the other, in the order in
which they came. Neither gateway notices: no qdisc, no offload and no clock of theirs is touched.
"""

from __future__ import annotations

import json
import random
import select
import socket
import sys
import time
from collections import deque
from pathlib import Path

_MAX_FRAME_BYTES = 65536
_FRAMES_AT_ONCE = 64
_IDLE_S = 60.0
_BITS = 8
_MOST_BYTES = 256 << 20
"""Frames on their way in one direction take so much memory at most. Source: our choice: a second of some 2 Gbit/s."""
_MEMORY_OF_FRAME_BYTES = 140
"""Memory that a frame on its way takes beside its own bytes: the object, its time and its place in the queue."""
_FRAME_CHECK_BYTES = 4
"""Bytes that a frame takes on a cable beyond what a guest sends: its check sequence. Source: IEEE 802.3."""


class Direction:
    """One direction of a link: a queue, a line of a rate and a delay, then loss. Times are in seconds.

    A frame waits in the queue until the line is free, takes its length over the rate on it, and arrives a delay later.
    One that would wait longer than the queue holds is dropped, and so is one that loss meets. No frame overtakes.

    Traces are values that hold in turn, each for `trace_step_s` seconds, from the first frame on. They are known
    beforehand, so a frame that waits is sent at the rates that hold by then. Its loss is that of the moment at which
    the line has sent it, its delay that of the moment at which it came.

    Args:
        settings: `delay_ms`, and `trace_ms` added to it; `rate_mbit_s` (null: no limit) or `trace_mbit_s`; `queue_ms`
            (null: no limit but that of memory); `loss_pct` and `burst_frames` (mean length of a run of lost frames)
            or `trace_loss_pct`.
        seed: Of the random numbers.
    """

    def __init__(self, settings: dict[str, object], seed: int) -> None:
        self._delay_s = float(settings.get("delay_ms") or 0.0) / 1_000  # type: ignore[arg-type]
        self._trace_s = [float(one) / 1_000 for one in settings.get("trace_ms") or ()]  # type: ignore[attr-defined]
        rates, losses = settings.get("trace_mbit_s") or (), settings.get("trace_loss_pct") or ()
        self._bytes_per_s = [float(one) * 1e6 / _BITS for one in rates]  # type: ignore[attr-defined]
        self._losses = [float(one) / 100 for one in losses]  # type: ignore[attr-defined]
        self._step_s = float(settings.get("trace_step_s") or 0.1)  # type: ignore[arg-type]
        rate = settings.get("rate_mbit_s")
        self._byte_s = 0.0 if rate is None else _BITS / (float(rate) * 1e6)  # type: ignore[arg-type]
        queue_ms = settings.get("queue_ms")
        self._queue_s = None if queue_ms is None else float(queue_ms) / 1_000  # type: ignore[arg-type]
        loss = float(settings.get("loss_pct") or 0.0) / 100  # type: ignore[arg-type]
        burst = max(1.0, float(settings.get("burst_frames") or 1.0))  # type: ignore[arg-type]
        self._ends_burst = 1.0 / burst
        self._begins_burst = min(1.0, loss / (burst * (1.0 - loss))) if loss < 1.0 else 1.0
        self._is_single = burst <= 1.0
        self._loss = loss
        self._is_losing = False
        self._random = random.Random(seed)  # noqa: S311 - which frames are lost is no secret
        self._began_s: float | None = None
        self._free_s = self._last_s = 0.0
        self._frames: deque[tuple[float, bytes]] = deque()
        self._bytes = 0

    def offer(self, frame: bytes, now_s: float) -> None:
        """Take a frame that a gateway sent."""
        if self._began_s is None:
            self._began_s = now_s
        begin_s = max(now_s, self._free_s)
        if self._queue_s is not None and begin_s - now_s > self._queue_s:
            return
        if self._bytes + len(frame) + _MEMORY_OF_FRAME_BYTES > _MOST_BYTES:
            return
        self._free_s = self._sent_s(begin_s, len(frame) + _FRAME_CHECK_BYTES)
        if self._loses():
            return
        self._last_s = max(self._last_s, self._free_s + self._delay_at(now_s - self._began_s))
        self._frames.append((self._last_s, frame))
        self._bytes += len(frame) + _MEMORY_OF_FRAME_BYTES

    def next_s(self) -> float | None:
        """Return when the next frame arrives; None where none is on its way."""
        return self._frames[0][0] if self._frames else None

    def first_due(self, now_s: float) -> bytes | None:
        """Return the next frame that has arrived; None where none has. `drop_first` takes it away."""
        return self._frames[0][1] if self._frames and self._frames[0][0] <= now_s else None

    def drop_first(self) -> None:
        """Take away the frame that came first."""
        self._bytes -= len(self._frames.popleft()[1]) + _MEMORY_OF_FRAME_BYTES

    def _delay_at(self, since_s: float) -> float:
        return self._delay_s + (self._now(self._trace_s, since_s) if self._trace_s else 0.0)

    def _now(self, trace: list[float], since_s: float) -> float:
        return trace[int(since_s / self._step_s) % len(trace)]

    def _sent_s(self, begin_s: float, length_bytes: int) -> float:
        """Return when the line has sent a frame that it begins with at a time."""
        if not self._bytes_per_s:
            return begin_s + length_bytes * self._byte_s
        began_s = self._began_s or 0.0
        at_s, left_bytes, step = begin_s, float(length_bytes), int((begin_s - began_s) / self._step_s)
        while True:
            rate, end_s = self._bytes_per_s[step % len(self._bytes_per_s)], began_s + (step + 1) * self._step_s
            if at_s + left_bytes / rate <= end_s:
                return at_s + left_bytes / rate
            left_bytes -= (end_s - at_s) * rate
            at_s, step = end_s, step + 1

    def _loses(self) -> bool:
        """Return whether the frame that the line has sent last is lost.

        Source: Gilbert, Bell Syst. Tech. J. 39 (1960).
        """
        if self._losses:
            return self._random.random() < self._now(self._losses, self._free_s - (self._began_s or 0.0))
        if self._is_single:
            return self._random.random() < self._loss
        if self._is_losing:
            self._is_losing = self._random.random() >= self._ends_burst
        else:
            self._is_losing = self._random.random() < self._begins_burst
        return self._is_losing


class LinkEmulator:
    """Carries frames between two sockets.

    Args:
        ends: Sockets of A's side and B's side.
        settings: `a_to_b` and `b_to_a` as `Direction` takes them, and `seed`.
    """

    def __init__(self, ends: tuple[socket.socket, socket.socket], settings: dict[str, object]) -> None:
        seed = int(settings.get("seed") or 0)  # type: ignore[call-overload]
        a, b = ends
        self._ways = (
            (a, b, Direction(dict(settings["a_to_b"]), seed)),  # type: ignore[call-overload]
            (b, a, Direction(dict(settings["b_to_a"]), seed + 1)),  # type: ignore[call-overload]
        )
        for end in ends:
            end.settimeout(0.0)

    def run(self) -> None:
        """Carry frames until the process is ended."""
        while True:
            self.step()

    def step(self) -> None:
        """Wait for a frame to come or to arrive, and carry what there is."""
        now_s = time.monotonic()
        times = [when for _, _, way in self._ways if (when := way.next_s()) is not None]
        late = [target for _, target, way in self._ways if way.first_due(now_s) is not None]
        wait_s = max(0.0, min(times) - now_s) if times and not late else _IDLE_S
        # Not a selector: that of epoll rounds its wait up to whole milliseconds.
        readable, _, _ = select.select([source for source, _, _ in self._ways], late, [], wait_s)
        for source, _, way in self._ways:
            if source in readable:
                _take(source, way)
        now_s = time.monotonic()
        for _, target, way in self._ways:
            while (frame := way.first_due(now_s)) is not None and _deliver(target, frame):
                way.drop_first()


def _take(source: socket.socket, way: Direction) -> None:
    for _ in range(_FRAMES_AT_ONCE):
        try:
            frame = source.recv(_MAX_FRAME_BYTES)
        except OSError:  # nothing left; or the gateway has no power
            return
        way.offer(frame, time.monotonic())


def _deliver(target: socket.socket, frame: bytes) -> bool:
    """Send a frame; return False where the gateway's queue is full, so that the frame has to wait."""
    try:
        target.send(frame)
    except BlockingIOError:
        return False
    except OSError:
        return True  # the gateway has no power: its frames are lost, as on a cable
    return True


def main(arguments: list[str]) -> int:
    """Run the emulator until it is ended by its parent."""
    ends = tuple(socket.socket(fileno=int(number)) for number in arguments[:2])
    LinkEmulator((ends[0], ends[1]), json.loads(Path(arguments[2]).read_text())).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
