"""The bare link between two hosts: round-trip times with the times of sending, and streams of UDP datagrams."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import DeadlineExceeded, ProbeFailed
from app.domain.hosts import Privilege
from app.probes.iperf_server import check_started
from app.probes.messages import DATAGRAMS_UNMEASURED, NO_DATAGRAM, NO_REPLY_BARE, PROGRAM_PRINTED
from app.probes.throughput import CONNECT_TIMEOUT_MS, explain_iperf_failure, json_report, reported_error

PING_PAYLOAD_BYTES = 56
PING_FRAME_BYTES = PING_PAYLOAD_BYTES + 8 + 20 + 14
"""Bytes of an echo request's frame without check sequence: ICMP, IPv4 and Ethernet headers."""

DATAGRAM_OVERHEAD_BYTES = 8 + 20 + 14 + 4
"""Bytes of a datagram's frame beyond its payload: UDP, IPv4, Ethernet headers, check sequence."""

INTERVAL_S = 0.5
_END_S = 15.0
_LONGEST_WAIT_S = 5
_MOST_OUTPUT_BYTES = 4 << 20
_REPLY = re.compile(r"^\[(?P<at>\d+\.\d+)\].* icmp_seq=(?P<seq>\d+) .*time=(?P<ms>[\d.]+) ms")


@dataclass(frozen=True, slots=True)
class Echo:
    """One answered echo request: when it was sent, in s of the host's clock, its round-trip time in ms, its number."""

    sent_s: float
    rtt_ms: float
    seq: int = 0


@dataclass(frozen=True, slots=True)
class DatagramStream:
    """A stream of datagrams, as its receiver saw it.

    Attributes:
        mbit_s: Rate of the frames that arrived, check sequence included, in Mbit/s; None where it was too short.
        sent: Datagrams that the receiver knows of: those that arrived and those missing among them.
        lost: Those missing.
        overtaken: Those that arrived after a later one.
        rate_s: Time over which the rate was found, in s.
    """

    mbit_s: float | None
    sent: int
    lost: int
    overtaken: int
    rate_s: float = 0.0


def echoes(host: HostSession, peer: str, *, count: int, interval_s: float, token: CancelToken) -> tuple[Echo, ...]:
    """Ping the other host of a link, one request every `interval_s` whether the last was answered or not.

    Raises:
        ProbeFailed: No request was answered.
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    argv = ("ping", "-D", "-n", "-i", f"{interval_s:g}", "-c", str(count), "-W", str(_LONGEST_WAIT_S), peer)
    is_root = host.privilege is not Privilege.NONE
    timeout_s = count * interval_s + _END_S + _LONGEST_WAIT_S
    done = host.run(Command(argv, timeout_s=timeout_s, is_root=is_root), token=token)
    found = read_echoes(done.stdout)
    if not found:
        hint = PROGRAM_PRINTED(program="ping", output=words) if (words := done.stderr.strip()) else ""
        raise ProbeFailed(NO_REPLY_BARE(peer=peer, host=host.spec.label), hint=hint)
    return found


def read_echoes(text: str) -> tuple[Echo, ...]:
    """Read the lines of `ping -D`. Source: ping(8) of iputils 20221126; the time is that of the reply."""
    matches = (_REPLY.match(line) for line in text.splitlines())
    return tuple(
        Echo(float(found["at"]) - float(found["ms"]) / 1_000, float(found["ms"]), int(found["seq"]))
        for found in matches
        if found
    )


def receive(
    client: HostSession,
    server: tuple[str, int],
    *,
    mbit_s: float,
    payload_bytes: int,
    seconds: int,
    token: CancelToken,
) -> DatagramStream:
    """Receive datagrams from an iperf3 server of the other host, which listens already.

    Args:
        client: The receiver.
        server: The sender's address and port.
        mbit_s: Rate of the payload, in Mbit/s.

    Raises:
        ProgramMissing: The client cannot start iperf3.
        ProbeFailed: Nothing arrived, iperf3 did not end in time, or it cannot be used.
        ConnectionLost, Cancelled: As `HostSession.run`.
    """
    address, port = server
    argv = (
        *("iperf3", "-c", address, "-p", str(port), "-u", "-R", "-b", str(round(mbit_s * 1e6))),
        *("-l", str(payload_bytes), "-t", str(seconds), "-i", str(INTERVAL_S), "-J"),
        *("--connect-timeout", str(CONNECT_TIMEOUT_MS)),
    )
    command = Command(argv, timeout_s=seconds + _END_S, max_output_bytes=_MOST_OUTPUT_BYTES)
    try:
        done = client.run(command, token=token)
    except DeadlineExceeded as error:  # iperf3 may hang where the link loses frames
        raise ProbeFailed(error.message, hint=error.hint) from error
    check_started(client, done)
    return read_stream(done.stdout, done.stderr, client.spec.label, payload_bytes)


def read_stream(text: str, errors: str, label: str, payload_bytes: int) -> DatagramStream:
    """Read the report of iperf3 -u -R -J. Source: iperf3 3.9 to 3.18.

    Raises:
        ProbeFailed: It reports an error, or no datagram.
    """
    found = json_report(text, errors)
    parts = [one["streams"][0] for one in found.get("intervals", []) if one.get("streams")]
    sent = sum(int(one.get("packets", 0)) for one in parts)
    lost = sum(int(one.get("lost_packets", 0)) for one in parts)
    if not sent or sent == lost:
        words = reported_error(found, NO_DATAGRAM())
        raise ProbeFailed(DATAGRAMS_UNMEASURED(host=label, output=words), hint=explain_iperf_failure(words, ""))
    end = found.get("end", {}).get("streams", [{}])[0].get("udp", {})
    rate, rate_s = _rate(parts, payload_bytes)
    return DatagramStream(rate, sent, max(0, lost), int(end.get("out_of_order", 0)), rate_s)


def _rate(parts: Sequence[Mapping[str, Any]], payload_bytes: int) -> tuple[float | None, float]:
    """Return the rate between the first second, in which queues fill, and the last interval, and that time in s."""
    middle = parts[round(1 / INTERVAL_S) : -1]
    seconds = sum(float(one["seconds"]) for one in middle)
    if seconds < 1.0:
        return None, seconds
    frames = sum(float(one["bytes"]) for one in middle) / payload_bytes
    return frames * (payload_bytes + DATAGRAM_OVERHEAD_BYTES) * 8 / 1e6 / seconds, seconds
