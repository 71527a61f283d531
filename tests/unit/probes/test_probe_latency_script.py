"""The script that pings, with a program in the place of ping, under the shells that hosts have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import host_script

SHELLS = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh"), ("bash", "--posix")], ids=lambda one: one[0])

_PING = """#!/bin/sh
# Answers each request after a time that is read from the file `rtts`, one line per run: first half, second half in ms.
cd "$(dirname "$0")" || exit 2
run=$(cat runs 2>/dev/null || echo 0)
run=$((run + 1))
echo "$run" >runs
first=1 second=1
line=$(sed -n "${run}p" rtts)
[ -z "$line" ] || { set -- "$@" "$line"; for last in "$@"; do :; done; first=${last% *} second=${last#* }; }
while [ "$1" != -c ]; do shift; done
count=$2 seq=0
if [ "$first" = none ]; then
    echo "From 192.0.2.1 icmp_seq=1 Destination Host Unreachable"
    echo "$count packets transmitted, 0 received, 100% packet loss, time 1ms"
    exit 1
fi
while [ "$seq" -lt "$count" ]; do
    seq=$((seq + 1)) rtt=$second
    [ "$seq" -gt "$((count / 2))" ] || rtt=$first
    echo "64 bytes from 192.0.2.2: icmp_seq=$seq ttl=64 time=$rtt ms"
done
echo "$count packets transmitted, $count received, 0% packet loss, time 1ms"
"""


def run(shell: tuple[str, ...], folder: Path, rtts: str, *, warm_s: int = 60) -> list[str]:
    """Run the script; no run of the warm-up begins after `warm_s`, longer than a busy computer takes for them."""
    ping = folder / "ping"
    ping.write_text(_PING, "ascii")
    ping.chmod(0o755)
    (folder / "rtts").write_text(rtts, "ascii")
    words = ("300", "18 1472", "192.0.2.2", "20", "5", str(warm_s), "30", "0", str(ping), "-A")
    script = host_script("probes/latency.sh")
    done = subprocess.run(
        [*shell, "-c", script, "tunnelmark", *words], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.splitlines()


def runs(folder: Path) -> int:
    return int((folder / "runs").read_text("ascii"))


@SHELLS
def test_the_warm_up_is_repeated_until_it_gets_no_faster(shell: tuple[str, ...], tmp_path: Path) -> None:
    lines = run(shell, tmp_path, "9.0 6.0\n4.0 2.0\n1.00 0.96\n")

    assert runs(tmp_path) == 3 + 2
    assert "#unsteady" not in lines
    assert [line for line in lines if line.startswith("#warm-up")] == ["#warm-up 1000 960"]
    assert f"#requests {3 * 20}" in lines
    # What the warm-up printed does not cross.
    assert len([line for line in lines if " bytes from " in line]) == 60
    assert [line for line in lines if line.startswith("@window")] == ["@window 18 0 30", "@window 1472 0 30"]


def test_a_second_half_that_is_slower_is_no_cold_start(tmp_path: Path) -> None:
    lines = run(("dash",), tmp_path, "1.0 1.3\n")

    assert runs(tmp_path) == 1 + 2
    assert "#unsteady" not in lines


@SHELLS
def test_a_warm_up_that_never_gets_steady_ends_and_is_reported(shell: tuple[str, ...], tmp_path: Path) -> None:
    lines = run(shell, tmp_path, "9.0 6.0\n" * 10, warm_s=0)

    assert "#unsteady" in lines
    assert "#warm-up 9000 6000" in lines
    assert runs(tmp_path) == 1 + 2


@SHELLS
def test_a_warm_up_without_replies_is_printed(shell: tuple[str, ...], tmp_path: Path) -> None:
    lines = run(shell, tmp_path, "none none\n")

    begin, end = (next(n for n, line in enumerate(lines) if line.startswith(mark)) for mark in ("@start", "@exit"))
    assert lines[begin + 1] == "From 192.0.2.1 icmp_seq=1 Destination Host Unreachable"
    assert lines[end] == "@exit warm-up 1"
    assert "#warm-up 0 100000" in lines


def test_windows_of_a_slow_path_are_short(tmp_path: Path) -> None:
    lines = run(("dash",), tmp_path, "150 150\n")

    assert next(line for line in lines if line.startswith("@window 18 ")) == "@window 18 0 10"
