"""Gateways that boot, reboot, lose their power and come back, on a lab of their own without AES instructions."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path
from program import PROGRAM

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.lab import Lab, LabManager
from support.lab_power import power_off, power_on

NAME = "power"
BACK_S = 240.0


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("power")


@pytest.fixture(scope="module")
def labs(has_qemu: None, own_home: Path) -> LabManager:
    return LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=own_home / "labs")


@pytest.fixture(scope="module")
def victim(labs: LabManager, own_home: Path) -> Iterator[Lab]:
    """A lab that the program starts and takes down as users do."""

    def tunnelmark(*words: str) -> str:
        environment = {**os.environ, "TUNNELMARK_HOME": str(own_home)}
        done = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    tunnelmark("lab", "up", "--name", NAME, "--cpu", "no-aes", "--cold")
    lab = labs.find(NAME)
    assert lab is not None
    yield lab
    pids = labs.status()[0].pids
    tunnelmark("lab", "down", "--name", NAME)
    assert json.loads(tunnelmark("lab", "status", "--json"))["labs"] == []
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids if pid)


def try_run(lab: Lab, side: Side, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [*lab.ssh_argv(side), *words]
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def run(lab: Lab, side: Side, *words: str) -> str:
    done = try_run(lab, side, *words)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def wait_until(condition: Callable[[], bool], what: str) -> None:
    CancelToken().wait_for(condition, timeout_s=BACK_S, what=what, interval_s=0.5)


def boot_id(lab: Lab, side: Side) -> str:
    return try_run(lab, side, "cat", "/proc/sys/kernel/random/boot_id").stdout.strip()


def assert_link_works(lab: Lab) -> None:
    """Both directions, and more data than any queue holds."""
    for side in Side:
        address = lab.pair.underlay(side.other)
        assert " 0% packet loss" in run(lab, side, "ping", "-q", "-c", "50", "-i", "0.02", "-s", "1400", address)


@pytest.mark.full
def test_the_cpu_has_no_aes_instructions(victim: Lab) -> None:
    for side in Side:
        flags = set(re.findall(r"[a-z0-9_]+", run(victim, side, "grep", "-m1", "^flags", "/proc/cpuinfo")))
        assert not flags & {"aes", "vaes"}
        assert "sse2" in flags


@pytest.mark.full
def test_a_reboot_is_a_reboot_and_off_from_within_is_off_and_the_link_comes_back(victim: Lab, labs: LabManager) -> None:
    before = {side: boot_id(victim, side) for side in Side}
    pids = labs.status()[0].pids
    run(victim, Side.A, "touch /root/kept && touch /run/gone && sync")
    try_run(victim, Side.A, "systemctl reboot")
    try_run(victim, Side.B, "systemctl poweroff")
    wait_until(lambda: labs.status()[0].is_running == (True, False), "the gateway to switch itself off")
    power_on(labs, NAME, Side.B)
    wait_until(lambda: boot_id(victim, Side.A) not in ("", before[Side.A]), "the other gateway to come back")
    assert boot_id(victim, Side.B) not in ("", before[Side.B])
    assert labs.status()[0].is_running == (True, True)
    assert labs.status()[0].pids[0] == pids[0]
    assert run(victim, Side.A, "ls /root/kept; ls /run/gone 2> /dev/null; true") == "/root/kept\n"
    assert_link_works(victim)


@pytest.mark.full
@pytest.mark.parametrize("side", [Side.B])
def test_power_can_be_lost_at_once(victim: Lab, labs: LabManager, side: Side) -> None:
    other, before = boot_id(victim, side.other), boot_id(victim, side)
    run(victim, side, "echo synced > /root/synced && sync && echo lost > /root/unsynced")
    asked_at = time.monotonic()
    power_off(labs, NAME, side)
    assert time.monotonic() - asked_at < 5
    assert try_run(victim, side, "true").returncode == 255
    # The other one goes on, and what it sends meanwhile neither blocks it nor arrives later.
    lost = try_run(victim, side.other, "ping", "-q", "-c", "100", "-i", "0.01", "-W", "1", victim.pair.underlay(side))
    assert "100% packet loss" in lost.stdout
    power_on(labs, NAME, side)
    assert labs.status()[0].is_running == (True, True)
    assert boot_id(victim, side) != before
    assert boot_id(victim, side.other) == other
    assert run(victim, side, "cat", "/root/synced") == "synced\n"
    assert_link_works(victim)


@pytest.mark.full
def test_nothing_of_an_interrupted_image_is_left(has_qemu: None, tmp_path: Path) -> None:
    """kill -9 while mmdebstrap works: it ends, its temporary tree is gone, and so is our folder."""
    token = CancelToken()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    script = (
        "import sys; from pathlib import Path;"
        "from app.domain.cancel import CancelToken; from app.lab import LabManager;"
        "LabManager(cache_dir=Path(sys.argv[1]), state_dir=Path(sys.argv[2])).ensure_image('debian-13',"
        " token=CancelToken(), on_progress=lambda step: print(step.text, flush=True))"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "cache"), str(tmp_path / "labs")]
    with subprocess.Popen(
        words,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as maker:
        assert maker.stdout is not None
        for line in maker.stdout:
            if line.startswith("Unpacking the system"):
                maker.send_signal(signal.SIGKILL)
    token.wait_for(lambda: list(temporary.iterdir()) == [], timeout_s=60, what="mmdebstrap to clean up")
    assert list((tmp_path / "cache/lab").iterdir()) == []
