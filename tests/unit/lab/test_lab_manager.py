"""Labs from start to end with programs that replace QEMU and ssh: what they are, and what their power does."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import Side
from app.lab import Lab, LabProgress, LabSpec
from app.lab.messages import LAB_TAKEN, LAB_UNKNOWN
from app.lab.spec import LabNode
from support.lab_power import power_off, power_on
from support.message_checks import has_message
from support.pretended_lab import (
    WAIT_S,
    PretendedLabs,
    assert_nothing_is_left,
    needs_ssh_keygen,
    pretended_labs,
    up,
)
from support.waiting import wait_until

pytestmark = needs_ssh_keygen


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    return pretended_labs(tmp_path, monkeypatch)


def test_a_lab_starts_is_found_and_ends(labs: PretendedLabs, tmp_path: Path) -> None:
    seen: list[LabProgress] = []
    lab = labs.up(LabSpec("one"), token=CancelToken(), on_progress=seen.append, is_owned=True)
    (status,) = labs.status()
    assert (status.name, status.is_running, status.owner_pid) == ("one", (True, True), os.getpid())
    assert status.ports == (lab.ports[Side.A], lab.ports[Side.B])
    assert labs.find("one") == lab
    assert lab.accelerator is not None
    assert lab.pair.machines[0].split()[0] == "debian-13"
    assert labs.find("two") is None
    assert {step.stage for step in seen} == {"save", "boot", "login"}
    assert seen[-1].fraction == 1.0
    labs.down("one")
    assert labs.status() == ()
    assert labs.find("one") is None
    assert_nothing_is_left(tmp_path / "labs")
    labs.down("one")  # once more is no error


def test_secrets_are_for_this_user_alone(labs: PretendedLabs) -> None:
    lab = up(labs)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [lab.folder, *lab.folder.iterdir()]}
    labs.down("one")
    assert modes["one"] == 0o700
    for name in ("passwords.json", "id_ed25519", "host-key-a", "host-key-b"):
        assert modes[name] == 0o600, name


def test_a_name_can_be_used_once_at_a_time(labs: PretendedLabs) -> None:
    first = up(labs)
    with pytest.raises(InvalidOption, check=has_message(LAB_TAKEN, lab="one")):
        up(labs)
    assert labs.find("one") == first
    labs.down("one")
    again = up(labs)
    labs.down("one")
    assert again.since > first.since


def test_several_labs_side_by_side(labs: PretendedLabs, tmp_path: Path) -> None:
    ports = {port for name in ("one", "two") for port in up(labs, name).ports.values()}
    assert len(ports) == 4
    assert [status.name for status in labs.status()] == ["one", "two"]
    labs.down("one")
    assert [status.name for status in labs.status()] == ["two"]
    labs.down("two")
    assert_nothing_is_left(tmp_path / "labs")


def test_either_gateway_can_lose_its_power_and_come_back(labs: PretendedLabs) -> None:
    lab = up(labs)
    for side in Side:
        before = labs.status()[0].pids
        power_off(labs, "one", side)
        power_off(labs, "one", side)  # once more changes nothing
        off = labs.status()[0]
        assert off.is_running == (side is Side.B, side is Side.A)
        power_on(labs, "one", side)
        power_on(labs, "one", side)
        after = labs.status()[0]
        assert after.is_running == (True, True)
        changed = [old != new for old, new in zip(before, after.pids, strict=True)]
        assert changed == [side is Side.A, side is Side.B]
    assert labs.find("one") == lab
    labs.down("one")


def test_a_guest_that_switches_itself_off_is_seen(labs: PretendedLabs) -> None:
    up(labs)
    pid = labs.status()[0].pids[0]
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: labs.status()[0].is_running == (False, True), "A to be off", WAIT_S)
    power_on(labs, "one", Side.A)
    assert labs.status()[0].is_running == (True, True)
    labs.down("one")


def test_power_of_a_lab_that_is_not_there(labs: PretendedLabs) -> None:
    with pytest.raises(NotFound, check=has_message(LAB_UNKNOWN, lab="one")):
        power_off(labs, "one", Side.A)


def test_what_a_dead_lab_left_is_removed(labs: PretendedLabs, tmp_path: Path) -> None:
    for name in ("one", "dead"):
        folder = tmp_path / "labs" / name
        folder.mkdir(parents=True)
        (folder / "control.sock").touch()
    assert labs.find("dead") is None
    assert list((tmp_path / "labs").iterdir()) == []
    (tmp_path / "labs" / "one").mkdir()
    up(labs)
    labs.down("one")


def test_frames_to_a_gateway_without_power_are_lost_and_block_no_one(labs: PretendedLabs) -> None:
    lab = up(labs)
    power_off(labs, "one", Side.A)
    pid_b = labs.status()[0].pids[1]
    assert pid_b is not None
    end = _socket_of(pid_b)
    for number in range(500):
        _send_as(end, f"lost{number}")
    power_on(labs, "one", Side.A)
    _send_as(end, "arrives")
    console = lab.folder / "console-a.log"
    wait_until(lambda: "frame arrives" in console.read_text(), "the frame", WAIT_S)
    seen = console.read_text()
    os.close(end)
    labs.down("one")
    assert "lost" not in seen


def test_a_lab_with_nodes_has_two_more_machines(labs: PretendedLabs, tmp_path: Path) -> None:
    lab = up_with_nodes(labs)
    (status,) = labs.status()
    assert status.are_nodes_running == (True, True)
    assert status.node_ports == (lab.port(LabNode.A), lab.port(LabNode.B))
    assert len({*status.ports, *status.node_ports}) == len({*status.pids, *status.node_pids}) == 4
    assert labs.find("one") == lab
    known = (lab.folder / "known_hosts").read_text().splitlines()
    assert [line.split()[0] for line in known] == [
        f"[127.0.0.1]:{port}" for port in (*status.ports, *status.node_ports)
    ]
    assert len({line.split()[2] for line in known}) == 4
    labs.down("one")
    assert_nothing_is_left(tmp_path / "labs")


def test_a_node_has_a_cable_to_its_gateway_and_loses_its_power_alone(labs: PretendedLabs) -> None:
    lab = up_with_nodes(labs)
    power_off(labs, "one", LabNode.A)
    (status,) = labs.status()
    assert (status.is_running, status.are_nodes_running) == ((True, True), (False, True))
    assert status.pids[0] is not None
    cable = _socket_of(status.pids[0], nth=1)
    for number in range(500):
        _send_as(cable, f"lost{number}")
    power_on(labs, "one", LabNode.A)
    assert labs.status()[0].are_nodes_running == (True, True)
    _send_as(cable, "arrives")
    console = lab.folder / "console-node-a.log"
    wait_until(lambda: "frame arrives" in console.read_text(), "the frame", WAIT_S)
    os.close(cable)
    others = [(lab.folder / f"console-{one}.log").read_text() for one in (*Side, LabNode.B)]
    seen = console.read_text()
    labs.down("one")
    assert "lost" not in seen
    assert not any("arrives" in text for text in others)


def up_with_nodes(labs: PretendedLabs) -> Lab:
    return labs.up(LabSpec("one", has_nodes=True), token=CancelToken(), on_progress=lambda _: None, is_owned=True)


def _socket_of(pid: int, nth: int = 0) -> int:
    """Return a copy of a socket of the replacement of QEMU: its underlay, or else its LAN."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    number = int(words.split("local.str=")[1 + nth].partition("\0")[0])
    process = os.pidfd_open(pid)
    try:
        return _pidfd_getfd(process, number)
    finally:
        os.close(process)


def _pidfd_getfd(process: int, number: int) -> int:

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
