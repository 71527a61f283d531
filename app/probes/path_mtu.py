"""The MTU of the path between two hosts, found by pinging with fragments forbidden."""

from __future__ import annotations

import re

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import ProbeFailed
from app.domain.hosts import Privilege
from app.domain.link import ICMP_HEADER_BYTES, IPV4_HEADER_BYTES
from app.domain.script_files import bare_script
from app.probes.messages import HOST_PRINTED, PING_CANNOT_FORBID, SMALLEST_NOT_ANSWERED

_HEADERS_BYTES = IPV4_HEADER_BYTES + ICMP_HEADER_BYTES
SMALLEST_MTU_BYTES = 576
"""Every IPv4 host accepts packets of this size. Source: RFC 791, section 3.1."""

LARGEST_MTU_BYTES = 9_216
"""Jumbo frames are no larger in practice; a path that carries more is reported as this."""

_SCRIPT = bare_script("probes/path-mtu.sh")

_GUESSES = (1_472, 1_473, 8_972, 8_973)
"""Ethernet's 1500 bytes, jumbo frames of 9000 bytes, and one byte more of each."""


def probe_path_mtu(client: HostSession, destination: str, *, token: CancelToken, source: str | None = None) -> int:
    """Find the largest IPv4 packet that crosses in one piece.

    Args:
        client: The host that pings; its ping must be iputils (`-M do`).
        destination: IPv4 address of the other host.
        source: IPv4 address to ping from; None leaves that to the host's routes.

    Returns:
        The path's MTU in bytes, 576 to 9216.

    Raises:
        ProbeFailed: Not even 576 bytes cross, or ping cannot be used.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    low, high = SMALLEST_MTU_BYTES - _HEADERS_BYTES, LARGEST_MTU_BYTES - _HEADERS_BYTES
    words = (source or "", destination, str(low), str(high), *(str(guess) for guess in _GUESSES))
    command = Command(
        ("sh", "-c", _SCRIPT, "tunnelmark", *words), timeout_s=60.0, is_root=client.privilege is not Privilege.NONE
    )
    result = client.run(command, token=token)
    for line in result.stdout.splitlines():
        name, _, number = line.partition(" ")
        if name == "payload" and number.isdecimal() and low <= int(number) <= high:
            return int(number) + _HEADERS_BYTES
    if re.search(r"\b1 (packets )?received", result.stdout):
        raise ProbeFailed(PING_CANNOT_FORBID(host=client.spec.label), context={"host": client.spec.label})
    lines = [line for line in (result.stdout + "\n" + result.stderr).splitlines() if line.strip()]
    output = HOST_PRINTED(output=lines[-1].strip()[:200]) if lines else ""
    raise ProbeFailed(
        SMALLEST_NOT_ANSWERED(peer=destination, host=client.spec.label, size_bytes=SMALLEST_MTU_BYTES, output=output),
        context={"host": client.spec.label, "destination": destination},
    )
