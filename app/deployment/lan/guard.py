"""Guard of LANs that a tunnel joins: a firewall table of our own for the bridge of each host.

It separates the LANs while another path joins them, limits broadcasts, and blocks DHCP and router advertisements
where that was chosen. It filters only frames that cross the tunnel's port of the bridge.

Source: nft(8) of nftables 0.9.8, 1.0.6 and 1.1.3; RFC 826; RFC 7113 (evasion by extension headers and fragments).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface

from app.deployment.lan.messages import (
    GUARD_LIMIT,
    GUARD_NO_DHCP,
    GUARD_NO_OWN_DHCP,
    GUARD_NO_ROUTERS,
    GUARD_PARTS,
    GUARD_TITLE,
    OWN_TABLE,
    STEP_SEARCH_LOOP,
)
from app.domain.adapters import PlanStep, root_command
from app.domain.commands import Command
from app.domain.deployment import DeploymentOptions
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script

_ELSEWHERE = "198.19.255.254"
"""Address that probes ask for where the inner network has no free one. No slot's network has it."""
_FROM_THE_END = 10
"""Routers often have the last addresses of a network."""
_CHECK_TABLE = "tunnelmark_lan_check"
_LIMITED = re.compile(r'counter packets (\d{1,20}) bytes \d+ drop comment "broadcast ')


@dataclass(frozen=True, slots=True)
class LanGuard:
    """Firewall table of one host that parts looped LANs, limits broadcasts and filters.

    Attributes:
        broadcast_limit: Broadcast frames per second in each direction; 0 for any number.
        blocks_dhcp: Whether DHCP and DHCPv6 do not cross.
        blocks_router_advertisements: Whether router advertisements and redirects of IPv6 do not cross.
        keeps_own_requests: Whether DHCP requests of the host itself do not cross: its client runs on the bridge.
    """

    broadcast_limit: int
    blocks_dhcp: bool
    blocks_router_advertisements: bool
    keeps_own_requests: bool = False

    @classmethod
    def of(cls, options: DeploymentOptions) -> LanGuard:
        """Return what a user chose."""
        return cls(options.broadcast_limit, options.blocks_dhcp, options.blocks_router_advertisements)

    @property
    def title(self) -> str:
        """Purpose of the table, for users."""
        parts: list[str] = [GUARD_PARTS()]
        if self.broadcast_limit:
            parts.append(GUARD_LIMIT(number=self.broadcast_limit))
        if self.blocks_dhcp:
            parts.append(GUARD_NO_DHCP())
        elif self.keeps_own_requests:
            parts.append(GUARD_NO_OWN_DHCP())
        if self.blocks_router_advertisements:
            parts.append(GUARD_NO_ROUTERS())
        return GUARD_TITLE(parts=parts)

    def step(self, ports: tuple[str, str, str], link: Link, side: Side) -> PlanStep:
        """Return the step that makes the table, which goes before the bridge joins the LANs.

        Args:
            ports: The tunnel's interface, the bridge, and the LAN port (the bridge itself where it was there before).
        """
        table = guard_table(link)
        words = self._words(table, ports, link, side)
        return PlanStep(
            title=OWN_TABLE(title=self.title),
            command=root_command(bare_script("lan-guard.sh"), *words, timeout_s=10.0),
            undo=root_command(bare_script("lan-unguard.sh"), table, timeout_s=10.0),
            health_check=Command(("nft", "list", "table", "bridge", table), timeout_s=5.0, is_root=True),
            is_repeatable=True,
        )

    def probe_step(self, ports: tuple[str, str, str], link: Link, side: Side) -> PlanStep:
        """Return the step that tests for a loop, which runs after the bridge has joined the LANs; see `step`."""
        tunnel, bridge, _ = ports
        unused_address = probed_address(link)
        # What it adds to the table goes with that.
        source, undo = "", None
        if IPv4Address(unused_address) not in IPv4Interface(link.inner(side)).network:
            source = link.inner_ip(side)
            undo = root_command(bare_script("lan-unprobe.sh"), bridge, unused_address, timeout_s=5.0)
        words = (guard_table(link), tunnel, bridge, unused_address, source)
        return PlanStep(
            title=STEP_SEARCH_LOOP(),
            command=root_command(bare_script("lan-probe.sh"), *words, timeout_s=15.0),
            undo=undo,
        )

    def check(self, ports: tuple[str, str, str], link: Link, side: Side) -> Command:
        """Return a command that succeeds if the host takes such a table. Changes nothing; see `step`."""
        words = self._words(_CHECK_TABLE, ports, link, side)
        return root_command(bare_script("lan/guard-check.sh"), *words, "-c", timeout_s=15.0)

    def _words(self, table: str, ports: tuple[str, str, str], link: Link, side: Side) -> tuple[str, ...]:
        tunnel, bridge, lan_port = ports
        filters = [
            *(["dhcp"] if self.blocks_dhcp else []),
            *(["ra"] if self.blocks_router_advertisements else []),
            *(["own"] if self.keeps_own_requests else []),
        ]
        return (
            *(table, tunnel, bridge, lan_port),
            *(link.inner_ip(side), link.inner_ip(side.other), probed_address(link)),
            *(str(self.broadcast_limit), " ".join(filters)),
        )


def guard_table(link: Link) -> str:
    """Return the name of the table on both hosts."""
    return f"tunnelmark_lan_{link.names.ethernet_interface}"


def probed_address(link: Link) -> str:
    """Return the address that both hosts' probes ask for: one of the inner network that should be unused."""
    network = IPv4Interface(link.inner(Side.A)).network
    taken = {IPv4Interface(link.inner(side)).ip for side in Side}
    first, last = int(network.network_address) + 1, int(network.broadcast_address) - 1
    wanted = max(first, last - _FROM_THE_END)
    for number in (*range(wanted, last + 1), *range(wanted - 1, max(first, wanted - 3) - 1, -1)):
        address = type(network.network_address)(number)
        if address not in taken:
            return str(address)
    return _ELSEWHERE


@dataclass(frozen=True, slots=True)
class GuardState:
    """State of a host's table.

    Attributes:
        is_looped: Whether the LANs are parted because of a loop.
        limited_frames: Broadcast frames that the limit has dropped since the table was made.
    """

    is_looped: bool = False
    limited_frames: int = 0


def parse_guard(text: str) -> GuardState:
    """Translate `nft list table`; never raises."""
    return GuardState("elements = {" in text, sum(int(number) for number in _LIMITED.findall(text)))
