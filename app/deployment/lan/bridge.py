"""Joining a tunnel with a LAN port of its host.

Addresses of the LAN port move to the bridge, and return unchanged: the host remains reachable from its LAN. They are
saved on the host before the first change. The tunnel's own address is on the bridge too: the sides reach each other
by it. Source: ip-link(8), bridge(8).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.deployment.lan.clients import hold_step, move_step
from app.deployment.lan.guard import LanGuard
from app.deployment.lan.matches import MovedRule
from app.deployment.lan.messages import STEP_JOIN_BRIDGE, STEP_JOIN_IN_BRIDGE
from app.domain.adapters import PlanStep, root_command
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script


@dataclass(frozen=True, slots=True)
class Bridging:
    """LAN port or bridge that a tunnel is joined with on one host.

    Attributes:
        bridge: The bridge.
        lan_port: The LAN port; the same as `bridge` where that was there before.
        rules: Rules of the host's firewall that are added for the bridge, because others name the port.
        noted: What rules for the port that are made later are compared with; empty where they are not.
        guard: What guards the joined LANs; None where the host has nothing for it.
        client: Program of the LAN port's DHCP client, which moves to the bridge; empty where there is none.
        has_client: Whether a bridge that was there before has a DHCP client of its own, which is left alone.
    """

    bridge: str
    lan_port: str
    rules: tuple[MovedRule, ...] = ()
    noted: tuple[MovedRule, ...] = ()
    guard: LanGuard | None = None
    client: str = ""
    has_client: bool = False

    def guard_steps(self, interface: str, link: Link, side: Side) -> tuple[PlanStep, ...]:
        """Return what has to be there before they are joined.

        Args:
            interface: The interface with the tunnel's frames.
        """
        if self.guard is None:
            return ()
        return (self.guard.step((interface, self.bridge, self.lan_port), link, side),)

    def probe_steps(self, interface: str, link: Link, side: Side) -> tuple[PlanStep, ...]:
        """Return what is done as soon as they are joined; see `guard_steps`."""
        if self.guard is None:
            return ()
        return (self.guard.probe_step((interface, self.bridge, self.lan_port), link, side),)

    def steps(self, interface: str, inner: str) -> tuple[PlanStep, ...]:
        """Return the step that joins them, with those that move the LAN port's DHCP client; see `step`."""
        join = self.step(interface, inner)
        if not self.client:
            return (join,)
        words = (self.bridge, self.lan_port, inner)
        return (hold_step(*words), join, move_step(*words))

    def step(self, interface: str, inner: str) -> PlanStep:
        """Return the step that joins them.

        Args:
            interface: The interface with the tunnel's frames.
            inner: Its address with prefix length.
        """
        is_new = self.bridge != self.lan_port
        join, part = ("join.sh", "part.sh") if is_new else ("lan/bridge-join.sh", "lan/bridge-part.sh")
        words = (self.bridge, interface, self.lan_port, inner)
        return PlanStep(
            title=(STEP_JOIN_IN_BRIDGE if is_new else STEP_JOIN_BRIDGE)(
                interface=interface, port=self.lan_port, bridge=self.bridge
            ),
            command=root_command(bare_script(join), *words, timeout_s=15.0),
            undo=root_command(bare_script(part), *words, timeout_s=15.0),
            health_check=Command(
                ("test", "-e", f"/sys/class/net/{self.bridge}/brif/{interface}"), timeout_s=5.0, is_root=True
            ),
        )
