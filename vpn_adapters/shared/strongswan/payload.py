"""The packets that ESP protects: what one VPN over IPsec has of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.domain.adapters import Encapsulation, PlanStep
from app.domain.hosts import Side
from app.domain.link import Link


@dataclass(frozen=True, slots=True)
class Payload:
    """Encapsulation of Ethernet frames within the packets.

    Attributes:
        solution: Name of the solution.
        encapsulation: The protocol.
        ip_protocol: Its number in the IP header.
        protocol: The same as an opening of a firewall has it.
        header_bytes: Between the IP header and the frame.
        kernel_modules: Modules that it needs besides those of ESP.
        guard: Step that makes the firewall table.
        session: Step that makes the interface; gets the files on that host with the public keys of A and of B.
    """

    solution: str
    encapsulation: Encapsulation
    ip_protocol: int
    protocol: str
    header_bytes: int
    kernel_modules: tuple[str, ...]
    guard: Callable[[Link, Side], PlanStep]
    session: Callable[[Link, Side, tuple[str, str]], PlanStep]

    @property
    def all_modules(self) -> tuple[str, ...]:
        """Modules of the kernel for ESP and for the frames."""
        return "esp4", "xfrm_user", *self.kernel_modules
