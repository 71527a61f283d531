"""Link emulator: delay, rate, queue and loss in each direction, and no frame overtakes another."""

from __future__ import annotations

import json
import math
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from app.domain.condition_files import find_condition, presets, read_condition
from app.domain.conditions import Condition, LinkDirection
from app.domain.errors import InvalidFile, InvalidOption, TunnelmarkError
from app.domain.messages.inputs import (
    CONDITION_KEYS_EXCLUDE,
    CONDITION_NAME_TAKEN,
    CONDITION_NEEDS_QUEUE,
    CONDITION_NO_TOML,
    CONDITION_OUT_OF_RANGE,
    CONDITION_TRACES_DIFFER,
    CONDITION_UNKNOWN,
    FIELD_MISSING,
    FIELD_UNKNOWN,
)
from app.lab import link_emulator
from app.lab.conditions import lab_condition, settings_of
from app.lab.link_emulator import Direction, LinkEmulator
from support.message_checks import HasMessage, has_message


def carry(settings: dict[str, object], count: int, *, every_s: float = 0.001, size: int = 1_000) -> dict[int, float]:
    """Return the delay in seconds of each frame that arrives, by its number."""
    way = Direction(settings, seed=3)
    found: dict[int, float] = {}
    last = -1
    for number in range(count):
        now_s = number * every_s
        way.offer(number.to_bytes(4, "big") + bytes(size - 4), now_s)
    while (when := way.next_s()) is not None:
        frame = way.first_due(when)
        assert frame is not None
        number = int.from_bytes(frame[:4], "big")
        assert number > last, "a frame overtook another"
        last = number
        found[number] = when - number * every_s
        way.drop_first()
    return found


def test_a_frame_arrives_after_its_delay() -> None:
    assert list(carry({"delay_ms": 250.0}, 50).values()) == pytest.approx([0.25] * 50)


def test_frames_wait_for_the_line_and_are_dropped_where_the_queue_is_full() -> None:
    # 1 000 bytes and 4 of check sequence every millisecond at 4 Mbit/s: each takes 2.008 ms
    found = carry({"rate_mbit_s": 4.0, "queue_ms": 20.0}, 1_000)
    assert found[0] == pytest.approx(0.002008)
    assert max(found.values()) <= 0.02 + 2 * 0.002008
    assert len(found) == pytest.approx(1_000 / 2.008 + 10, abs=3)


def test_without_a_limit_of_the_queue_frames_are_dropped_where_they_would_take_too_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_emulator, "_MOST_BYTES", 20 * (1_000 + link_emulator._MEMORY_OF_FRAME_BYTES))
    assert len(carry({"rate_mbit_s": 0.001}, 50)) == 20
    assert len(carry({"delay_ms": 250.0}, 50)) == 20
    frame = bytes(60)
    of_one = sum(map(sys.getsizeof, (frame, 1.5, (1.5, frame)))) + struct.calcsize("P")
    assert of_one <= 60 + link_emulator._MEMORY_OF_FRAME_BYTES
    way = Direction({"delay_ms": 1.0}, seed=3)
    for number in range(50):  # each has arrived before the next one
        way.offer(bytes(20_000), float(number))
        assert way.first_due(number + 0.5) is not None
        way.drop_first()


def test_a_trace_changes_the_delay_and_keeps_the_order() -> None:
    found = carry({"trace_ms": [40.0, 10.0], "trace_step_s": 0.1}, 200)
    assert found[0] == pytest.approx(0.04)
    assert found[105] == pytest.approx(0.034, abs=0.002)  # delayed by those before it
    assert found[199] == pytest.approx(0.01)


def arrivals(settings: dict[str, object], offered_s: list[float]) -> list[float]:
    """Return when frames arrive that take 8 000 bits on the cable, each offered at a time in s."""
    way = Direction(settings, seed=3)
    for now_s in offered_s:
        way.offer(bytes(996), now_s)
    found = []
    while (when := way.next_s()) is not None:
        found.append(when)
        way.drop_first()
    return found


def test_a_frame_is_sent_at_the_rates_that_a_trace_has_while_it_is_on_the_line() -> None:
    settings: dict[str, object] = {"trace_mbit_s": [8.0, 2.0], "trace_step_s": 0.1, "queue_ms": 50.0}
    # 1 ms at 8 Mbit/s, 4 ms at 2; the second one has half of its bits sent when the rate falls
    assert arrivals(settings, [7.0, 7.0995, 7.15, 7.1999]) == pytest.approx([7.001, 7.102, 7.154, 7.200975])


def test_a_rate_that_changes_loses_no_frame_that_waits() -> None:
    settings: dict[str, object] = {"trace_mbit_s": [8.0, 2.0], "trace_step_s": 0.1, "queue_ms": 200.0}
    found = arrivals(settings, [0.0] + [0.05] * 100)
    # 50 of them until the rate falls, 25 in the slow step, 25 after it
    assert len(found) == 101
    assert [found[50], found[75], found[100]] == pytest.approx([0.1, 0.2, 0.225])


def test_a_queue_holds_its_time_at_the_rates_to_come() -> None:
    settings: dict[str, object] = {"trace_mbit_s": [8.0, 2.0], "trace_step_s": 0.1, "queue_ms": 20.0}
    found = arrivals(settings, [0.0] + [0.09] * 100)
    assert len(found) == 1 + 10 + 3  # those that begin by 0.11: ten in 10 ms, then three of 4 ms
    assert found[-1] == pytest.approx(0.112)


def test_a_line_is_as_fast_as_the_mean_of_its_trace() -> None:
    settings: dict[str, object] = {"trace_mbit_s": [9.0, 0.5, 2.5], "trace_step_s": 0.03, "queue_ms": 100.0}
    found = arrivals(settings, [0.0005 * number for number in range(18_000)])
    assert 8_000 * sum(when <= 9.0 for when in found) / 9.0 == pytest.approx(4e6, rel=0.001)


def test_a_trace_of_losses_loses_frames_in_its_steps_alone() -> None:
    count = 40_000
    found = carry({"trace_loss_pct": [0.0, 100.0, 0.0, 50.0], "trace_step_s": 1.0}, count, size=60)
    kept = [sum(number // 1_000 % 4 == step for number in found) for step in range(4)]
    assert kept[:3] == [count // 4, 0, count // 4]
    assert kept[3] == pytest.approx(count / 8, abs=4 * math.sqrt(count / 16))


def test_a_frame_that_waits_is_lost_where_it_is_sent() -> None:
    settings: dict[str, object] = {"rate_mbit_s": 8.0, "trace_loss_pct": [0.0, 100.0], "trace_step_s": 0.1}
    assert len(arrivals(settings, [0.0] * 250)) == pytest.approx(150, abs=1)


def test_the_largest_loss_in_bursts_is_the_one_that_is_accepted() -> None:
    LinkDirection(loss_pct=75.0, burst_frames=3.0).check()
    LinkDirection(loss_pct=99.0).check()
    found = carry({"loss_pct": 75.0, "burst_frames": 3.0}, 40_000, size=60)
    assert 1.0 - len(found) / 40_000 == pytest.approx(0.75, abs=0.01)


@pytest.mark.parametrize("burst", [1.0, 5.0])
def test_losses_have_the_rate_and_the_length_of_bursts_that_were_asked_for(burst: float) -> None:
    count = 100_000
    found = carry({"loss_pct": 2.0, "burst_frames": burst}, count, size=60)
    lost = [number for number in range(count) if number not in found]
    runs = 1 + sum(second - first > 1 for first, second in pairwise(lost))
    error = 4 * math.sqrt(0.02 * 0.98 / count * (2 * burst - 1))
    assert len(lost) / count == pytest.approx(0.02, abs=error)
    assert len(lost) / runs == pytest.approx(max(burst, 1 / 0.98), rel=0.2)


def test_the_same_seed_loses_the_same_frames() -> None:
    assert carry({"loss_pct": 10.0}, 100) == carry({"loss_pct": 10.0}, 100)


@contextmanager
def emulated(a_to_b: dict[str, object]) -> Iterator[tuple[socket.socket, socket.socket]]:
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
    settings: dict[str, object] = {"a_to_b": a_to_b, "b_to_a": {}, "seed": 1}
    emulator, is_over = LinkEmulator((pairs[0][1], pairs[1][1]), settings), threading.Event()

    def run() -> None:
        while not is_over.is_set():
            emulator.step()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    for pair in pairs:
        pair[0].settimeout(60.0)
    yield pairs[0][0], pairs[1][0]
    is_over.set()
    pairs[0][0].send(b"wakes it up")
    thread.join(120)
    for one in (end for pair in pairs for end in pair):
        one.close()


@pytest.fixture
def link() -> Iterator[tuple[socket.socket, socket.socket]]:
    with emulated({"delay_ms": 30.0}) as ends:
        yield ends


def test_rates_change_while_frames_cross_between_sockets() -> None:
    way: dict[str, object] = {"trace_mbit_s": [1.0, 0.1], "trace_step_s": 0.1, "queue_ms": 1_000.0}
    with emulated(way) as (a, b):
        began_s = time.monotonic()
        for number in range(20):
            a.send(bytes([number]) + bytes(995))
        assert [b.recv(2_000)[0] for _ in range(20)] == list(range(20))
        # 12.5 frames in the first step, 1.25 in the second, the others of 8 ms each
        assert time.monotonic() - began_s >= 0.25


def test_frames_cross_between_sockets_and_a_full_receiver_loses_none(link: tuple[socket.socket, socket.socket]) -> None:
    a, b = link
    began_s = time.monotonic()
    a.send(b"first")
    assert b.recv(100) == b"first"
    assert time.monotonic() - began_s >= 0.03
    sender = threading.Thread(target=lambda: [b.send(f"{number}".encode()) for number in range(300)])
    sender.start()
    time.sleep(0.05)  # more than the receiver's socket holds
    assert [int(a.recv(100)) for _ in range(300)] == list(range(300))
    sender.join(120)


def test_presets_are_possible_and_have_a_source() -> None:
    assert {"geo", "leo", "lte", "dsl", "wifi", "lossy"} <= presets().keys()
    assert all(one.source and one.title for one in presets().values())
    assert presets()["geo"].rtt_ms == 500.0


def test_a_condition_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plant.toml"
    file.write_text('[[condition]]\nname = "plant"\ntitle = "Our plant"\n[condition.a_to_b]\ndelay_ms = 12.5\n')
    assert find_condition(str(file)) == Condition("plant", "Our plant", a_to_b=LinkDirection(delay_ms=12.5))


def test_the_documented_file_is_a_condition_and_every_key_is_documented(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs/practice-lab.md").read_text(encoding="utf-8")
    text = text.split("### Files of conditions\n")[1]
    file = tmp_path / "documented.toml"
    file.write_text(text.split("```")[1])
    assert read_condition(file).b_to_a.burst_frames == 4.0
    file.write_text(text.split("```")[3])
    assert 100.0 in read_condition(file).a_to_b.trace_loss_pct
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    documented = {one for row in rows for one in re.findall("`(.+?)`", row)}
    assert documented == {one.name for kind in (Condition, LinkDirection) for one in fields(kind)}


def test_a_lab_reports_the_traces_of_its_condition_and_those_of_earlier_versions_have_none() -> None:
    way = LinkDirection(trace_ms=(1.0, 2.0), trace_mbit_s=(3.0, 1.0), trace_loss_pct=(0.0, 5.0), queue_ms=50.0)
    condition = Condition("sky", "Handovers", a_to_b=way, b_to_a=LinkDirection(delay_ms=7.0))
    condition.check()
    stored = json.loads(json.dumps(settings_of(condition)))
    assert lab_condition({"in_force": stored}).in_force == condition
    del stored["b_to_a"]["trace_mbit_s"], stored["b_to_a"]["trace_loss_pct"]
    assert lab_condition({"in_force": stored}).in_force == condition


TRACES = "[[condition]]\nname = 'x'\ntitle = 'X'\n[condition.a_to_b]\n"


@pytest.mark.parametrize(
    ("text", "error", "refusal"),
    [
        ("[[condition]]\nname = 'x'\n", InvalidFile, has_message(FIELD_MISSING, field="'title'")),
        (
            "[[condition]]\nname = 'x'\ntitle = 'X'\nspeed = 1\n",
            InvalidFile,
            has_message(FIELD_UNKNOWN, fields=("speed",)),
        ),
        (
            "[[condition]]\nname = 'x'\ntitle = 'X'\n[condition.a_to_b]\nloss_pct = 150.0\n",
            InvalidOption,
            has_message(CONDITION_OUT_OF_RANGE, name="loss_pct"),
        ),
        (
            TRACES + "loss_pct = 75.0\nburst_frames = 2.0\n",
            InvalidOption,
            has_message(CONDITION_OUT_OF_RANGE, name="loss_pct", value=75.0),
        ),
        (
            TRACES + "trace_mbit_s = [1.0, 0.0]\n",
            InvalidOption,
            has_message(CONDITION_OUT_OF_RANGE, name="trace_mbit_s", value=0.0),
        ),
        (
            TRACES + "trace_loss_pct = [1.0, 101.0]\n",
            InvalidOption,
            has_message(CONDITION_OUT_OF_RANGE, name="trace_loss_pct", value=101.0),
        ),
        (
            TRACES + "trace_ms = [1.0, 2.0]\ntrace_loss_pct = [1.0, 2.0, 3.0]\n",
            InvalidOption,
            has_message(CONDITION_TRACES_DIFFER, lengths="2, 3"),
        ),
        (
            TRACES + "trace_mbit_s = [1.0, 2.0]\nrate_mbit_s = 1.0\nqueue_ms = 50.0\n",
            InvalidOption,
            has_message(CONDITION_KEYS_EXCLUDE, trace="trace_mbit_s", name="rate_mbit_s"),
        ),
        (
            TRACES + "trace_loss_pct = [1.0, 2.0]\nloss_pct = 1.0\n",
            InvalidOption,
            has_message(CONDITION_KEYS_EXCLUDE, trace="trace_loss_pct", name="loss_pct"),
        ),
        (
            TRACES + "trace_loss_pct = [1.0, 2.0]\nburst_frames = 2.0\n",
            InvalidOption,
            has_message(CONDITION_KEYS_EXCLUDE, trace="trace_loss_pct", name="burst_frames"),
        ),
        (TRACES + "trace_mbit_s = [1.0, 2.0]\n", InvalidOption, has_message(CONDITION_NEEDS_QUEUE)),
        ("[[condition]]\nname = 'geo'\ntitle = 'X'\n", InvalidFile, has_message(CONDITION_NAME_TAKEN, name="geo")),
        ("[[condition]]\nname = 'as-found'\ntitle = 'X'\n", InvalidFile, has_message(CONDITION_NAME_TAKEN)),
        ("no toml", InvalidFile, has_message(CONDITION_NO_TOML)),
        ("", InvalidFile, has_message(FIELD_MISSING, field="'condition'")),
    ],
)
def test_a_file_that_is_no_condition_is_refused(
    tmp_path: Path, text: str, error: type[TunnelmarkError], refusal: HasMessage
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(error, check=refusal):
        read_condition(file)


def test_an_unknown_name_lists_the_presets() -> None:
    with pytest.raises(InvalidOption, check=has_message(CONDITION_UNKNOWN, name="moon")):
        find_condition("moon")
