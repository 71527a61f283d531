"""Flood of a hub of tinc: daemons get SIGHUP with the hub in their configuration and without, and logs confirm it."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.script_files import adapter_script
from support.waiting import wait_until

DAEMON = r"""
trap 'if grep -q ^ConnectTo "$0/tinc.conf"; then echo "x Connection with tunnelmark_a (192.0.2.1) activated" >> "$0/log"
else echo "x Closing connection" >> "$0/log"; fi' HUP
: > "$0/ready"
while :; do sleep 0.02; done
"""


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two programs that log as tinc's daemon does."""
    made = []
    for number in (1, 2):
        own = tmp_path / f"client-{number}"
        own.mkdir()
        (own / "tinc.conf").write_text(f"Name = tunnelmark_c{number}\nMode = switch\n")
        (own / "log").write_text("x Connection with tunnelmark_a (192.0.2.1) activated\n")
        made.append(subprocess.Popen(["sh", "-c", DAEMON, str(own)], stdin=subprocess.DEVNULL))
        (own / "pid").write_text(f"{made[-1].pid}\n")
    for number in (1, 2):  # before that, a signal would end them
        wait_until((tmp_path / f"client-{number}" / "ready").exists, "the program to heed signals")
    yield made
    for one in made:
        one.kill()
        one.wait()


def flood(folder: Path, rate: str, seconds: str) -> subprocess.CompletedProcess[str]:
    begin = float(Path("/proc/uptime").read_text().split()[0]) + 0.2
    words = [f"{begin:.2f}", "2", str(folder), rate, seconds]
    program = ["perl", "-", *words]
    return subprocess.run(
        program, input=adapter_script("tinc", "hub-flood.pl"), capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.usefixtures("clients")
def test_each_attempt_is_confirmed_by_its_own_line_and_ends_without_the_hub(tmp_path: Path) -> None:
    done = flood(tmp_path, "8", "1")
    assert done.stderr == ""
    first, *lines = done.stdout.splitlines()
    assert first == "@begin"
    assert len(lines) == 8
    assert all(re.fullmatch(r"= \d\.\d\d \d+\.\d\d \d+\.\d\d", line) for line in lines)
    for number in (1, 2):
        own = tmp_path / f"client-{number}"
        assert (own / "tinc.conf").read_text() == f"Name = tunnelmark_c{number}\nMode = switch\n"
        log = own / "log"
        wait_until(lambda log=log: log.read_text().endswith("x Closing connection\n"), "the end of the session")
        # A client that runs late finds the hub in its configuration at the signal that ended the attempt before, too.
        assert log.read_text().count("activated") >= 1 + 4


def test_a_daemon_that_has_ended_is_an_error(tmp_path: Path, clients: list[subprocess.Popen[bytes]]) -> None:
    clients[1].send_signal(signal.SIGKILL)
    clients[1].wait()
    done = flood(tmp_path, "8", "1")
    assert done.returncode != 0
    assert "Client 2 ended." in done.stderr
