"""Output: bounded, in lines; and what happens before a command starts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ssh.pump import CommandGate, WrongSudoPassword
from app.ssh.streams import MAX_LINE_BYTES, LineCollector

MARK = b"tunnelmark-0123"
PROMPT = b"fedcba98"


@given(st.lists(st.binary(max_size=30)))
def test_lines_are_the_same_however_the_bytes_come(pieces: list[bytes]) -> None:
    lines: list[str] = []
    collector = LineCollector(10**6, lines.append)
    for piece in pieces:
        collector.feed(piece)
    collector.finish()
    whole = b"".join(pieces)
    expected = whole.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert lines == [line.decode("utf-8", errors="replace") for line in expected]
    assert collector.text() == whole.decode("utf-8", errors="replace")
    assert not collector.is_truncated


@given(st.lists(st.binary(max_size=30)), st.integers(0, 100))
def test_no_more_is_kept_than_allowed(pieces: list[bytes], limit: int) -> None:
    collector = LineCollector(limit)
    for piece in pieces:
        collector.feed(piece)
    whole = b"".join(pieces)
    assert collector.text() == whole[:limit].decode("utf-8", errors="replace")
    assert collector.is_truncated == (len(whole) > limit)


def test_lines_go_on_when_no_more_is_kept() -> None:
    lines: list[str] = []
    collector = LineCollector(2, lines.append)
    collector.feed(b"one\ntwo\n")
    assert (collector.text(), lines, collector.is_truncated) == ("on", ["one", "two"], True)


def test_an_endless_line_comes_in_pieces() -> None:
    lines: list[str] = []
    collector = LineCollector(0, lines.append)
    for _ in range(10):
        collector.feed(b"x" * 30_000)
    collector.feed(b"\n" + b"y" * (MAX_LINE_BYTES + 5) + b"\n")
    collector.finish()
    assert max(map(len, lines)) == MAX_LINE_BYTES
    assert "".join(lines) == "x" * 300_000 + "y" * (MAX_LINE_BYTES + 5)


def test_what_comes_before_the_start_is_not_the_command_s() -> None:
    gate = CommandGate(MARK)
    assert gate.feed_out(b"Welcome!\ntunnel") == b""
    assert gate.feed_out(b"mark-0123\nown ") == b"own "
    assert gate.feed_out(MARK + b"\n") == MARK + b"\n"
    assert gate.feed_err(b"lecture\n") == (b"", b"")
    assert not gate.is_open
    assert gate.feed_err(MARK + b"\nerr") == (b"err", b"")
    assert gate.is_open
    assert gate.received == b"lecture\n"


def test_stdin_waits_only_where_sudo_might_read_it() -> None:
    assert CommandGate(MARK).may_send
    assert not CommandGate(MARK, PROMPT, b"pw\n").may_send


def test_the_password_answers_the_question_and_nothing_else() -> None:
    gate = CommandGate(MARK, PROMPT, b"pw\n")
    assert gate.feed_err(b"[sudo] password for user: ") == (b"", b"")
    assert gate.feed_err(b"fedc") == (b"", b"")
    assert gate.feed_err(b"ba98") == (b"", b"pw\n")
    assert not gate.may_send
    assert gate.feed_err(b"\n" + MARK + b"\n") == (b"", b"")
    assert gate.may_send
    assert gate.feed_err(PROMPT) == (PROMPT, b"")  # the command's own output, whatever it is
    assert "pw" not in repr(gate)


def test_a_second_question_means_that_the_password_was_wrong() -> None:
    gate = CommandGate(MARK, PROMPT, b"pw\n")
    gate.feed_err(PROMPT)
    with pytest.raises(WrongSudoPassword):
        gate.feed_err(b"\nSorry, try again.\n" + PROMPT)


def test_an_endless_preamble_does_not_fill_the_memory() -> None:
    gate = CommandGate(MARK, PROMPT)
    for _ in range(50):
        gate.feed_err(b"x" * 10_000)
        gate.feed_out(b"x" * 10_000)
    assert len(gate.received) < 50_000
    assert len(gate._before_out) < 50_000
