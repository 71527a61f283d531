"""Talks to a lab's supervisor over the socket in the lab's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.domain.errors import LabFault
from app.lab.messages import LAB_SILENT
from app.lab.monitor import connected_socket
from app.lab.spec import LAB_MACHINES, LabMachine
from app.lab.supervisor import CONTROL_SOCKET

_ANSWER_TIMEOUT_S = 15.0
_MAX_ANSWER_BYTES = 64 << 20
"""Room for two conditions, each as long as an order may be: the one that lasts, and the one in force."""


@dataclass(frozen=True, slots=True)
class LabState:
    """Status that a supervisor reports about its lab.

    Attributes:
        pids: The process number of each machine's QEMU; None where it is switched off.
        is_ready: Whether all machines have come up once.
        link: Conditions of the link: `in_force`, `lasting`, `holder` and `is_emulated`.
    """

    pids: dict[LabMachine, int | None]
    is_ready: bool
    link: Mapping[str, Any] = field(default_factory=dict)


def set_condition(folder: Path, settings: Mapping[str, object] | None) -> None:
    """Change the link between a lab's gateways, and wait until it is so.

    Args:
        settings: As `app.lab.link_emulator` takes them; None for the link as it is.

    Raises:
        LabFault: The supervisor does not answer.
    """
    _order(folder, {"do": "condition", "condition": settings})


def hold_condition(folder: Path, settings: Mapping[str, object] | None, pid: int) -> None:
    """Change the link for as long as a process runs, or until it releases it; raises LabFault as `set_condition`."""
    _order(folder, {"do": "hold", "condition": settings, "pid": pid})


def release_condition(folder: Path, pid: int) -> None:
    """Return to the condition that lasts, where this process holds another; raises LabFault as `set_condition`."""
    _order(folder, {"do": "release", "pid": pid})


def give_order(folder: Path, verb: str, machine: LabMachine | None = None) -> LabState:
    """Give an order to a lab's supervisor and wait until it is carried out.

    Args:
        verb: `status`, `off`, `on`, `ready`, `disown` or `stop`.
        machine: The machine that `off` and `on` are for.

    Returns:
        How the lab is afterwards.

    Raises:
        LabFault: The supervisor does not answer.
    """
    return _order(folder, {"do": verb} if machine is None else {"do": verb, "side": machine.value})


def _order(folder: Path, order: Mapping[str, object]) -> LabState:
    try:
        answer = json.loads(_exchange(folder, json.dumps(order).encode() + b"\n"))
        pids = {LAB_MACHINES[key]: pid for key, pid in answer["pids"].items()}
        return LabState(pids, answer.get("is_ready", True), answer.get("link", {}))
    except (OSError, ValueError, KeyError) as error:
        raise LabFault(LAB_SILENT(lab=folder.name)) from error


def _exchange(folder: Path, order: bytes) -> bytes:
    with connected_socket(folder, CONTROL_SOCKET, timeout_s=_ANSWER_TIMEOUT_S) as connection:
        connection.sendall(order)
        with connection.makefile("rb") as answers:
            return answers.readline(_MAX_ANSWER_BYTES)
