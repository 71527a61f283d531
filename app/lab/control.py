"""Talks to a lab's supervisor over the socket in the lab's folder."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab.supervisor import CONTROL_SOCKET

_ANSWER_TIMEOUT_S = 15.0
_MAX_ANSWER_BYTES = 65536


def give_order(folder: Path, verb: str, side: Side | None = None) -> dict[Side, int | None]:
    """Give an order to a lab's supervisor and wait until it is carried out.

    Args:
        folder: The lab's folder.
        verb: `status`, `off`, `on` or `stop`.
        side: The machine that `off` and `on` are for.

    Returns:
        The process number of each side's QEMU; None where it is switched off.

    Raises:
        LabFault: The supervisor does not answer.
    """
    order = {"do": verb} if side is None else {"do": verb, "side": side.value}
    try:
        answer = _exchange(folder, json.dumps(order).encode() + b"\n")
        pids = json.loads(answer)["pids"]
    except (OSError, ValueError, KeyError) as error:
        raise LabFault(
            f"The lab “{folder.name}” does not answer.",
            hint=f"Take it down and start it again: tunnelmark lab down --name {folder.name}",
        ) from error
    return {Side(key): pid for key, pid in pids.items()}


def _exchange(folder: Path, order: bytes) -> bytes:
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_ANSWER_TIMEOUT_S)
            # A socket's path may have 107 bytes; this one is short however long the folder's is. Source: unix(7).
            connection.connect(f"/proc/self/fd/{folder_fd}/{CONTROL_SOCKET}")
            connection.sendall(order)
            with connection.makefile("rb") as answers:
                return answers.readline(_MAX_ANSWER_BYTES)
    finally:
        os.close(folder_fd)
