"""Practice labs as a user chooses and sees them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.hosts import Side


@dataclass(frozen=True, slots=True)
class LabChoice:
    """A practice lab that is to be started.

    Attributes:
        name: Its name.
        platform_a: Platform of gateway A.
        platform_b: Platform of gateway B.
        has_aes: Whether the CPUs show AES instructions.
        is_hardened: Whether the gateways have closed firewalls and a sudo password.
        is_detached: Whether it goes on when this program ends.
    """

    name: str
    platform_a: str
    platform_b: str
    has_aes: bool = True
    is_hardened: bool = False
    is_detached: bool = False


@dataclass(frozen=True, slots=True)
class LabDetail:
    """A practice lab that runs.

    Attributes:
        name: Its name.
        pair_name: Name of its pair.
        kind: Platforms, CPU and logins, in words.
        is_up: Whether each of A and B runs.
        is_starting: Whether it has not come up yet.
        ports: SSH ports of A and B on 127.0.0.1.
        since: When it was started, local time.
        lasts: Until when it runs, in words.
        is_detached: Whether it runs until it is stopped.
    """

    name: str
    pair_name: str
    kind: str
    is_up: tuple[bool, bool]
    is_starting: bool
    ports: tuple[int, int]
    since: str
    lasts: str
    is_detached: bool = False

    def login(self, side: Side) -> str:
        """Return the command that logs in to a gateway."""
        return f"tunnelmark lab ssh {side.value.upper()} --name {self.name}"
