"""Keeps the virtual machines of a lab, as a process of its own.

It is run as a script with the standard library alone (`python -I supervisor.py FOLDER OWNER_FD`) and goes into the
background. It holds the sockets of the underlay and the LANs, so that any machine can lose its power and come back, and
the lock of a running lab; it takes orders on a socket in the lab's folder, and removes that folder when it ends. It
ends when its owner does (the owner's process descriptor becomes readable then), unless the owner gives the lab up once
it is up. The machines end with this process, even if it is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

CONTROL_SOCKET = "control.sock"
MACHINES_FILE = "machines.json"
PID_FILE = "supervisor.pid"
UNDERLAY_FD_MARK = "@UNDERLAY_FD@"
LAN_FD_MARK = "@LAN_FD@"
CONDITION_FILE = "condition.json"
_EMULATOR = Path(__file__).with_name("link_emulator.py")

_PR_SET_PDEATHSIG = 1  # Source: prctl(2)
_UNDERLAY_BUFFER_BYTES = 1 << 20
_MAX_ORDER_BYTES = 16 << 20
"""Room for the traces of a condition: some 20 bytes for each value."""
_KILL_WAIT_S = 10.0
_STARTED = "started"


def _die_with_parent() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class _Link:
    """The underlay: a datagram socket for each gateway, connected to the other's, or to the link emulator's.

    A gateway's QEMU holds its socket as long as it runs. Which socket it is connected to can change meanwhile.

    Attributes:
        in_force: The condition that was set last; None where the gateways are joined directly.
    """

    def __init__(self, sides: list[str]) -> None:
        self.in_force: dict[str, Any] | None = None
        self.ends = {side: _datagram_socket() for side in sides}
        self._sides = sides
        self._emulator: subprocess.Popen[bytes] | None = None

    def connect(self) -> None:
        """Name the sockets and connect them to each other. The current folder is the lab's."""
        for side, end in self.ends.items():
            end.bind(_end_name(side))
        self._join(self.ends)

    @property
    def is_emulated(self) -> bool:
        """Whether the link emulator runs."""
        return self._emulator is not None and self._emulator.poll() is None

    def set_condition(self, condition: dict[str, Any] | None) -> None:
        """Put the link emulator between the gateways, or remove it (None); one that cannot start changes nothing."""
        if condition is None:
            self.close()
            self._join(self.ends)
            self.in_force = None
            Path(CONDITION_FILE).unlink(missing_ok=True)
            return
        part = Path(f"{CONDITION_FILE}.part")
        part.write_text(json.dumps(condition))
        part.replace(CONDITION_FILE)
        middle = {side: _datagram_socket() for side in self._sides}
        try:
            for side in self._sides:
                Path(f"middle-{side}.sock").unlink(missing_ok=True)
                middle[side].bind(f"middle-{side}.sock")
            numbers = [middle[side].fileno() for side in self._sides]
            emulator = subprocess.Popen(
                [sys.executable, "-I", str(_EMULATOR), *map(str, numbers), CONDITION_FILE],
                stdin=subprocess.DEVNULL,
                pass_fds=numbers,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has one thread
            )
            self.close()  # not before: the disk may be full, or no further process may start
            self._emulator = emulator
            for side, end in self.ends.items():
                _disconnect(end)
                end.connect(middle[side].getsockname())
                middle[side].connect(_end_name(side))
            self.in_force = condition
        finally:
            for end in middle.values():
                end.close()

    def close(self) -> None:
        """End the link emulator."""
        if self._emulator is not None:
            self._emulator.kill()
            self._emulator.wait(timeout=_KILL_WAIT_S)
            self._emulator = None

    def _join(self, ends: dict[str, socket.socket]) -> None:
        for end in ends.values():
            _disconnect(end)
        first, second = self._sides
        ends[first].connect(_end_name(second))
        ends[second].connect(_end_name(first))


class _Conditions:
    """Conditions of the link: one that lasts, and one that a process holds until it releases it or ends.

    A process that is killed releases nothing: its process descriptor tells that it has ended.

    Args:
        link: Whose conditions.
        selector: Reports the end of the holder.
    """

    def __init__(self, link: _Link, selector: selectors.BaseSelector) -> None:
        self._link = link
        self._selector = selector
        self._usual: dict[str, Any] | None = None
        self._holder: tuple[int, int] | None = None

    def set(self, condition: dict[str, Any] | None) -> None:
        """Set the condition that lasts; one that is held remains in force until it is released."""
        if self._holder is None:
            self._link.set_condition(condition)
        self._usual = condition

    def hold(self, condition: dict[str, Any] | None, pid: int) -> None:
        """Set a condition for as long as a process runs; one that has ended changes nothing."""
        exit_fd = os.pidfd_open(pid)  # before that of an earlier holder is closed, so that their numbers differ
        try:
            self._link.set_condition(condition)
        except OSError:
            os.close(exit_fd)
            raise
        self._forget()
        self._selector.register(exit_fd, selectors.EVENT_READ, self._end_of_holder)
        self._holder = pid, exit_fd

    def release(self, pid: int | None = None) -> None:
        """Return to the condition that lasts; not where another process has followed this holder."""
        if self._holder is not None and pid in (None, self._holder[0]):
            self._link.set_condition(self._usual)
            self._forget()

    def _end_of_holder(self, exit_fd: int) -> None:
        if self._holder is not None and exit_fd == self._holder[1]:
            with suppress(OSError, subprocess.SubprocessError):  # its condition remains until the next one is set
                self._link.set_condition(self._usual)
            self._forget()

    def report(self) -> dict[str, Any]:
        """Return what is in force, what lasts, and for which process one is held."""
        found = {"in_force": self._link.in_force, "lasting": self._usual, "is_emulated": self._link.is_emulated}
        return {**found, "holder": self._holder[0] if self._holder is not None else None}

    def _forget(self) -> None:
        if self._holder is not None:
            exit_fd = self._holder[1]
            self._holder = None
            self._selector.unregister(exit_fd)
            os.close(exit_fd)


def _datagram_socket(end: socket.socket | None = None) -> socket.socket:
    end = end or socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNDERLAY_BUFFER_BYTES)
    return end


def _end_name(side: str) -> str:
    return f"underlay-{side}.sock"


def _disconnect(end: socket.socket) -> None:
    """Dissolve a datagram socket's association, which Python has no call for. Source: connect(2), AF_UNSPEC."""
    if ctypes.CDLL(None, use_errno=True).connect(end.fileno(), bytes(2), 2) != 0:
        raise OSError(ctypes.get_errno(), "a socket of the underlay cannot be disconnected")


class Supervisor:
    """Starts, stops and watches the machines of one lab.

    Args:
        folder: The lab's folder; removed at the end.
        owner_fd: Process descriptor of the owner. The lab ends with the owner, unless that lets go of it.
    """

    def __init__(self, folder: Path, owner_fd: int) -> None:
        self._folder = folder
        self._owner_fd: int | None = owner_fd
        self._selector = selectors.DefaultSelector()
        machines = json.loads((folder / MACHINES_FILE).read_text())
        self._argv: dict[str, list[str]] = machines["argv"]
        self._first_words: list[str] = machines["first"]
        self._machines: dict[str, subprocess.Popen[bytes]] = {}
        self._exit_fds: dict[str, int] = {}
        lans: dict[str, str] = machines.get("lans", {})  # the node behind each gateway, where there are nodes
        self._link = _Link(sorted(set(self._argv).difference(lans.values())))
        self._conditions = _Conditions(self._link, self._selector)
        self._ends = {side: {UNDERLAY_FD_MARK: end} for side, end in self._link.ends.items()}
        for gateway, node in lans.items():
            ends = map(_datagram_socket, socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
            self._ends[gateway][LAN_FD_MARK], lan = ends
            self._ends[node] = {LAN_FD_MARK: lan}
        self._selector.register(owner_fd, selectors.EVENT_READ, self._stop)
        self._is_ready = False
        self._is_stopping = False

    def run(self, on_started: Callable[[], None]) -> None:
        """Start the machines and take orders until one is to stop, or until the owner is gone.

        Args:
            on_started: Called when the machines have been started and orders are accepted.
        """
        os.chdir(self._folder)  # socket paths are limited to 107 bytes: relative ones always fit
        try:
            Path(PID_FILE).write_text(f"{os.getpid()}\n")
            self._link.connect()
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(CONTROL_SOCKET)
            listener.listen(8)
            self._selector.register(listener, selectors.EVENT_READ, self._accept)
            wake_read, wake_write = socket.socketpair()
            wake_write.settimeout(0)
            signal.set_wakeup_fd(wake_write.fileno())
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, lambda *_: None)
            self._selector.register(wake_read, selectors.EVENT_READ, self._stop)
            for side in self._argv:
                self._power_on(side, self._first_words)
            on_started()
            while not self._is_stopping:
                for key, _ in self._selector.select():
                    key.data(key.fileobj)
        finally:
            self._link.close()
            for side in list(self._machines):
                self._power_off(side)
            os.chdir("/")
            shutil.rmtree(self._folder, ignore_errors=True)

    def _stop(self, _source: object) -> None:
        self._is_stopping = True

    # --- orders -------------------------------------------------------------------------------------------------------

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(5.0)
            try:
                order = json.loads(connection.makefile("rb").readline(_MAX_ORDER_BYTES))
                answer = self._obey(order)
                connection.sendall(json.dumps(answer).encode() + b"\n")
            except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
                return  # the client is gone, or is none of ours; or a machine does not end

    def _obey(self, order: dict[str, Any]) -> dict[str, Any]:
        verb = order["do"]
        if verb == "stop":
            self._is_stopping = True
        elif verb == "off":
            self._power_off(order["side"])
        elif verb == "on":
            self._power_on(order["side"])
        elif verb == "condition":
            self._conditions.set(order["condition"])
        elif verb == "hold":
            self._conditions.hold(order["condition"], order["pid"])
        elif verb == "release":
            self._conditions.release(pid=order.get("pid"))
        elif verb == "ready":
            self._is_ready = True
        elif verb == "disown" and self._owner_fd is not None:
            self._selector.unregister(self._owner_fd)
            self._owner_fd = None
        return {
            "pids": {side: self._pid(side) for side in self._argv},
            "is_ready": self._is_ready,
            "link": self._conditions.report(),
        }

    def _pid(self, side: str) -> int | None:
        machine = self._machines.get(side)
        return machine.pid if machine and machine.poll() is None else None

    # --- machines -----------------------------------------------------------------------------------------------------

    def _power_on(self, side: str, more: list[str] | None = None) -> None:
        if side in self._machines:
            return
        argv = [*self._argv[side], *(more or ())]
        for mark, end in self._ends[side].items():
            if end in self._selector.get_map():
                self._selector.unregister(end)
                self._drop_frames(end)
            argv = [part.replace(mark, str(end.fileno())) for part in argv]
        with Path(f"qemu-{side}.log").open("ab") as log:
            machine = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[end.fileno() for end in self._ends[side].values()],
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has one thread
            )
        self._machines[side] = machine
        exit_fd = os.pidfd_open(machine.pid)
        self._exit_fds[side] = exit_fd
        self._selector.register(exit_fd, selectors.EVENT_READ, lambda _fd, side=side: self._forget(side))

    def _power_off(self, side: str) -> None:
        machine = self._machines.get(side)
        if machine is not None:
            machine.kill()
            self._forget(side)

    def _forget(self, side: str) -> None:
        machine = self._machines.pop(side, None)
        if machine is None:
            return  # switched off in the same moment in which it ended by itself
        machine.wait(timeout=_KILL_WAIT_S)
        exit_fd = self._exit_fds.pop(side)
        self._selector.unregister(exit_fd)
        os.close(exit_fd)
        # Frames to a machine without power are lost, rather than kept and blocking the sender.
        for end in self._ends[side].values():
            self._selector.register(end, selectors.EVENT_READ, self._drop_frames)

    @staticmethod
    def _drop_frames(end: socket.socket) -> None:
        while True:
            try:
                end.recv(65536, socket.MSG_DONTWAIT)
            except OSError:
                return


def _go_to_background() -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)


def main(arguments: list[str]) -> int:
    """Run the supervisor in the background; returns when it has started its machines or has failed to.

    Args:
        arguments: The lab's folder, and the number of the owner's process descriptor.

    Returns:
        Exit status of the process in the foreground; the reason of a failure goes to stderr.
    """
    read_end, write_end = os.pipe()
    if os.fork():
        os.close(write_end)
        with os.fdopen(read_end) as report:
            complaint = report.read()
        if complaint != _STARTED:
            sys.stderr.write(complaint)
            return 1
        return 0
    os.close(read_end)
    _go_to_background()

    def report_start() -> None:
        os.write(write_end, _STARTED.encode())
        os.close(write_end)

    try:
        Supervisor(Path(arguments[0]), int(arguments[1])).run(report_start)
    except Exception as error:  # noqa: BLE001 - the edge of this process
        try:
            os.write(write_end, f"{type(error).__name__}: {error}".encode())
        except OSError:
            pass  # it had started; no client listens any more
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
