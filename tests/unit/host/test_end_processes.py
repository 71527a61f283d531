"""The one script that ends processes on hosts, and what includes it, under dash and BusyBox."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.domain.script_files import adapter_script, bare_script, host_script
from support.waiting import wait_until

in_every_shell = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=["dash", "busybox"])

_POLITE = "trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.05; done"
_DEAF = "trap '' TERM INT; echo up; while :; do sleep 0.05; done"


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes of a test, which are killed afterwards."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for one in processes:
        with suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()
        if one.stdout is not None:
            one.stdout.close()


def start(started: list[subprocess.Popen[str]], script: str, *words: str) -> subprocess.Popen[str]:
    """Start a script of the shell, and wait until it says that it is up."""
    argv = ["sh", "-c", script, *words]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True)
    started.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def end(shell: tuple[str, ...], *words: object, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run end_processes with arguments."""
    script = f'{before}\n{host_script("end-processes.sh")}\nend_processes "$@"\n'
    argv = [*shell, "-c", script, "sh", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


def run(shell: tuple[str, ...], script: str, *words: object) -> subprocess.CompletedProcess[str]:
    argv = [*shell, "-c", script, "sh", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not asked how does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@in_every_shell
def test_process_is_asked_first_and_has_ended_afterwards(
    shell: tuple[str, ...], started: list[subprocess.Popen[str]]
) -> None:
    polite, other = start(started, _POLITE), start(started, _POLITE)
    # The test is the parent and has not asked how they ended: they count as gone nevertheless.
    assert end(shell, "TERM", 100, polite.pid).returncode == 0
    assert not is_there(polite.pid)
    assert polite.communicate()[0] == "asked\n"
    assert is_there(other.pid)


@in_every_shell
def test_only_what_does_not_end_in_time_is_killed(shell: tuple[str, ...], started: list[subprocess.Popen[str]]) -> None:
    deaf, polite = start(started, _DEAF), start(started, _POLITE)
    begun = time.monotonic()
    # 60 twentieths of a second: on a busy computer, the polite one needs its time to end.
    assert end(shell, "TERM", 60, deaf.pid, polite.pid).returncode == 0
    assert time.monotonic() - begun >= 2.4
    assert (deaf.wait(), polite.wait()) == (-signal.SIGKILL, 0)


@in_every_shell
def test_process_that_cannot_be_ended_is_reported(shell: tuple[str, ...], started: list[subprocess.Popen[str]]) -> None:
    deaf = start(started, _DEAF)
    # Nothing gets through to it.
    assert end(shell, "KILL", 3, deaf.pid, before="kill() { :; }").returncode == 1
    assert is_there(deaf.pid)


_ANOTHER_GETS_THE_NUMBER = """
sleep 600 &
asked=$!
sleep 0.1
kill() {
    command kill "$@"
    wait "$3" 2> /dev/null
    echo "$(($3 - 1))" > /proc/sys/kernel/ns_last_pid
    sleep 600 &
    [ "$!" = "$3" ] && echo "another one has its number"
}
"""
_WHAT_IS_LEFT = """
unset -f kill
kill -0 "$asked" && echo "it was left alone"
kill "$asked"
"""


@in_every_shell
def test_another_process_that_gets_the_number_meanwhile_is_left_alone(shell: tuple[str, ...]) -> None:
    if os.geteuid() != 0:
        pytest.skip("a namespace of processes needs root")
    ending = 'end_processes TERM 2 "$asked" && echo gone'
    script = f"{_ANOTHER_GETS_THE_NUMBER}\n{host_script('end-processes.sh')}\n{ending}\n{_WHAT_IS_LEFT}"
    argv = ["unshare", "--pid", "--fork", "--mount-proc", *shell, "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.splitlines() == ["another one has its number", "gone", "it was left alone"], done.stderr


@in_every_shell
def test_a_process_that_has_ended_already_stops_no_script(shell: tuple[str, ...]) -> None:
    done = end(shell, "TERM", 2, 2**22 - 1, before="set -e")
    assert done.returncode == 0, done.stderr


@in_every_shell
def test_where_there_is_nothing_to_end_nothing_is_waited_for(shell: tuple[str, ...]) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    waits = "sleep() { echo waited; }"
    for words in ((), (gone.pid,)):
        done = end(shell, "KILL", 20, *words, before=waits)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@in_every_shell
def test_time_is_kept_where_sleep_knows_whole_seconds_only(
    shell: tuple[str, ...], started: list[subprocess.Popen[str]]
) -> None:
    deaf = start(started, _DEAF)
    whole = "kill() { :; }\nsleep() { case $1 in *.*) return 1 ;; esac; echo waited; }"
    assert end(shell, "KILL", 40, deaf.pid, before=whole).stdout.split() == ["waited"] * 4


@in_every_shell
def test_daemon_is_known_by_a_word_of_its_command_line_and_ends_with_its_children(
    shell: tuple[str, ...], tmp_path: Path, started: list[subprocess.Popen[str]]
) -> None:
    ours, theirs = (str(tmp_path / name) for name in ("ours.conf", "theirs.conf"))
    with_child = "sleep 600 & echo $! > $1; echo up; wait"
    daemon = start(started, with_child, "sh", f"{ours}.pid")
    other = start(started, with_child, "sh", f"{theirs}.pid")
    leftover = tmp_path / "left"
    leftover.touch()
    name = Path(f"/proc/{daemon.pid}/comm").read_text().strip()
    done = run(shell, adapter_script("shared", "end-daemon.sh"), "TERM", name, ours, leftover)
    assert (done.returncode, done.stderr) == (0, "")
    child, other_child = (int(Path(f"{conf}.pid").read_text()) for conf in (ours, theirs))
    assert [is_there(pid) for pid in (daemon.pid, child, other.pid, other_child)] == [False, False, True, True]
    assert not leftover.exists()
    # There is none any more.
    assert run(shell, adapter_script("shared", "end-daemon.sh"), "KILL", name, ours).returncode == 0


@in_every_shell
def test_server_is_ended_by_its_name_and_no_other_process_with_its_number(
    shell: tuple[str, ...], tmp_path: Path, started: list[subprocess.Popen[str]]
) -> None:
    program = tmp_path / "iperf3"
    program.symlink_to(sys.executable)
    waiting = "import time; print('up', flush=True); time.sleep(600)"
    server = start(started, 'exec "$0" -c "$1"', str(program), waiting)
    other = start(started, _POLITE)
    assert Path(f"/proc/{server.pid}/comm").read_text() == "iperf3\n"
    (tmp_path / "quick.pid").write_text(f"{other.pid}\n")
    assert run(shell, bare_script("probes/smoke-end.sh"), tmp_path).returncode == 0
    assert is_there(other.pid)
    assert run(shell, bare_script("probes/iperf-gone.sh"), other.pid, server.pid).returncode == 0
    wait_until(lambda: not is_there(server.pid), "the server has ended")
    assert is_there(other.pid)
    assert run(shell, bare_script("probes/smoke-end.sh"), tmp_path / "none").returncode == 0


def stub(folder: Path, name: str, text: str) -> None:
    """Put a program into a folder."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@in_every_shell
def test_captures_may_write_to_the_end(
    shell: tuple[str, ...], tmp_path: Path, started: list[subprocess.Popen[str]]
) -> None:
    (tmp_path / "tcpdump").symlink_to(sys.executable)
    capture = (
        "import signal, sys, time\n"
        "def end(*_words):\n"
        "    open(sys.argv[1], 'ab').write(b'END')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGINT, end)\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    file = tmp_path / "wire-underlay.pcap"
    file.write_bytes(b"last mark")
    tcpdump = start(started, 'exec "$0" -c "$1" "$2"', str(tmp_path / "tcpdump"), capture, str(file))
    other = start(started, _POLITE)
    words = (tmp_path, "last mark", "", "", "", tcpdump.pid, other.pid)
    done = run(shell, bare_script("capture/collect.sh"), *words)
    assert done.stdout.splitlines()[0] == "#pcap underlay"
    assert bytes.fromhex("".join(done.stdout.split()[2:])) == b"last markEND"
    assert (is_there(tcpdump.pid), is_there(other.pid), file.exists()) == (False, True, False)


@in_every_shell
def test_proxy_is_ended_and_no_other_process_with_its_number(
    shell: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[str]]
) -> None:
    stub(tmp_path, "nft", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    program = str(tmp_path / "proxy.pl")
    proxy, other = start(started, _POLITE, "sh", program), start(started, _POLITE)
    for process in (other, proxy):
        notes = tmp_path / "notes"
        notes.mkdir()
        (notes / "pid").write_text(f"{process.pid}\n")
        assert run(shell, bare_script("nodes/proxy-down.sh"), notes, program, "table").returncode == 0
        assert not notes.exists()
    assert [is_there(one.pid) for one in (proxy, other)] == [False, True]


@in_every_shell
def test_what_runs_in_a_node_ends_before_the_node(
    shell: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[str]]
) -> None:
    asked, late = start(started, _POLITE), start(started, _DEAF)
    # The second list has what was started after the first.
    (tmp_path / "pids").write_text(f"{asked.pid}\n{late.pid}\n")
    stub(tmp_path, "ip", f'[ "$1 $2" = "netns pids" ] || exit 0\nsed -n 1p {tmp_path}/pids\nsed -i 1d {tmp_path}/pids')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    notes = tmp_path / "notes"
    notes.mkdir()
    assert run(shell, bare_script("nodes/remove.sh"), "tm-no-such-node", notes).returncode == 0
    assert not notes.exists()
    assert (asked.wait(), late.wait()) == (0, -signal.SIGKILL)
