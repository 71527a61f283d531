"""Signals to the program while a job runs: a real process, without any host."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WAIT_S = 120.0

PROGRAM = """
    import argparse, sys
    from importlib import import_module
    from app.cli import signals

    entry = import_module("app.cli.main")

    signals.BURST_S = float(sys.argv[1])

    def job(token, tell):
        print("begun", flush=True)
        try:
            token.sleep(600)
        finally:
            print("cleaning", flush=True)
            sys.stdin.readline()
            print("cleaned", flush=True)

    entry.parse = lambda argv: argparse.Namespace(handler=lambda context: context.job(job))
    sys.exit(entry.main([]))
"""

ASKING = """
    import sys
    from app.cli import terminal
    from app.domain.credentials import HostKeyQuestion
    from app.domain.errors import Cancelled

    prompts = terminal.TerminalPrompts(terminal.make_console(is_for_errors=True))

    def job(token):
        answer = prompts.confirm_host_key(HostKeyQuestion("host:22", "ssh-ed25519", "SHA256:x"))
        print(answer, flush=True)
        token.sleep(600)

    try:
        terminal.run_cancellable(job, prompts)
    except Cancelled:
        print("cancelled", flush=True)
"""


@contextmanager
def running(program: str, *words: str, stderr: int = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def full_pipe() -> Iterator[int]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    size = fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)
    assert os.write(writer, bytes(size)) == size
    os.set_blocking(writer, True)
    yield writer
    os.close(reader)
    os.close(writer)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full), signal.SIGHUP])
def test_signals_in_one_burst_are_one_and_the_clean_up_goes_on(number: signal.Signals) -> None:
    with running(PROGRAM, "3600") as process:
        assert line_of(process) == "begun\n"
        for _ in range(20):  # timeout(1) sends its signal to the process and once more to the process's group
            process.send_signal(number)
        assert line_of(process) == "cleaning\n"
        process.send_signal(number)
        out, err = process.communicate("\n", timeout=WAIT_S)
    assert (out, process.returncode) == ("cleaned\n", 130)
    assert err == "Stopping, and restoring the hosts …\nCancelled.\n"


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.full) for one in (signal.SIGINT, signal.SIGHUP))]
)
def test_a_second_signal_ends_at_once(number: signal.Signals) -> None:
    with running(PROGRAM, "0") as process:
        assert line_of(process) == "begun\n"
        process.send_signal(number)
        assert line_of(process) == "cleaning\n"
        process.send_signal(number)
        assert process.wait(WAIT_S) == 143
        out, err = process.communicate()
    assert out == ""
    assert "Traceback" not in err
    assert "tunnelmark recover PAIR" in err


def test_a_second_signal_ends_at_once_though_no_one_reads_what_is_reported(full_pipe: int) -> None:
    with running(PROGRAM, "0", stderr=full_pipe) as process:
        assert line_of(process) == "begun\n"
        process.send_signal(signal.SIGTERM)
        assert line_of(process) == "cleaning\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S) == 143


def test_a_signal_at_a_question_declines_it_and_cancels() -> None:
    with running(ASKING) as process:
        assert process.stderr is not None
        while "ssh-keygen" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=WAIT_S)
    assert out.endswith("False\ncancelled\n")
    assert "Traceback" not in err
