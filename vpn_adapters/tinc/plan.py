"""Files and steps of tinc."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import breakages, logged_like, stop_command
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.taps import set_up_step, tap_step
from vpn_adapters.tinc.identity import folder, node_name
from vpn_adapters.tinc.info import NAME
from vpn_adapters.tinc.render import config, config_path, host, host_path, log_path, pid_path
from vpn_adapters.tinc.suites import UNKNOWN_NUMBER

SEQUENCE_NUMBER_BYTES = 4
"""Encrypted with each frame. Source: tinc manual, section The UDP tunnel."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    cost = Cost(int(setting(request, "block")), int(setting(request, "mac-length")))
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=cost.at(1000)),
        largest_unfragmented_frame_bytes=cost.largest_unfragmented_frame_bytes(link.underlay_mtu_bytes),
        outer_filter=f"udp port {link.names.tinc_port}",
        # tinc's keepalive (PingInterval) is sent over this connection, and nothing by UDP while the tunnel is idle.
        control_filter=f"tcp port {link.names.tinc_port}",
        overhead_by_frame={size: cost.at(size) for size in FRAME_BYTES},
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """Overhead of tinc per frame.

    Attributes:
        block_bytes: The cipher fills whole blocks of this size; 1 for those that do not.
        mac_bytes: Size of the MAC.
    """

    block_bytes: int
    mac_bytes: int

    def at(self, frame_bytes: int) -> int:
        """Return by how many bytes a frame is longer on the underlay. Padding is at least one byte (RFC 5652, 6.3)."""
        headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
        return headers + self._encrypted(SEQUENCE_NUMBER_BYTES + frame_bytes) + self.mac_bytes - frame_bytes

    def largest_unfragmented_frame_bytes(self, underlay_mtu_bytes: int) -> int:
        """Return the largest frame that crosses in one outer packet, in bytes."""
        room = underlay_mtu_bytes - IPV4_HEADER_BYTES - UDP_HEADER_BYTES - self.mac_bytes
        filled = room // self.block_bytes * self.block_bytes - (1 if self.block_bytes > 1 else 0)
        return filled - SEQUENCE_NUMBER_BYTES

    def _encrypted(self, size_bytes: int) -> int:
        return size_bytes if self.block_bytes == 1 else (size_bytes // self.block_bytes + 1) * self.block_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    port = link.names.tinc_port
    # Both hosts work at the same time. A is started as early as can be, B, which calls it, as late.
    tap, set_up, daemon = tap_step(link), set_up_step(link, side), daemon_step(request, side)
    return EndpointPlan(
        files=(
            FileToWrite(config_path(link), config(request, side), mode=0o600),
            *(FileToWrite(host_path(link, one), host(request, one), mode=0o600) for one in Side),
        ),
        steps=(tap, daemon, set_up) if side is Side.A else (tap, set_up, daemon),
        interface=link.names.ethernet_interface,
        up_checks=(_connection_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(request, side),
        log_paths=(log_path(link),),
        fatal_log_pattern="Error (while encrypting packet|during initialisation of key)",
        listens=(("udp", port), ("tcp", port)),
        kernel_modules=("tun",),
        breakages=breakages(link, "tincd", "tincd", folder(link)),
    )


def daemon_step(request: PlanRequest, side: Side) -> PlanStep:
    """Return the step that starts the daemon; B calls A."""
    link = request.link
    called = node_name(Side.A) if side is Side.B else ""
    arguments = (folder(link), pid_path(link), log_path(link), setting(request, "debug"), called)
    return PlanStep(
        title=mark("Start tinc"),
        command=root_script("tinc", "start.sh", *arguments, timeout_s=15.0),
        undo=stop_command("tincd", folder(link), pid_path(link), log_path(link)),
        depends_on_suite=True,
    )


def _connection_check(link: Link, side: Side) -> UpCheck:
    expression = f"Connection with {node_name(side.other)} .*activated"
    return logged_like(mark("tinc says that its connection is there"), expression, log_path(link))


def _negotiated(request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see what is used towards the peer.

    tinc names ciphers and digests by OpenSSL's numbers, as the peer asked for them. `status` are bits: 0x02 says that
    the peer's key is there, without which frames silently go through the TCP connection and its cipher; 0x10 that the
    peer is reached, 0x20 that it is not reached directly. `options` would have 0x02 for TCP only and 0x04 for path MTU
    discovery, with which larger frames go over TCP. Source: tinc 1.0.36: node.h, node.c, connection.h, protocol_key.c.
    """
    link = request.link
    numbers = {name: setting(request, f"{name}-number") for name in ("cipher", "digest")}
    cipher, digest = (r"[1-9]\d*" if number == UNKNOWN_NUMBER else number for number in numbers.values())
    pattern = (
        f" {node_name(side.other)} at {link.underlay(side.other).replace('.', r'[.]')} port {link.names.tinc_port} "
        f"cipher {cipher} digest {digest} maclength {setting(request, 'mac-length')} compression 0 "
        f"options [0-9a-f]*[0189] status [0-9a-f]*[159d][2367abef] "
    )
    return UpCheck(
        title=mark("What tinc uses towards its peer, by OpenSSL's numbers, and that it goes over UDP"),
        command=root_script("tinc", "nodes.sh", pid_path(link), log_path(link), node_name(side.other)),
        stdout_pattern=pattern,
    )
