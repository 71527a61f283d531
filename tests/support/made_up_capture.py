"""Captures of what a host sends on the underlay, made and read without the program's own code for captures."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession

MARK = b"MARKER!"
"""Filling of the payload of canary frames."""
_END = b"THEEND!"
_MAX_BYTES = 8_388_608

# $1 interface, $2 way (in, out), $3 a pcap filter (empty for none).
_START_SCRIPT = r"""
rm -f /run/marks.*
tcpdump --immediate-mode -B 16384 -U -s 0 -i "$1" -Q "$2" -w /run/marks.pcap $3 \
    > /dev/null 2> /run/marks.log < /dev/null &
echo $! > /run/marks.pid
n=0
until grep -q listening /run/marks.log; do
    n=$((n + 1))
    if [ "$n" -gt 1200 ]; then cat /run/marks.log >&2; exit 1; fi
    sleep 0.05
done
"""

_STOP = r"""
kill -INT "$(cat /run/marks.pid)"
n=0
until grep -q '^0 packets dropped by kernel' /run/marks.log; do
    n=$((n + 1))
    if [ "$n" -gt 1200 ]; then cat /run/marks.log >&2; exit 1; fi
    sleep 0.05
done
"""
_FILE = r"""
base64 /run/marks.pcap
rm -f /run/marks.*
"""

# $1 the peer's underlay address, $2 and $3 the last mark (text, digits), $4 a pcap filter (empty for none). Once the
# last mark is in the file, everything that was sent before is.
_END_SCRIPT = (
    r"""
ping -n -q -c 2 -i 0.05 -w 2 -s 64 -p "$3" "$1" > /dev/null 2>&1
n=0
until grep -q -a -F "$2" /run/marks.pcap || [ "$n" -ge 1200 ]; do n=$((n + 1)); sleep 0.05; done
"""
    + _STOP
    + r"""
if [ -n "$4" ]; then tcpdump -n -e -t -r /run/marks.pcap "$4" 2> /dev/null; fi
echo '#pcap'
"""
    + _FILE
)


@dataclass(frozen=True)
class Frame:
    """A frame that a host sent on the underlay.

    Attributes:
        length: In bytes, without FCS.
        canaries: How many marks can be read in it.
    """

    length: int
    canaries: int


@dataclass(frozen=True)
class Capture:
    """Frames that a host sent on the underlay while something was done.

    Attributes:
        frames: In the order in which they were sent.
        filtered: Lengths of those that a pcap filter lets through; of all where there is none.
    """

    frames: tuple[Frame, ...]
    filtered: tuple[int, ...]

    @property
    def canaries(self) -> int:
        """Number of marks that could be read."""
        return sum(frame.canaries for frame in self.frames)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Length of every frame, in bytes without FCS."""
        return tuple(frame.length for frame in self.frames)


def captured(host: HostSession, peer: str, while_capturing: Callable[[], object], *, outer_filter: str = "") -> Capture:
    """Return what a host sent on the underlay meanwhile.

    Args:
        host: The host.
        peer: The other host's underlay address.
        while_capturing: What is done.
        outer_filter: A pcap filter; empty for none.
    """
    _run(host, _START_SCRIPT, "eth1", "out", "")
    try:
        while_capturing()
    finally:
        shown = _run(host, _END_SCRIPT, peer, _END.decode(), _END.hex(), outer_filter)
    text, _, file = shown.partition("#pcap\n")
    frames = _frames(base64.b64decode(file))
    filtered = tuple(int(length) for length in re.findall(r"^\S+ > .*? length (\d+): ", text, re.MULTILINE))
    return Capture(frames, filtered if outer_filter else tuple(frame.length for frame in frames))


def received(host: HostSession, interface: str, outer_filter: str, while_capturing: Callable[[], object]) -> bytes:
    """Return the capture file of what a host received by an interface meanwhile.

    Args:
        host: The host.
        interface: The interface.
        outer_filter: A pcap filter.
        while_capturing: What is done; at its end everything has to have arrived.
    """
    _run(host, _START_SCRIPT, interface, "in", outer_filter)
    try:
        while_capturing()
    finally:
        shown = _run(host, _STOP + _FILE)
    return base64.b64decode(shown)


def _run(host: HostSession, script: str, *words: str) -> str:
    command = Command(shell_step_argv(script, *words), timeout_s=180.0, is_root=True, max_output_bytes=_MAX_BYTES)
    result = host.run(command, token=CancelToken())
    assert result.is_ok, f"{result.exit_status} {result.stdout[:2000]} {result.stderr}"
    assert not result.is_truncated
    return result.stdout


def _frames(pcap: bytes) -> tuple[Frame, ...]:
    """Read a capture file. Source: pcap-savefile(5)."""
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic in (0xA1B2C3D4, 0xA1B23C4D), hex(magic)
    frames: list[Frame] = []
    at = 24
    while at < len(pcap):
        captured_bytes, length = struct.unpack_from("<II", pcap, at + 8)
        data = pcap[at + 16 : at + 16 + captured_bytes]
        assert len(data) == captured_bytes, "the capture file is cut"
        if _END not in data:
            frames.append(Frame(length, data.count(MARK)))
        at += 16 + captured_bytes
    return tuple(frames)
