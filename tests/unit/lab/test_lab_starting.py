"""Labs that cannot start, or whose start is broken off: what is reported, and what is left."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, DiskFull, LabFault
from app.lab import LabProgress, LabSpec
from app.lab import manager as manager_module
from app.lab.messages import (
    BOOTING_INSTEAD,
    GATEWAYS_TOO_SLOW,
    LAB_PORT_TAKEN,
    LAB_PROGRAM_MISSING,
    NO_LOGIN,
    QEMU_ENDED,
    RUNNING_LAB,
    SPACE_TOO_LITTLE,
    STARTING_LAB,
)
from support.message_checks import has_message
from support.pretended_lab import PretendedLabs, assert_nothing_is_left, needs_ssh_keygen, pretended_labs, up

pytestmark = needs_ssh_keygen


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    return pretended_labs(tmp_path, monkeypatch)


def test_a_taken_port_is_tried_again_with_another(labs: PretendedLabs, monkeypatch: pytest.MonkeyPatch) -> None:
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
    labs: PretendedLabs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(manager_module, "free_ports", lambda _: [port, port])
        with pytest.raises(LabFault, check=has_message(LAB_PORT_TAKEN, port=str(port))):
            up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_a_qemu_that_ends_says_why(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("dies")
    with pytest.raises(LabFault, match="no memory", check=has_message(QEMU_ENDED, lab="one")):
        up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_a_guest_that_never_comes_up_shows_its_console(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("silent")
    labs.wait_for_a_boot(0.1)

    def be_patient(step: LabProgress) -> None:
        if has_message(BOOTING_INSTEAD)(step.text):  # the one that was to be saved did not come up, either
            labs.wait_for_a_boot(12.0)

    with pytest.raises(
        LabFault, check=has_message(GATEWAYS_TOO_SLOW, gateways="gateway A and gateway B", seconds=12.0)
    ) as caught:
        labs.up(LabSpec("one"), token=CancelToken(), on_progress=be_patient, is_owned=True)
    assert caught.value.context["console_a"] == "[    0.1] [1mLinux[0m boots"
    assert caught.value.hint
    assert_nothing_is_left(tmp_path / "labs")


def test_a_guest_that_lets_no_one_in_says_so(
    labs: PretendedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labs.behave("refuses")
    monkeypatch.setattr("app.lab.boot._LOGIN_TIMEOUT_S", 0.5)
    with pytest.raises(LabFault, match="Permission denied", check=has_message(NO_LOGIN, lab="one")):
        up(labs)
    assert_nothing_is_left(tmp_path / "labs")


def test_cancelling_the_start_leaves_nothing(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("silent")
    token = CancelToken()
    with pytest.raises(Cancelled):
        labs.up(LabSpec("one"), token=token, on_progress=lambda _: token.cancel(), is_owned=False)
    assert_nothing_is_left(tmp_path / "labs")


def test_cancelling_while_a_login_hangs_takes_no_time(labs: PretendedLabs, tmp_path: Path) -> None:
    labs.behave("hangs")
    token = CancelToken()
    timer = threading.Timer(0.3, token.cancel)

    login_at: list[float] = []

    def cancel_soon(step: LabProgress) -> None:
        if step.stage == "login":
            login_at.append(time.monotonic())
            timer.start()

    with pytest.raises(Cancelled):
        labs.up(LabSpec("one"), token=token, on_progress=cancel_soon, is_owned=False)
    timer.join()
    assert time.monotonic() - login_at[0] < 30, "a login has a minute"
    assert_nothing_is_left(tmp_path / "labs")


def test_a_missing_qemu_is_named(labs: PretendedLabs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabFault, check=has_message(LAB_PROGRAM_MISSING, package="qemu-system-x86")):
        up(labs)


def test_too_little_space_for_a_lab(labs: PretendedLabs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager_module, "_NEEDED_STATE_BYTES", 1 << 60)
    with pytest.raises(DiskFull, check=has_message(SPACE_TOO_LITTLE, what=RUNNING_LAB())):
        up(labs)


def test_a_folder_that_cannot_be_used_is_a_fault(labs: PretendedLabs, tmp_path: Path) -> None:
    (tmp_path / "labs").write_text("a file")
    with pytest.raises(LabFault, check=has_message(STARTING_LAB, lab="one")):
        up(labs)
