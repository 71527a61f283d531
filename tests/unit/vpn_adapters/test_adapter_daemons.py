"""Ending daemons by their command line: ours and what they started, and no others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from vpn_adapters.shared.daemons import kill_command, stop_command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for source, name in (("/bin/sh", "tmdaemon"), ("/bin/sleep", "tmdaemon-child")):
        (tmp_path / name).write_bytes(Path(source).read_bytes())
        (tmp_path / name).chmod(0o755)
    (tmp_path / "config").write_text("", encoding="utf-8")
    return tmp_path


def start(folder: Path, config: str) -> tuple[subprocess.Popen[bytes], int]:
    script = f"{folder}/tmdaemon-child 300 & echo $!; wait"
    daemon = subprocess.Popen([f"{folder}/tmdaemon", "-c", script, config], stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    return daemon, int(daemon.stdout.readline())


def run(command: Command) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command.argv, capture_output=True, check=True, timeout=120)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("is_killed", [False, True])
def test_ends_ours_with_what_it_started_and_not_the_neighbour(folder: Path, is_killed: bool) -> None:
    ours, child = start(folder, f"{folder}/config")
    other, other_child = start(folder, f"{folder}/other")
    leftover = folder / "left.log"
    leftover.write_text("x", encoding="utf-8")
    word = f"{folder}/config"
    try:
        run(kill_command("tmdaemon", word) if is_killed else stop_command("tmdaemon", word, str(leftover)))
        assert ours.wait(120) == (-9 if is_killed else -15)
        assert leftover.exists() == is_killed
        CancelToken().wait_for(lambda: not is_running(child), timeout_s=120, what="the child to end")
        assert other.poll() is None
        assert is_running(other_child)
    finally:
        run(kill_command("tmdaemon", f"{folder}/other"))
        other.wait(120)
        for process in (ours, other):
            assert process.stdout is not None
            process.stdout.close()


def test_nothing_to_end_is_fine(folder: Path) -> None:
    for _ in range(2):
        done = run(stop_command("tmdaemon", f"{folder}/config", f"{folder}/never"))
        assert (done.stdout, done.stderr) == (b"", b"")
