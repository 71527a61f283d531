"""A telephone call: 50 datagrams a second each way, their jitter and loss, and the quality of speech that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.domain.commands import Command
from app.domain.concurrency import run_both
from app.domain.errors import ProbeFailed
from app.domain.hosts import Side
from app.domain.link import WORKLOAD_PORT_STEP
from app.domain.messages import mark
from app.domain.script_files import host_script
from app.domain.speech_quality import speech_quality
from app.domain.workloads import FigureKind
from app.probes.bare_link import Echo, echoes
from app.probes.messages import (
    CALL_FAILED,
    CALL_NOT_BEGUN,
    CALL_SILENT,
    EXIT_STATUS_ONLY,
    JITTER_OF_WAY,
    LATE_OF_WAY,
    LOST_OF_WAY,
    MOS_OF_WAY,
    RATING_OF_WAY,
    VOICE_SOURCE,
    WAYS,
)
from app.probes.workloads.base import Workload, WorkloadPath

PACKET_S = 0.02
"""Speech in a packet. Source: RFC 3551, 4.2 (20 ms by default)."""

PACKET_BYTES = 172
"""160 bytes of G.711 (64 kbit/s for 20 ms) and RTP's header of 12. Source: RFC 3551, 4.5.14; RFC 3550, 5.1."""

BUFFER_MS = 60.0
"""De-jitter buffer: a packet that comes so much later than the fastest one is discarded. Source: our choice."""

PEER_S = 15.0
"""For how long a side waits for the other one, whose login, sudo or Python may be slower. Source: our choice."""

_NOT_HEARD = 3
"""Exit status of the script whose peer sent nothing in that time."""

_COUNT = 600
_PINGS, _PING_INTERVAL_S = 40, 0.05


@dataclass(frozen=True, slots=True)
class VoiceStream:
    """One direction of a call, as its receiver heard it.

    Attributes:
        lost_pct: Packets that never came, in percent.
        late_pct: Packets that the buffer discarded, in percent of all.
        jitter_ms: Interarrival jitter at the end. Source: RFC 3550, A.8.
        burst_ratio: Mean length of a run of lost or late packets over that of independent ones. Source: G.107, 3.
    """

    lost_pct: float
    late_pct: float
    jitter_ms: float
    burst_ratio: float


def _run(path: WorkloadPath) -> Mapping[str, float]:
    rtts_ms = [one.rtt_ms for one in _pings(path)]
    rtt_ms = float(np.median(rtts_ms))
    at_b, at_a = run_both(lambda: _side(path, Side.B, rtt_ms), lambda: _side(path, Side.A, rtt_ms))
    if at_a is None or at_b is None:
        deaf, silent = (Side.A, Side.B) if at_a is None else (Side.B, Side.A)
        labels = {"host": path.sessions.on(deaf).spec.label, "peer": path.sessions.on(silent).spec.label}
        raise ProbeFailed(CALL_NOT_BEGUN(seconds=PEER_S, **labels))
    # The buffer plays each packet when the fastest one has waited in it for BUFFER_MS, whatever the others took.
    mouth_to_ear_ms = min(rtts_ms) / 2 + 1_000 * PACKET_S + BUFFER_MS
    found: dict[str, float] = {}
    for name, heard in (("a-to-b", at_b), ("b-to-a", at_a)):
        loss_pct = heard.lost_pct + heard.late_pct
        speech = speech_quality(mouth_to_ear_ms, loss_pct, burst_ratio=heard.burst_ratio)
        found |= {f"mos-{name}": speech.mos, f"rating-{name}": speech.rating, f"jitter-{name}": heard.jitter_ms}
        found |= {f"lost-{name}": heard.lost_pct, f"late-{name}": heard.late_pct}
    worse = min(found["mos-a-to-b"], found["mos-b-to-a"])
    path.report("mos", _COUNT * PACKET_S, worse)
    return {
        "mos": worse,
        "rating": min(found["rating-a-to-b"], found["rating-b-to-a"]),
        "delay": mouth_to_ear_ms,
        **found,
    }


def _pings(path: WorkloadPath) -> tuple[Echo, ...]:
    return echoes(path.sessions.on(Side.A), path.address_b, count=_PINGS, interval_s=_PING_INTERVAL_S, token=path.token)


def _side(path: WorkloadPath, side: Side, rtt_ms: float) -> VoiceStream | None:
    """Return what one side heard of the call; None where its peer sent nothing, not even a hello."""
    wait_s = 2.0 + rtt_ms / 1_000
    words = (
        *(path.address(side), path.address(side.other), str(path.own_port), str(_COUNT), str(PACKET_S)),
        *(str(PACKET_BYTES), f"{wait_s:.1f}", str(PEER_S)),
    )
    host = path.sessions.on(side)
    timeout_s = PEER_S + 3 * _COUNT * PACKET_S + wait_s + 20.0
    argv = ("python3", "-c", host_script("probes/voice.py"), *words)
    done = host.run(Command(argv, timeout_s=timeout_s), token=path.token)
    if done.exit_status == _NOT_HEARD:
        return None
    if not done.is_ok:
        words_of_host = (done.stderr.strip().splitlines() or [EXIT_STATUS_ONLY(status=done.exit_status)])[-1]
        raise ProbeFailed(CALL_FAILED(host=host.spec.label, output=words_of_host))
    return read_stream(done.stdout, _COUNT, host.spec.label)


def read_stream(text: str, count: int, label: str, buffer_ms: float = BUFFER_MS) -> VoiceStream:
    """Read the lines `SEQUENCE SENT_NS RECEIVED_NS` of a receiver.

    The clocks of both hosts need not agree: only differences of transit times count. Neither may be set in between.

    Raises:
        ProbeFailed: Nothing was received.
    """
    rows = [tuple(map(int, line.split())) for line in text.splitlines() if line.count(" ") == 2]
    heard = {row[0]: (row[1], row[2]) for row in rows if 0 <= row[0] < count}
    if not heard:
        raise ProbeFailed(CALL_SILENT(host=label))
    transit_ms = {number: (came - sent) / 1e6 for number, (sent, came) in heard.items()}
    least_ms = min(transit_ms.values())
    late = {number for number, value in transit_ms.items() if value - least_ms > buffer_ms}
    missing = [number not in heard or number in late for number in range(count)]
    return VoiceStream(
        lost_pct=100 * (count - len(heard)) / count,
        late_pct=100 * len(late) / count,
        jitter_ms=jitter_ms([transit_ms[number] for number, _ in sorted(heard.items(), key=lambda one: one[1][1])]),
        burst_ratio=burst_ratio(missing),
    )


def jitter_ms(transit_ms: Sequence[float]) -> float:
    """Return the interarrival jitter after the last packet, in the order of arrival. Source: RFC 3550, A.8."""
    jitter = 0.0
    for before, after in pairwise(transit_ms):
        jitter += (abs(after - before) - jitter) / 16
    return jitter


def burst_ratio(missing: Sequence[bool]) -> float:
    """Return the mean length of runs of missing packets over 1 / (1 - share), that of independent losses; at least 1.

    Source: ITU-T G.107, clause 3 (BurstR).
    """
    lost = sum(missing)
    runs = sum(one and not before for before, one in zip((False, *missing), missing, strict=False))
    if not runs or lost == len(missing):
        return 1.0
    return max(1.0, (lost / runs) * (1 - lost / len(missing)))


def _figures(direction: str, way: str) -> tuple[FigureKind, ...]:
    return (
        FigureKind(f"mos-{direction}", MOS_OF_WAY(way=way), "", is_lower_better=False),
        FigureKind(f"rating-{direction}", RATING_OF_WAY(way=way), "", is_lower_better=False),
        FigureKind(f"jitter-{direction}", JITTER_OF_WAY(way=way), "ms", is_lower_better=True),
        FigureKind(f"lost-{direction}", LOST_OF_WAY(way=way), "%", is_lower_better=True),
        FigureKind(f"late-{direction}", LATE_OF_WAY(way=way), "%", is_lower_better=True),
    )


WORKLOAD = Workload(
    name="voice",
    title=mark("Telephone call (G.711)"),
    heading=mark("Call"),
    figures=(
        FigureKind("mos", mark("Mean opinion score (worse direction; 4.4 is the best)"), "", is_lower_better=False),
        FigureKind("rating", mark("Rating R (worse direction; 93.2 is the best)"), "", is_lower_better=False),
        FigureKind("delay", mark("Delay from mouth to ear"), "ms", is_lower_better=True),
        *_figures("a-to-b", WAYS["a_to_b"]()),
        *_figures("b-to-a", WAYS["b_to_a"]()),
    ),
    run=_run,
    seconds=_COUNT * PACKET_S + 5.0,
    round_trips=3.0,
    needs={Side.A: ("ping", "python3"), Side.B: ("python3",)},
    listens=dict.fromkeys(Side, (("udp", WORKLOAD_PORT_STEP),)),
    beyond_busybox=("ping",),
    source=VOICE_SOURCE(buffer_ms=BUFFER_MS),
)
