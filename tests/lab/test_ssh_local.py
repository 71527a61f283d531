"""Sessions against a real sshd on 127.0.0.1 that the test runs itself, with its own configuration and keys."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite, Stream
from app.domain.errors import (
    Cancelled,
    CommandFailed,
    DeadlineExceeded,
    DiskFull,
)
from app.domain.hosts import Privilege
from app.ssh import SshSession
from app.ssh.messages import COMMAND_TOO_SLOW, FOLDER_MISSING, NO_SPACE_LEFT, SHELL_ENDED
from support.local_sshd import SSHD, cancel_when, processes_with, sleeping
from support.message_checks import has_message
from support.waiting import wait_until

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not Path(SSHD).exists(), reason="needs openssh-server"),
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd logs in root here"),
]


@pytest.fixture
def token() -> CancelToken:
    return CancelToken()


def check_ended(command: str) -> None:
    """See that a command does not go on; what was sent a signal may take a moment to end."""
    wait_until(lambda: processes_with(command) == [], f"the end of `{command}`")


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_runs_and_its_streams_come_apart(session: SshSession, token: CancelToken) -> None:
    lines: list[tuple[Stream, str]] = []
    command = Command(("sh", "-c", "echo one; echo two >&2; printf three; exit 5"))
    result = session.run(command, token=token, on_line=lambda stream, line: lines.append((stream, line)))
    assert (result.exit_status, result.stdout, result.stderr) == (5, "one\nthree", "two\n")
    assert (result.argv, result.is_truncated, result.is_ok) == (command.argv, False, False)
    assert sorted(lines) == [(Stream.STDERR, "two"), (Stream.STDOUT, "one"), (Stream.STDOUT, "three")]
    assert 0 < result.duration_s < 300


def test_lines_come_while_the_command_runs(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    lines: list[str] = []

    def go_on(_stream: Stream, line: str) -> None:
        lines.append(line)
        (tmp_path / line).touch()

    # It goes on only once its line has arrived here.
    script = 'for i in 1 2 3; do echo $i; until [ -e "$0/$i" ]; do sleep 0.05; done; done'
    session.run(Command(("sh", "-c", script, str(tmp_path)), timeout_s=120), token=token, on_line=go_on)
    assert lines == ["1", "2", "3"]


def test_a_command_that_does_not_exist_ends_with_127(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("no-such-program",)), token=token).exit_status == 127


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_stdin_passes_whatever_it_holds(session: SshSession, token: CancelToken, size: int) -> None:
    content = (bytes(range(256)) * (size // 256 + 1))[:size]
    result = session.run(Command(("wc", "-c"), stdin=content), token=token)
    assert int(result.stdout) == size


def test_a_command_that_reads_nothing_does_not_block_its_stdin(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("true",), stdin=b"x" * 5_000_000), token=token).exit_status == 0


def test_ten_megabytes_are_cut_and_read_to_the_end(session: SshSession, token: CancelToken) -> None:
    count = 0

    def take(_stream: Stream, _line: str) -> None:
        nonlocal count
        count += 1

    command = Command(("sh", "-c", "yes 012345678 | head -n 1000000; yes err | head -n 100000 >&2"))
    result = session.run(replace(command, timeout_s=120, max_output_bytes=100_000), token=token, on_line=take)
    assert (len(result.stdout), len(result.stderr)) == (100_000, 100_000)
    assert result.is_truncated
    assert count == 1_100_000


def test_output_that_is_no_text_is_replaced(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("printf", "\\377a\\000")), token=token).stdout == "\ufffda\0"


def test_the_exit_status_of_a_killed_wrapper_is_known(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("sh", "-c", "kill -9 $PPID; kill -9 $$")), token=token).exit_status == 128 + 9


def test_a_daemon_that_keeps_stdout_open_holds_no_one_up(session: SshSession, token: CancelToken) -> None:
    result = session.run(Command(("sh", "-c", f"{sleeping(4711)} & echo $!"), timeout_s=120), token=token)
    assert result.is_ok
    os.kill(int(result.stdout), signal.SIGKILL)


def test_cancelling_stops_at_once_and_leaves_nothing_running(session: SshSession, token: CancelToken) -> None:
    sleep = sleeping(4712)
    canceller = cancel_when(token, lambda: len(processes_with(sleep)) >= 3)
    with pytest.raises(Cancelled):
        session.run(Command(("sh", "-c", f"{sleep} & setsid {sleep} & {sleep}"), timeout_s=300), token=token)
    canceller.join()
    check_ended(sleep)
    assert session.run(Command(("true",)), token=CancelToken()).is_ok


def test_cancelling_does_not_wait_for_the_command(session: SshSession, token: CancelToken) -> None:
    started_s: list[float] = []
    token.on_cancel(lambda: started_s.append(time.monotonic()))
    sleep = sleeping(4713)
    canceller = cancel_when(token, lambda: processes_with(sleep))
    with pytest.raises(Cancelled):
        session.run(Command(tuple(sleep.split()), timeout_s=600), token=token)
    assert time.monotonic() - started_s[0] < 60.0  # less than 2 s on a computer that does nothing else
    canceller.join()
    check_ended(sleep)


def test_a_command_ends_at_its_deadline(session: SshSession, token: CancelToken) -> None:
    with pytest.raises(DeadlineExceeded, check=has_message(COMMAND_TOO_SLOW, what="`sleep` on gateway")):
        session.run(Command(tuple(sleeping(4714).split()), timeout_s=0.5), token=token)
    check_ended(sleeping(4714))


def test_a_batch_is_cancelled_as_a_whole(session: SshSession, token: CancelToken) -> None:
    first, second = sleeping(4715), sleeping(4716)
    canceller = cancel_when(token, lambda: processes_with(first))
    with pytest.raises(Cancelled):
        session.run_batch([Command(tuple(one.split()), timeout_s=600) for one in (first, second)], token=token)
    canceller.join()
    check_ended(first)
    check_ended(second)


def test_an_error_in_the_one_who_gets_the_lines_stops_the_command(session: SshSession, token: CancelToken) -> None:
    def fail(_stream: Stream, _line: str) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        session.run(Command(("sh", "-c", f"echo; exec {sleeping(4717)}"), timeout_s=600), token=token, on_line=fail)
    check_ended(sleeping(4717))


def test_what_is_cancelled_before_it_starts_does_not_start(session: SshSession, token: CancelToken) -> None:
    token.cancel()
    with pytest.raises(Cancelled):
        session.run(Command(("true",)), token=token)


def test_root_is_root(session: SshSession, token: CancelToken) -> None:
    assert session.privilege is Privilege.ROOT
    assert session.run(Command(("id", "-u"), is_root=True), token=token).stdout == "0\n"


# --- batches ----------------------------------------------------------------------------------------------------------


def test_a_batch_gives_one_result_per_command(session: SshSession, token: CancelToken) -> None:
    lines: list[tuple[int, Stream, str]] = []
    commands = [Command(("echo", "a")), Command(("sh", "-c", "echo b >&2; exit 2"), is_root=True), Command(("cat",))]
    results = session.run_batch(commands, token=token, on_line=lambda *line: lines.append(line))
    assert [result.exit_status for result in results] == [0, 2, 0]
    assert sorted(lines) == [(0, Stream.STDOUT, "a"), (1, Stream.STDERR, "b")]
    assert session.run_batch([], token=token) == ()


def test_a_batch_stops_where_it_should(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("true",)), Command(("false",)), Command(("true",))]
    results = session.run_batch(commands, token=token, should_stop_at_failure=True)
    assert [result.exit_status for result in results] == [0, 1, None]


def test_a_long_batch_passes(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("printf", "%s", f"{number:04}" * 250)) for number in range(300)]
    results = session.run_batch(commands, token=token)
    assert [result.stdout[:4] for result in results] == [f"{number:04}" for number in range(300)]


def test_a_batch_whose_shell_dies_says_where(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("true",)), Command(("sh", "-c", "kill -9 $PPID; kill -9 $$")), Command(("true",))]
    with pytest.raises(CommandFailed, check=has_message(SHELL_ENDED, command="sh", number=2, count=3)):
        session.run_batch(commands, token=token)


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_arrive_byte_for_byte(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    files = [FileToWrite(str(tmp_path / "a"), content, 0o600), FileToWrite(str(tmp_path / "b"), b"text\n", 0o755)]
    session.write_files(files, token=token)
    assert (tmp_path / "a").read_bytes() == content
    assert [(tmp_path / name).stat().st_mode & 0o7777 for name in "ab"] == [0o600, 0o755]


def test_a_full_disk_keeps_the_old_file(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        session.write_files([FileToWrite(str(small / "file"), b"old")], token=token)
        files = [FileToWrite(str(small / "file"), b"new"), FileToWrite(str(small / "big"), bytes(200_000))]
        with pytest.raises(DiskFull, check=has_message(NO_SPACE_LEFT)):
            session.write_files(files, token=token)
        assert [(path.name, path.read_bytes()) for path in small.iterdir()] == [("file", b"old")]
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_missing_folder_is_reported(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, check=has_message(FOLDER_MISSING, folder=str(tmp_path / "no"))):
        session.write_files([FileToWrite(str(tmp_path / "no" / "file"), b"x")], token=token)


def test_a_protected_file_is_reported(session: SshSession, token: CancelToken) -> None:
    with pytest.raises(CommandFailed, match="/proc/version"):
        session.write_files([FileToWrite("/proc/version", b"x")], token=token)
