"""Specification of a practice lab, and its states while it starts and runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.lab.conditions import LabCondition
from app.lab.messages import LAB_NAME_OF_PLATFORM, LAB_NAME_WRONG, PLATFORMS_UNCLEAR
from app.lab.platforms import PLATFORMS, platform

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
_USUAL_BOOT_S = 25.0
"""Time that a gateway usually takes to boot, in seconds."""


class LabNode(StrEnum):
    """A machine of a lab behind one of its gateways."""

    A = "node-a"
    B = "node-b"

    @property
    def side(self) -> Side:
        """The side whose gateway it is behind."""
        return Side.A if self is LabNode.A else Side.B


LabMachine: TypeAlias = Side | LabNode
"""A virtual machine of a lab: the gateway of a side, or the node behind it."""


LAB_MACHINES: Mapping[str, LabMachine] = {one.value: one for one in (*Side, *LabNode)}
"""By name."""


def side_of(machine: LabMachine) -> Side:
    """Return the side that a machine is on."""
    return machine.side if isinstance(machine, LabNode) else machine


class CpuKind(StrEnum):
    """Instruction set of the virtual CPUs. Under software emulation both kinds are equally slow."""

    AES = "aes"
    NO_AES = "no-aes"


@dataclass(frozen=True, slots=True)
class LabSpec:
    """A lab to be started.

    Attributes:
        name: Lower-case letters, digits and hyphens, at most 31 characters; no platform's name.
        platform_a: Platform of host A.
        platform_b: Platform of host B.
        cpu: Which instructions the CPUs show.
        is_hardened: Whether their firewalls drop what no rule allows, and an ordinary user logs in, whose sudo asks
            for a password.
        has_nodes: Whether there is a machine behind each gateway, in a network of its own with it.
    """

    name: str
    platform_a: str = "debian-13"
    platform_b: str = "debian-13"
    cpu: CpuKind = CpuKind.AES
    is_hardened: bool = False
    has_nodes: bool = False

    @property
    def machines(self) -> tuple[LabMachine, ...]:
        """The gateways of A and B, then the nodes behind them."""
        return (*Side, *(LabNode if self.has_nodes else ()))

    def platform(self, side: Side) -> str:
        """Return the platform on one side."""
        return self.platform_a if side is Side.A else self.platform_b

    def check(self) -> None:
        """Refuse what cannot be a lab.

        Raises:
            InvalidOption: The name is malformed or reserved, or a platform is unknown.
        """
        check_lab_name(self.name)
        platform(self.platform_a)
        platform(self.platform_b)


def parse_platforms(text: str) -> tuple[str, str]:
    """Read which platforms a lab is to have.

    Args:
        text: One platform for both gateways (`debian-13`), or one for each (`A=debian-11,B=debian-13`).

    Returns:
        Platforms of A and B.

    Raises:
        InvalidOption: It is neither, or a platform is unknown.
    """
    parts = dict.fromkeys(("A", "B"), text)
    if "=" in text or "," in text:
        words = [part.strip().partition("=") for part in text.split(",")]
        parts = {side.strip().upper(): name.strip() for side, _, name in words}
        if len(words) != 2 or set(parts) != {"A", "B"}:
            raise InvalidOption(PLATFORMS_UNCLEAR(text=text))
    return platform(parts["A"]).name, platform(parts["B"]).name


def platforms_text(platform_a: str, platform_b: str) -> str:
    """Return two platforms as `parse_platforms` reads them, always in the same way.

    Args:
        platform_a: Platform of host A.
        platform_b: Platform of host B.

    Returns:
        One name if both are the same.
    """
    return platform_a if platform_a == platform_b else f"A={platform_a},B={platform_b}"


def check_lab_name(name: str) -> None:
    """Refuse what cannot be a lab's name.

    Args:
        name: As the user gave it.

    Raises:
        InvalidOption: The name is malformed, or reserved because it is a platform's.
    """
    if not _NAME.fullmatch(name):
        raise InvalidOption(LAB_NAME_WRONG(lab=name))
    if name in PLATFORMS:
        raise InvalidOption(LAB_NAME_OF_PLATFORM(lab=name))


@dataclass(frozen=True, slots=True)
class LabProgress:
    """Progress of an image's build or a lab's start.

    Attributes:
        stage: `image`, `save` (a gateway for later starts), `boot` or `login`.
        text: What is being done, for people.
        fraction: 0 to 1 within the stage; None if unknown.
    """

    stage: str
    text: str
    fraction: float | None


OnProgress = Callable[[LabProgress], None]
"""Gets each step of progress, in the thread that does the work."""


def boot_share(waited_s: float) -> float | None:
    """Return how far the boot of a gateway is, guessed from the usual time; None once that is over."""
    return waited_s / _USUAL_BOOT_S if waited_s < _USUAL_BOOT_S else None


@dataclass(frozen=True, slots=True)
class LabStatus:
    """A lab that runs.

    Attributes:
        name: Its name.
        platforms: Platforms of A and B.
        cpu: Which instructions its CPUs show.
        is_running: Whether each of A and B has come up and is switched on.
        ports: SSH ports of A and B on 127.0.0.1.
        pids: Process numbers of A's and B's QEMU; None for one that is switched off.
        since: When it was started, UTC.
        owner_pid: The process that the lab dies with; None for a lab that lasts until it is taken down.
        is_starting: Whether it has been started, but has not come up yet.
        condition: Conditions of the link between its gateways.
        node_ports: SSH ports of the nodes behind A and B on 127.0.0.1; empty without nodes.
        node_pids: Process numbers of their QEMU; None for one that is switched off.
    """

    name: str
    platforms: tuple[str, str]
    cpu: CpuKind
    is_running: tuple[bool, bool]
    ports: tuple[int, int]
    pids: tuple[int | None, int | None]
    since: datetime
    owner_pid: int | None
    is_starting: bool = False
    condition: LabCondition = field(default_factory=LabCondition)
    node_ports: tuple[int, ...] = ()
    node_pids: tuple[int | None, ...] = ()

    @property
    def are_nodes_running(self) -> tuple[bool, ...]:
        """Whether each of the nodes has come up and is switched on; empty without nodes."""
        return tuple(not self.is_starting and pid is not None for pid in self.node_pids)
