"""Output of hosts that make fun of us: numbers without end, lines without end, marks without words."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deployment.audit_export import audit_text
from app.domain.audit import AuditEntry
from app.domain.commands import FileToWrite
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.host.inspection import _whole
from app.host.script_events import parse_script_events
from app.host.snapshots import _socket_address, _sockets
from app.ssh.batch import BatchStream, _Part
from app.ssh.messages import FILE_NOT_WRITTEN
from app.ssh.streams import MAX_LINE_BYTES, LineCollector
from app.ssh.upload import upload_error
from app.storage import Store
from support.message_checks import has_message

ENDLESS = "9" * 5_000


@pytest.mark.parametrize(
    "line", ["REPORT", "REPORT ", "REPORT 7 write", "REPORT x write", f"REPORT {ENDLESS} write no"]
)
def test_report_of_an_upload_that_makes_no_sense_is_an_error_all_the_same(line: str) -> None:
    error = upload_error([FileToWrite("/run/x", b"")], f"{line}\n", "REPORT", "gw")
    assert isinstance(error, CommandFailed)
    assert has_message(FILE_NOT_WRITTEN, path="/run/x", host="gw")(error)


@pytest.mark.parametrize(("text", "number"), [("12", 12), (ENDLESS, None), ("", None), ("-1", None), ("1e3", None)])
def test_number_of_a_host_is_read_only_as_far_as_it_can_be_one(text: str, number: int | None) -> None:
    assert _whole(text) == number


@pytest.mark.parametrize("output", ["w begin\nx\nw end", "w \n", "w begin", "w end\nw end"])
def test_marks_without_words_are_read(output: str) -> None:
    parse_script_events(output, "w")


def test_sockets_that_are_none_are_passed_over() -> None:
    lines = ["", "  sl  local_address", "", "0: -1234567:0016 x 0A", f"1: {ENDLESS}:0016 x 0A"]
    assert len(list(_sockets(lines))) == 2
    assert _socket_address("-1234567:0016") == "-1234567:0016"


def test_audit_log_as_a_table_runs_no_formula(tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://192.0.2.66")'
    entry = AuditEntry(datetime(2026, 3, 4, tzinfo=UTC), formula, Side.A, "-1+1", 0, "@what", "+who")
    with Store.open(tmp_path / "log.db") as store:
        store.audit(entry)
        (row,) = csv.DictReader(io.StringIO(audit_text(store, Path("log.csv"), None)))
    assert (row["host"], row["command"], row["what"], row["who"]) == (f"'{formula}", "'-1+1", "'@what", "'+who")


@pytest.mark.parametrize(
    ("status", "read"), [(b"3\n", 3), (b"\n", 255), (b"x" * 40 + b"\n", 255), (b"9" * 5_000 + b"\n", 255)]
)
def test_exit_status_that_is_none_ends_a_command_of_a_batch(status: bytes, read: int) -> None:
    part = _Part(LineCollector(1_000, None))
    stream = BatchStream(b"MARK", [part])
    stream.feed(b"said\nMARK" + status + b"next")
    assert (part.status, stream.ended) == (read, 1)


def test_host_that_never_ends_a_line_does_not_fill_the_memory() -> None:
    part = _Part(LineCollector(1_000, None))
    stream = BatchStream(b"MARK", [part])
    stream.feed(b"said\nMARK")
    for _ in range(100):
        stream.feed(b"0" * MAX_LINE_BYTES)
    assert (part.status, stream.ended) == (255, 1)
    assert len(stream._rest) <= MAX_LINE_BYTES
