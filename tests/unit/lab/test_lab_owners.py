"""Lifetimes of processes that belong together: a lab, its supervisor, and the program that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from app.domain.errors import LabFault
from app.lab import LabStatus
from app.lab.messages import LAB_STARTS
from support.message_checks import has_message
from support.pretended_lab import (
    WAIT_S,
    PretendedLabs,
    assert_nothing_is_left,
    needs_ssh_keygen,
    pretended_labs,
    processes_of,
    up,
)
from support.waiting import wait_until

ROOT = Path(__file__).parents[3]

pytestmark = needs_ssh_keygen


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    return pretended_labs(tmp_path, monkeypatch)


def test_the_machines_die_with_a_killed_supervisor(labs: PretendedLabs, tmp_path: Path) -> None:
    lab = up(labs)
    os.kill(int((lab.folder / "supervisor.pid").read_text()), signal.SIGKILL)
    wait_until(lambda: not processes_of(lab.folder), "QEMU to end", WAIT_S)
    assert labs.status() == ()
    assert_nothing_is_left(tmp_path / "labs")


def test_a_hanging_supervisor_is_killed(labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = up(labs)
    monkeypatch.setattr("app.lab.folders._DOWN_TIMEOUT_S", 0.5)
    monkeypatch.setattr("app.lab.control._ANSWER_TIMEOUT_S", 0.2)
    os.kill(int((lab.folder / "supervisor.pid").read_text()), signal.SIGSTOP)
    labs.down("one")
    assert_nothing_is_left(tmp_path / "labs")


OWNER = """
    import signal, sys, time
    from pathlib import Path
    from app.domain.cancel import CancelToken
    from app.lab import ImagePaths, LabManager, LabSpec, manager
    # As in a terminal, even where these tests run in the background of a shell or below nohup, which ignore them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    manager.choose_accelerator = lambda *_, **__: "tcg"
    base = Path(sys.argv[1])
    (base / "cache/lab/x").mkdir(parents=True, exist_ok=True)
    LabManager.ensure_image = lambda *_, **__: ImagePaths(base / "cache/lab/x")
    labs = LabManager(cache_dir=base / "cache", state_dir=base / "labs")
    labs.up(LabSpec("one"), token=CancelToken(), on_progress=lambda _: None, is_owned=sys.argv[2] == "owned")
    print("up", flush=True)
    if sys.argv[3] == "stay":
        time.sleep(600)
    if sys.argv[3] == "raise":
        raise SystemExit("an exception")
"""


def start_owner(base: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(OWNER), str(base), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_owned_lab_dies_with_its_owner(labs: PretendedLabs, tmp_path: Path, number: signal.Signals) -> None:
    with start_owner(tmp_path, "owned", "stay") as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        wait_until(lambda: len(processes_of(tmp_path / "labs")) == 3, "the supervisor and two machines alone")
        owner.send_signal(number)
    assert_nothing_is_left_soon(tmp_path / "labs")


@pytest.mark.parametrize("end", ["raise", "return"])
def test_an_owned_lab_ends_when_its_owner_returns(labs: PretendedLabs, tmp_path: Path, end: str) -> None:
    with start_owner(tmp_path, "owned", end) as owner:
        owner.wait(WAIT_S)
    assert_nothing_is_left_soon(tmp_path / "labs")


def test_any_lab_dies_with_its_starter_until_it_is_up(labs: PretendedLabs, tmp_path: Path) -> None:
    with start_owner(tmp_path, "owned", "return") as first:
        first.wait(WAIT_S)  # a machine is saved by then
    assert_nothing_is_left_soon(tmp_path / "labs")
    labs.behave("silent")
    with start_owner(tmp_path, "lasting", "return") as starter:
        seen: list[LabStatus] = []

        def has_begun() -> bool:
            seen[:] = labs.status()  # a lab that does not answer at once is left out
            return bool(seen)

        wait_until(has_begun, "the lab", WAIT_S)
        (status,) = seen
        assert (status.is_starting, status.is_running) == (True, (False, False))
        with pytest.raises(LabFault, check=has_message(LAB_STARTS, lab="one")):
            labs.find("one")
        starter.kill()
    assert_nothing_is_left_soon(tmp_path / "labs")


def test_a_kept_lab_outlives_its_starter(labs: PretendedLabs, tmp_path: Path) -> None:
    with start_owner(tmp_path, "lasting", "return") as starter:
        starter.wait(WAIT_S)
        try:
            os.killpg(starter.pid, signal.SIGKILL)  # as when its terminal is closed
        except ProcessLookupError:
            pass
    (status,) = labs.status()
    assert (status.is_running, status.owner_pid) == ((True, True), None)
    labs.down("one")
    assert_nothing_is_left(tmp_path / "labs")


def test_a_machine_that_boots_to_be_saved_dies_with_its_starter(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("silent")
    building = tmp_path / "cache/lab/x/machines/.building"
    with start_owner(tmp_path, "owned", "return") as starter:
        wait_until((building / "console-a.log").exists, "the machine", WAIT_S)
        starter.kill()
    wait_until(lambda: not processes_of(building), "QEMU to end", WAIT_S)
    wait_until(lambda: not building.exists(), "the folder to be removed", WAIT_S)


def assert_nothing_is_left_soon(labs_dir: Path) -> None:
    """The owner is dead; nothing helps any more, not even a request for the status."""
    started_at = time.monotonic()
    wait_until(lambda: not list(labs_dir.iterdir()), "the folder to be removed", WAIT_S)
    assert_nothing_is_left(labs_dir)
    assert time.monotonic() - started_at < WAIT_S
