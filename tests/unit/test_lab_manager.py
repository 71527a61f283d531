"""Labs from start to end with programs that stand in for QEMU and ssh: who lives, who dies, and what is left."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, DiskFull, InvalidOption, LabFault, NotFound
from app.domain.hosts import Side
from app.lab import ImagePaths, Lab, LabManager, LabProgress, LabSpec
from app.lab import manager as manager_module

ROOT = Path(__file__).parents[2]
WAIT_S = 20.0

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs openssh-client")

# What QEMU does as far as a lab can tell: write to the console, listen on a port, receive frames, last.
FAKE_QEMU = f"""#!{sys.executable} -I
import os, re, socket, sys
line = " ".join(sys.argv)
console = re.search(r"path=(console-\\S+?\\.log)", line)[1]
port = int(re.search(r"127\\.0\\.0\\.1:(\\d+)-", line)[1])
descriptor = int(re.search(r"local\\.str=(\\d+)", line)[1])
mode = open(os.environ["FAKE_MODE"]).read()
if "dies" in mode:
    sys.exit("qemu: no memory")
listener = socket.socket()
try:
    listener.bind(("127.0.0.1", port))
except OSError:
    sys.exit("qemu: Could not set up host forwarding rule")
with open(console, "a") as file:
    file.write("[    0.1] \\x1b[1mLinux\\x1b[0m boots\\n" + ("" if "silent" in mode else "TUNNELMARK-READY\\n"))
link = socket.socket(fileno=descriptor)
while True:
    frame = link.recv(65536)
    with open(console, "a") as file:
        file.write(f"frame {{frame.decode()}}\\n")
"""

FAKE_SSH = """#!/bin/sh
if grep -q hangs "$FAKE_MODE"; then exec sleep 600; fi
if grep -q refuses "$FAKE_MODE"; then echo 'Permission denied' >&2; exit 255; fi
"""


@pytest.fixture
def mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the stand-ins on the path; the file says how they behave."""
    programs = tmp_path / "bin"
    programs.mkdir()
    contents = {"qemu-system-x86_64": FAKE_QEMU, "qemu-img": "#!/bin/sh\n", "ssh": FAKE_SSH}
    for name, content in contents.items():
        (programs / name).write_text(content)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    path = tmp_path / "mode"
    path.write_text("works")
    monkeypatch.setenv("FAKE_MODE", str(path))
    return path


class FakeImages(LabManager):
    """Has an image for every platform."""

    def ensure_image(self, platform: str, **_: object) -> ImagePaths:
        folder = self._cache_dir / "lab" / platform
        folder.mkdir(parents=True, exist_ok=True)
        return ImagePaths(folder)


@pytest.fixture
def labs(mode: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeImages:
    monkeypatch.setattr(manager_module, "choose_accelerator", lambda *_, **__: "tcg")
    return FakeImages(cache_dir=tmp_path / "cache", state_dir=tmp_path / "labs", boot_timeout_s=WAIT_S)


def ignore(_: LabProgress) -> None:
    return


def up(labs: LabManager, name: str = "one", token: CancelToken | None = None) -> Lab:
    return labs.up(LabSpec(name), token=token or CancelToken(), on_progress=ignore, is_owned=True)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    CancelToken().wait_for(condition, timeout_s=WAIT_S, what=what)


def processes_of(folder: Path) -> list[int]:
    """Return the processes that work in a folder or name it on their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            works_in = str((process / "cwd").readlink())
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and (works_in.startswith(str(folder)) or str(folder).encode() in words):
            found.append(int(process.name))
    return found


def assert_nothing_is_left(labs_dir: Path) -> None:
    wait_for(lambda: not processes_of(labs_dir), "the lab's processes to end")
    assert list(labs_dir.iterdir()) == []


def test_a_lab_starts_is_found_and_ends(labs: FakeImages, tmp_path: Path) -> None:
    seen: list[LabProgress] = []
    lab = labs.up(LabSpec("one"), token=CancelToken(), on_progress=seen.append, is_owned=True)
    (status,) = labs.status()
    assert (status.name, status.is_running, status.owner_pid) == ("one", (True, True), os.getpid())
    assert status.ports == (lab.ports[Side.A], lab.ports[Side.B])
    assert labs.find("one") == lab
    assert labs.find("two") is None
    assert {step.stage for step in seen} == {"boot", "login"}
    assert seen[-1].fraction == 1.0
    labs.down("one")
    assert labs.status() == ()
    assert labs.find("one") is None
    assert_nothing_is_left(tmp_path / "labs")
    labs.down("one")  # once more is no error


def test_secrets_are_for_this_user_alone(labs: FakeImages) -> None:
    lab = up(labs)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [lab.folder, *lab.folder.iterdir()]}
    labs.down("one")
    assert modes["one"] == 0o700
    for name in ("passwords.json", "id_ed25519", "seed-a.tar", "seed-b.tar", "host-key-a", "host-key-b"):
        assert modes[name] == 0o600, name


def test_a_name_can_be_used_once_at_a_time(labs: FakeImages) -> None:
    first = up(labs)
    with pytest.raises(InvalidOption, match="running already"):
        up(labs)
    assert labs.find("one") == first
    labs.down("one")
    again = up(labs)
    labs.down("one")
    assert again.since > first.since


def test_several_labs_side_by_side(labs: FakeImages, tmp_path: Path) -> None:
    ports = {port for name in ("one", "two") for port in up(labs, name).ports.values()}
    assert len(ports) == 4
    assert [status.name for status in labs.status()] == ["one", "two"]
    labs.down("one")
    assert [status.name for status in labs.status()] == ["two"]
    labs.down("two")
    assert_nothing_is_left(tmp_path / "labs")


def test_either_gateway_can_lose_its_power_and_come_back(labs: FakeImages) -> None:
    lab = up(labs)
    for side in Side:
        before = labs.status()[0].pids
        labs.power_off("one", side)
        labs.power_off("one", side)  # once more changes nothing
        off = labs.status()[0]
        assert off.is_running == (side is Side.B, side is Side.A)
        labs.power_on("one", side, token=CancelToken(), on_progress=ignore)
        labs.power_on("one", side, token=CancelToken(), on_progress=ignore)
        after = labs.status()[0]
        assert after.is_running == (True, True)
        changed = [old != new for old, new in zip(before, after.pids, strict=True)]
        assert changed == [side is Side.A, side is Side.B]
    assert labs.find("one") == lab
    labs.down("one")


def test_a_guest_that_switches_itself_off_is_seen(labs: FakeImages) -> None:
    up(labs)
    pid = labs.status()[0].pids[0]
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    wait_for(lambda: labs.status()[0].is_running == (False, True), "A to be off")
    labs.power_on("one", Side.A, token=CancelToken(), on_progress=ignore)
    assert labs.status()[0].is_running == (True, True)
    labs.down("one")


def test_power_of_a_lab_that_is_not_there(labs: FakeImages) -> None:
    with pytest.raises(NotFound, match="No lab “one”"):
        labs.power_off("one", Side.A)


def test_a_taken_port_is_tried_again_with_another(labs: FakeImages, monkeypatch: pytest.MonkeyPatch) -> None:
    real = manager_module.free_ports
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        tries: list[list[int]] = []

        def ports(count: int) -> list[int]:
            tries.append([taken.getsockname()[1], *real(1)] if not tries else real(count))
            return tries[-1]

        monkeypatch.setattr(manager_module, "free_ports", ports)
        lab = up(labs)
    assert list(lab.ports.values()) == tries[1]
    assert labs.status()[0].is_running == (True, True)
    labs.down("one")


def test_ports_that_are_always_taken_end_in_a_clear_error(
    labs: FakeImages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(manager_module, "free_ports", lambda _: [port, port])
        with pytest.raises(LabFault, match=f"port {port} on 127.0.0.1 is in use"):
            up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_a_qemu_that_ends_says_why(labs: FakeImages, mode: Path, tmp_path: Path) -> None:
    mode.write_text("dies")
    with pytest.raises(LabFault, match=r"QEMU ended.*no memory"):
        up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_a_guest_that_never_comes_up_shows_its_console(labs: FakeImages, mode: Path, tmp_path: Path) -> None:
    mode.write_text("silent")
    impatient = FakeImages(cache_dir=tmp_path / "cache", state_dir=tmp_path / "labs", boot_timeout_s=2.0)
    with pytest.raises(LabFault, match=r"gateway A and gateway B did not come up within 2 s") as caught:
        up(impatient)
    assert caught.value.context["console_a"] == "[    0.1] [1mLinux[0m boots"
    assert caught.value.hint
    assert_nothing_is_left(tmp_path / "labs")


def test_a_guest_that_lets_nobody_in_says_so(
    labs: FakeImages, mode: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode.write_text("refuses")
    monkeypatch.setattr("app.lab.boot._LOGIN_TIMEOUT_S", 0.5)
    with pytest.raises(LabFault, match="nobody can log in: Permission denied"):
        up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_cancelling_the_start_leaves_nothing(labs: FakeImages, mode: Path, tmp_path: Path) -> None:
    mode.write_text("silent")
    token = CancelToken()
    with pytest.raises(Cancelled):
        labs.up(LabSpec("one"), token=token, on_progress=lambda _: token.cancel(), is_owned=False)
    assert_nothing_is_left(tmp_path / "labs")


def test_cancelling_while_a_login_hangs_takes_no_time(labs: FakeImages, mode: Path, tmp_path: Path) -> None:
    mode.write_text("hangs")
    token = CancelToken()
    timer = threading.Timer(0.3, token.cancel)

    def cancel_soon(step: LabProgress) -> None:
        if step.stage == "login":
            timer.start()

    started_at = time.monotonic()
    with pytest.raises(Cancelled):
        labs.up(LabSpec("one"), token=token, on_progress=cancel_soon, is_owned=False)
    timer.join()
    assert time.monotonic() - started_at < 10
    assert_nothing_is_left(tmp_path / "labs")


def test_a_missing_qemu_is_named(labs: FakeImages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabFault) as caught:
        up(labs)
    assert "apt-get install qemu-system-x86" in caught.value.hint


def test_too_little_space_for_a_lab(labs: FakeImages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager_module, "_NEEDED_STATE_BYTES", 1 << 60)
    with pytest.raises(DiskFull, match="running a practice lab"):
        up(labs)


def test_a_folder_that_cannot_be_used_is_a_fault(labs: FakeImages, tmp_path: Path) -> None:
    (tmp_path / "labs").write_text("a file")
    with pytest.raises(LabFault, match="while starting the lab “one”"):
        up(labs)


def test_what_a_dead_lab_left_is_removed(labs: FakeImages, tmp_path: Path) -> None:
    for name in ("one", "dead"):
        folder = tmp_path / "labs" / name
        folder.mkdir(parents=True)
        (folder / "control.sock").touch()
    assert labs.find("dead") is None
    assert list((tmp_path / "labs").iterdir()) == []
    (tmp_path / "labs" / "one").mkdir()
    up(labs)
    labs.down("one")


def test_the_machines_die_with_a_killed_supervisor(labs: FakeImages, tmp_path: Path) -> None:
    lab = up(labs)
    os.kill(int((lab.folder / "supervisor.pid").read_text()), signal.SIGKILL)
    wait_for(lambda: not processes_of(lab.folder), "QEMU to end")
    assert labs.status() == ()
    assert_nothing_is_left(tmp_path / "labs")


def test_a_hanging_supervisor_is_killed(labs: FakeImages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = up(labs)
    monkeypatch.setattr("app.lab.folders._DOWN_TIMEOUT_S", 0.5)
    monkeypatch.setattr("app.lab.control._ANSWER_TIMEOUT_S", 0.2)
    os.kill(int((lab.folder / "supervisor.pid").read_text()), signal.SIGSTOP)
    labs.down("one")
    assert_nothing_is_left(tmp_path / "labs")


def test_frames_to_a_gateway_without_power_are_lost_and_block_nobody(labs: FakeImages) -> None:
    lab = up(labs)
    labs.power_off("one", Side.A)
    pid_b = labs.status()[0].pids[1]
    assert pid_b is not None
    end = _underlay_of(pid_b)
    for number in range(500):
        _send_as(end, f"lost{number}")
    labs.power_on("one", Side.A, token=CancelToken(), on_progress=ignore)
    _send_as(end, "arrives")
    console = lab.folder / "console-a.log"
    wait_for(lambda: "frame arrives" in console.read_text(), "the frame")
    seen = console.read_text()
    os.close(end)
    labs.down("one")
    assert "lost" not in seen


def _underlay_of(pid: int) -> int:
    """Return a copy of the socket that a stand-in for QEMU has as its underlay."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    number = int(words.partition("local.str=")[2].partition("\0")[0])
    process = os.pidfd_open(pid)
    try:
        return _pidfd_getfd(process, number)
    finally:
        os.close(process)


def _pidfd_getfd(process: int, number: int) -> int:
    import ctypes

    syscall_number = 438  # Source: pidfd_getfd(2), the same on every architecture
    copy = ctypes.CDLL(None, use_errno=True).syscall(syscall_number, process, number, 0)
    if copy < 0:
        pytest.skip("this kernel does not let one process copy another's descriptors")
    return int(copy)


def _send_as(end: int, text: str) -> None:
    with socket.socket(fileno=os.dup(end)) as link:
        # Not settimeout(), which would change the mode of the socket that the machine itself reads from.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(WAIT_S), 0))
        link.send(text.encode())


OWNER = """
    import sys, time
    from pathlib import Path
    from app.domain.cancel import CancelToken
    from app.lab import ImagePaths, LabManager, LabSpec, manager
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
def test_an_owned_lab_dies_with_its_owner(labs: FakeImages, tmp_path: Path, number: signal.Signals) -> None:
    with start_owner(tmp_path, "owned", "stay") as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        assert len(processes_of(tmp_path / "labs")) == 3  # the supervisor and two machines
        owner.send_signal(number)
    assert_nothing_is_left_soon(tmp_path / "labs")


@pytest.mark.parametrize("end", ["raise", "return"])
def test_an_owned_lab_ends_when_its_owner_returns(labs: FakeImages, tmp_path: Path, end: str) -> None:
    with start_owner(tmp_path, "owned", end) as owner:
        owner.wait(WAIT_S)
    assert_nothing_is_left_soon(tmp_path / "labs")


def test_any_lab_dies_with_its_starter_until_it_is_up(labs: FakeImages, mode: Path, tmp_path: Path) -> None:
    mode.write_text("silent")
    with start_owner(tmp_path, "lasting", "return") as starter:
        wait_for(lambda: bool(labs.status()), "the lab")
        (status,) = labs.status()
        assert (status.is_starting, status.is_running) == (True, (False, False))
        with pytest.raises(LabFault, match="still starting"):
            labs.find("one")
        starter.kill()
    assert_nothing_is_left_soon(tmp_path / "labs")


def test_a_lasting_lab_outlives_its_starter(labs: FakeImages, tmp_path: Path) -> None:
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


def assert_nothing_is_left_soon(labs_dir: Path) -> None:
    """The owner is dead; nobody helps any more, not even by asking for the status."""
    started_at = time.monotonic()
    wait_for(lambda: not list(labs_dir.iterdir()), "the folder to be removed")
    assert_nothing_is_left(labs_dir)
    assert time.monotonic() - started_at < WAIT_S
