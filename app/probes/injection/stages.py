"""Stages of the injection test on one host: inspect, copy, send."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import ProbeFailed
from app.domain.script_files import bare_script
from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames
from app.probes.capture.packets import ECHO_REQUEST
from app.probes.capture.pcap import Record, from_od, parse_pcap
from app.probes.messages import NOT_COPIED, NOT_SENT, PROGRAM_PRINTED
from app.probes.ping_lines import Summary, parse_ping_line

ECHOES = 2
"""Packets of each kind that are copied."""

LIMIT_S = 60
TIMEOUT_S = 60.0
SNAPLEN_BYTES = 2_048
MAX_PACKETS = 400
MAX_OUTPUT_BYTES = 4_194_304

_INSPECT_SCRIPT = bare_script("injection/inspect.sh")

_COPY_SCRIPT = bare_script("injection/copy.sh")

_SEND_SCRIPT = bare_script("injection/send.sh")

_SESSION = re.compile(r"^Session (?P<id>\d{1,10}) in tunnel", re.MULTILINE)
_COOKIE = re.compile(r"\bpeer cookie (?P<cookie>(?:[0-9a-f]{8}|[0-9a-f]{16}))\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inspected:
    """A host, as far as the test has to know it.

    Attributes:
        device: Interface of the underlay; empty where none has the address.
        link_local: Its IPv6 address; empty for none.
        programs: Those of `perl` and `nft` that it has.
        cookies: Cookie that each L2TPv3 session demands, by its id; empty for none.
    """

    device: str = ""
    link_local: str = ""
    programs: frozenset[str] = frozenset()
    cookies: dict[int, bytes] = field(default_factory=dict)


def inspect(
    host: HostSession, underlay: str, inside: tuple[str, str], *, has_sessions: bool, token: CancelToken
) -> Inspected:
    """Inspect a host.

    Args:
        inside: Its address inside the tunnel, and its peer's.
        has_sessions: Whether the tunnel has an L2TPv3 session.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    argv = shell_step_argv(_INSPECT_SCRIPT, underlay, "yes" if has_sessions else "no", *inside)
    command = Command(argv, timeout_s=TIMEOUT_S, is_root=True, max_output_bytes=262_144)
    return parse_inspected(host.run(command, token=token).stdout)


def parse_inspected(text: str) -> Inspected:
    """Return what the inspection of a host printed, parsed. Never raises."""
    words = [line.split() for line in text.splitlines() if line.startswith("#")]
    found: dict[str, list[str]] = {}
    for line in words:
        if len(line) == 2:
            found.setdefault(line[0], []).append(line[1])
    cookies: dict[int, bytes] = {}
    sessions = list(_SESSION.finditer(text))
    for session, following in zip_longest(sessions, sessions[1:]):
        cookie = _COOKIE.search(text, session.end(), following.start() if following else len(text))
        cookies[int(session["id"])] = bytes.fromhex(cookie["cookie"]) if cookie else b""
    link_local = next(filter(_is_link_local, found.get("#link-local", [])), "")
    device = next((one for one in found.get("#device", []) if re.fullmatch(r"[\w.@-]{1,15}", one)), "")
    return Inspected(device, link_local, frozenset(found.get("#has", [])), cookies)


def _is_link_local(text: str) -> bool:
    try:
        return ipaddress.IPv6Address(text).is_link_local
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """Packets that one host is to send through the tunnel, and to copy as they leave it.

    Attributes:
        folder: Folder of the tunnel there.
        device: Interface of its underlay.
        outer_filter: pcap filter of the tunnel's own packets.
        underlay: The host's own underlay address.
        peer: The other host's underlay address.
        source: The host's own address inside.
        destination: The other host's address inside.
        first: Mark of the first packets.
        second: Mark of the second ones.
    """

    folder: str
    device: str
    outer_filter: str
    underlay: str
    peer: str
    source: str
    destination: str
    first: bytes
    second: bytes


@dataclass(frozen=True, slots=True)
class Copied:
    """Copied packets.

    Attributes:
        records: Frames of the tunnel and separators, in the order in which they left.
        answered: Echo requests that were answered.
    """

    records: tuple[Record, ...]
    answered: int


def copy(host: HostSession, request: CopyRequest, canaries: CanaryFrames, *, token: CancelToken) -> Copied:
    """Send marked echo requests through the tunnel, and copy the packets that they become.

    Args:
        host: The host that sends.
        canaries: Marks of this run; separators 1 to 3 are around the first and the second packets.

    Raises:
        ProbeFailed: tcpdump does not capture there.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    bare = canaries.bare_family.encode()
    between = f"src host {request.underlay} and dst host {request.peer}"
    # Answers to the other host's separators have the same marks.
    outer_filter = f"{between} and (({request.outer_filter}) or icmp[0] = {ECHO_REQUEST})"
    words = (
        *(request.folder, request.device, outer_filter, request.peer, request.destination, request.source),
        *(str(PAYLOAD_BYTES), str(SNAPLEN_BYTES), str(MAX_PACKETS), str(ECHOES)),
        *(request.first.hex(), request.second.hex(), bare.hex(), canaries.separator(3).decode()),
    )
    argv = shell_step_argv(_COPY_SCRIPT, str(LIMIT_S), *words)
    command = Command(argv, timeout_s=LIMIT_S + 30.0, is_root=True, max_output_bytes=MAX_OUTPUT_BYTES)
    result = host.run(command, token=token)
    pings, heading, digits = result.stdout.partition("#pcap\n")
    if not heading:
        raise ProbeFailed(
            NOT_COPIED(host=host.spec.label),
            hint=PROGRAM_PRINTED(program="tcpdump", output=result.stderr.strip()[-300:]),
            context={"host": host.spec.label},
        )
    summaries = (parse_ping_line(line) for line in pings.splitlines())
    answered = sum(one.received for one in summaries if isinstance(one, Summary))
    digits = "\n".join(line for line in digits.splitlines() if not line.startswith("@"))
    return Copied(parse_pcap(from_od(digits)), answered)


def send_frames(host: HostSession, device: str, peer: str, frames: Iterable[bytes], *, token: CancelToken) -> None:
    """Send whole frames by an interface, past the host's own firewall, and wait until they have arrived.

    Args:
        host: The host that sends.

    Raises:
        ProbeFailed: They could not be sent.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    lines: Sequence[str] = [frame.hex() for frame in frames]
    stdin = ("\n".join(lines) + "\n").encode()
    command = Command(shell_step_argv(_SEND_SCRIPT, device, peer), timeout_s=TIMEOUT_S, stdin=stdin, is_root=True)
    result = host.run(command, token=token)
    if not result.is_ok:
        raise ProbeFailed(
            NOT_SENT(host=host.spec.label),
            hint=PROGRAM_PRINTED(program="perl", output=result.stderr.strip()[-300:]),
            context={"host": host.spec.label},
        )
