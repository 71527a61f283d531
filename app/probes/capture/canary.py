"""Marks: random bytes in echo requests by which their plaintext is known wherever it is seen, and filters for them."""

from __future__ import annotations

import re
import secrets
import string
from dataclasses import dataclass
from functools import cached_property

from app.domain.link import Link

_ALPHABET = string.ascii_letters + string.digits
_FAMILY = 4
"""Bytes of half a canary; a whole one does not occur by chance: 62 to the power of 8 is more than 10 to the 14th."""

PAYLOAD_BYTES = 200
"""Payload size of canary echo requests: the canary is repeated so often that any place of `_WINDOW` holds some byte of
it, in whatever they are wrapped."""

_WINDOW = range(120, 128)
"""Bytes of an IPv4 packet where a filter compares the canary's first four bytes: in eight places, since the mark is
repeated every eight bytes. Behind all headers (ping's clock included, 108 bytes with WireGuard and L2TPv3), and well
before the end of the payload in a bare packet (byte 228)."""


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


@dataclass(frozen=True)
class CanaryFrames:
    """The canaries of one run. Letters and digits, so that grep finds them too.

    Attributes:
        family: The first four bytes of every canary that must not be seen.
        bare_family: The first four bytes of every canary that goes over the bare underlay on purpose.
        rest: The other four bytes of the tunnel's canary.
    """

    family: str
    bare_family: str
    rest: str

    @classmethod
    def new(cls) -> CanaryFrames:
        """Return new random canaries."""
        family, bare = _random(_FAMILY), _random(_FAMILY)
        while family == bare:
            bare = _random(_FAMILY)
        return cls(family, bare, _random(_FAMILY - 1) + "t")

    @cached_property
    def inside(self) -> bytes:
        """Mark of the frames inside the tunnel."""
        return (self.family + self.rest).encode()

    def broken(self, index: int) -> bytes:
        """Mark of the frames after one breakage."""
        return f"{self.family}{self.rest[:1]}{index % 100:02d}b".encode()

    @cached_property
    def control(self) -> bytes:
        """Mark of the positive control."""
        return f"{self.bare_family}ctrl".encode()

    def broken_control(self, index: int) -> bytes:
        """Mark of the positive control after one breakage."""
        return f"{self.bare_family}{index % 1000:03d}b".encode()

    def separator(self, index: int) -> bytes:
        """Mark of a bare echo request that parts what was sent before from what is sent after it."""
        return f"{self.bare_family}{index % 1000:03d}s".encode()

    @cached_property
    def end(self) -> bytes:
        """Mark of the very last one."""
        return f"{self.bare_family}done".encode()


def read_separator(canaries: CanaryFrames, content: bytes) -> int | None:
    """Return the number of the separator in a packet; None where there is none."""
    match = re.search(re.escape(canaries.bare_family.encode()) + rb"(\d{3})s", content)
    return int(match[1]) if match else None


def canary_filter(family: str) -> str:
    """Return a pcap filter that matches packets with canaries of a family in them, wrapped in whatever.

    Source: pcap-filter(7), `proto [ expr : size ]`.
    """
    number = f"0x{family.encode().hex()}"
    return "(" + " or ".join(f"ip[{place}:4] = {number}" for place in _WINDOW) + ")"


_PROTOCOLS = {"udp": 17, "tcp": 6, "esp": 50, "ah": 51, "icmp": 1}
_WORDS = re.compile(r"\b(?:ip )?proto \\?(?P<name>\w+)|\b(?P<word>udp|tcp|esp|ah|icmp)\b")


def protocols_of(outer_filter: str) -> frozenset[int]:
    """Return the numbers of the IP protocols that a plan's filter names; empty where it names none."""
    found: set[int] = set()
    for match in _WORDS.finditer(outer_filter.lower()):
        name = match["name"] or match["word"]
        number = int(name) if name.isdecimal() else _PROTOCOLS.get(name)
        if number is not None:
            found.add(number)
    return frozenset(found)


def underlay_filter(link: Link, outer_filter: str, canaries: CanaryFrames) -> str:
    """Return the filter for the underlay: the tunnel's own packets, their later fragments, and canary frames.

    A later fragment has no ports: those of the tunnel's protocol between the two addresses are taken.

    Args:
        outer_filter: The plan's own; empty for the bare underlay, whose packets are echo requests.
        canaries: The canaries of this run.
    """
    own = outer_filter or "icmp"
    protocols = " or ".join(f"ip proto {number}" for number in sorted(protocols_of(own)))
    pieces = f"(({protocols or 'ip'}) and ip[6:2] & 0x1fff != 0)"
    between = f"host {link.underlay_a} and host {link.underlay_b}"
    own_frames = f"{canary_filter(canaries.family)} or {canary_filter(canaries.bare_family)}"
    return f"({between} and (({own}) or {pieces})) or {own_frames}"
