"""QEMU's monitor of one virtual gateway: stop, save, restore, go on, and its link."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from app.domain.cancel import CancelToken
from app.domain.errors import LabFault
from app.domain.messages import Message
from app.lab.messages import (
    GATEWAY_MEMORY,
    MONITOR_ENDED,
    MONITOR_FAULT,
    MONITOR_LOST,
    MONITOR_NO_ANSWER,
    MONITOR_NO_FILE,
    MONITOR_NOT_CARRIED,
    MONITOR_REFUSED,
    MONITOR_SILENT,
)

_ANSWER_TIMEOUT_S = 60.0
"""QEMU answers at once, but an emulated machine may keep it busy for seconds where the computer is."""

_POLL_S = 0.02
_UNLIMITED_BYTES_S = 1 << 40
_FILE_NAME = "memory"


@contextlib.contextmanager
def connected_socket(folder: Path, name: str, *, timeout_s: float) -> Iterator[socket.socket]:
    """Connect to a socket in a lab's folder.

    Args:
        folder: The lab's folder; its path may be of any length.
        name: Name of the socket's file.
        timeout_s: Deadline of each operation in seconds.

    Yields:
        The connection.

    Raises:
        OSError: Nothing listens there.
    """
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(timeout_s)
            # A socket's path may have 107 bytes; this one is short however long the folder's is. Source: unix(7).
            connection.connect(f"/proc/self/fd/{folder_fd}/{name}")
            yield connection
    finally:
        os.close(folder_fd)


class Monitor:
    """A connection to QEMU's monitor; use it in a `with` statement. Source: QMP specification of QEMU 7.2.

    Args:
        folder: The folder that QEMU was started in.
        name: Name of the monitor's socket there.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            try:
                opened = connected_socket(self._folder, self._name, timeout_s=_ANSWER_TIMEOUT_S)
                self._socket = stack.enter_context(opened)
                self._lines = stack.enter_context(self._socket.makefile("rb"))
                self._lines.readline()  # the greeting
            except OSError as error:
                raise self._fault(MONITOR_SILENT()) from error
            self._stack = stack.pop_all()
        self.execute("qmp_capabilities")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def execute(self, command: str, **arguments: object) -> Any:
        """Run one command of the monitor.

        Args:
            arguments: Its arguments, with underscores for hyphens.

        Returns:
            What it returns.

        Raises:
            LabFault: QEMU refused it, or is gone.
        """
        # Names of commands have hyphens or underscores; those of arguments have hyphens.
        order = {"execute": command, "arguments": {key.replace("_", "-"): one for key, one in arguments.items()}}
        try:
            self._socket.sendall(json.dumps(order).encode() + b"\n")
        except OSError as error:
            raise self._fault(MONITOR_LOST(command=command)) from error
        return self._answer(command)

    def _answer(self, command: str) -> Any:
        try:
            while line := self._lines.readline():
                answer = json.loads(line)
                if "error" in answer:
                    raise self._fault(MONITOR_REFUSED(command=command, why=answer["error"].get("desc", "")))
                if "return" in answer:
                    return answer["return"]
                # Anything else is an event, which nothing here waits for.
        except (OSError, ValueError) as error:
            raise self._fault(MONITOR_NO_ANSWER(command=command)) from error
        raise self._fault(MONITOR_ENDED(command=command))

    def save_memory(self, file: BinaryIO, *, token: CancelToken, timeout_s: float) -> None:
        """Write the memory and the devices of a stopped machine to a file; its disk is complete afterwards.

        Args:
            file: Where they go.

        Raises:
            LabFault: QEMU gave up, or is gone.
            DeadlineExceeded: It took too long.
            Cancelled: The token was cancelled.
        """
        self.execute("migrate-set-parameters", max_bandwidth=_UNLIMITED_BYTES_S)
        self._give_file(file)
        self.execute("migrate", uri=f"fd:{_FILE_NAME}")
        self._wait_for_migration(token, timeout_s)

    def restore_memory(self, file: BinaryIO, *, token: CancelToken, timeout_s: float) -> None:
        """Read the memory and the devices of a machine that was started to be restored; it is stopped afterwards.

        Args:
            file: Where they come from.

        Raises:
            LabFault: They are damaged or of another machine, or QEMU is gone.
            DeadlineExceeded: It took too long.
            Cancelled: The token was cancelled.
        """
        self._give_file(file)
        self.execute("migrate-incoming", uri=f"fd:{_FILE_NAME}")
        self._wait_for_migration(token, timeout_s)

    def relink(self, link: str) -> None:
        """Take a machine's link down and up, which makes its driver and its device begin anew.

        Raises:
            LabFault: There is no such link, or QEMU is gone.
        """
        self.execute("set_link", name=link, up=False)
        self.execute("set_link", name=link, up=True)

    def _give_file(self, file: BinaryIO) -> None:
        # The descriptor has to arrive with the order that names it.
        order = json.dumps({"execute": "getfd", "arguments": {"fdname": _FILE_NAME}}).encode() + b"\n"
        try:
            socket.send_fds(self._socket, [order], [file.fileno()])
        except OSError as error:
            raise self._fault(MONITOR_NO_FILE()) from error
        self._answer("getfd")

    def _wait_for_migration(self, token: CancelToken, timeout_s: float) -> None:
        def is_complete() -> bool:
            state = self.execute("query-migrate")
            if state.get("status") in ("failed", "cancelled"):
                raise self._fault(MONITOR_NOT_CARRIED(why=state.get("error-desc", state["status"])))
            return bool(state.get("status") == "completed")

        token.wait_for(is_complete, timeout_s=timeout_s, what=GATEWAY_MEMORY(), interval_s=_POLL_S)

    def _fault(self, what: Message) -> LabFault:
        return LabFault(MONITOR_FAULT(monitor=self._name, lab=self._folder.name, what=what))
