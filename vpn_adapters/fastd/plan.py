"""Files and steps of fastd."""

from __future__ import annotations

import re
from dataclasses import replace

from app.domain.adapters import EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES
from app.domain.messages import mark
from vpn_adapters.fastd.info import NAME
from vpn_adapters.fastd.render import config, config_path, log_path, peer_name
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import breakages, logged, stop_command
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.taps import set_up_step, tap_step

UDP_HEADER_BYTES = 8

UP_TIMEOUT_S = 45.0
"""Time for a second handshake, 15 to 20 s after one that was lost or that came too soon after the last."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    overhead = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + int(setting(request, "header"))
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead),
        up_timeout_s=UP_TIMEOUT_S,
        largest_unfragmented_frame_bytes=link.underlay_mtu_bytes + ETHERNET_HEADER_BYTES - overhead,
        outer_filter=f"udp port {link.names.udp_port}",
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    # Both hosts work at the same time. A is started as early as can be, B, which calls it, as late.
    tap, set_up, daemon = tap_step(link), set_up_step(link, side), _daemon_step(request, side)
    peer = f"connection with <{peer_name(side.other)}> established."
    return EndpointPlan(
        files=(FileToWrite(config_path(link), config(request, side), mode=0o600),),
        steps=(tap, daemon, set_up) if side is Side.A else (tap, set_up, daemon),
        interface=link.names.ethernet_interface,
        up_checks=(
            logged(mark("fastd reports a connection with its peer"), peer, log_path(link)),
            interface_up_check(link),
        ),
        negotiated=_negotiated(request, side),
        log_paths=(log_path(link),),
        fatal_log_pattern="no common methods are configured|MTU configuration differs|TUN/TAP mode mismatch",
        listens=(("udp", link.names.udp_port),),
        kernel_modules=("tun",),
        breakages=breakages(link, NAME, NAME, config_path(link)),
        last_handshake=root_script("fastd", "handshake.sh", log_path(link), timeout_s=5.0),
    )


def _daemon_step(request: PlanRequest, side: Side) -> PlanStep:
    link = request.link
    caller = "calls" if side is Side.B else ""
    return PlanStep(
        title=mark("Start fastd"),
        command=root_script("fastd", "start.sh", config_path(link), log_path(link), caller, timeout_s=15.0),
        # The log goes too, so that what the next daemon says is all that is in it.
        undo=stop_command(NAME, config_path(link), log_path(link)),
        depends_on_suite=True,
        # The supervisor knows processes of root alone by itself.
        health_check=root_script("fastd", "alive.sh", config_path(link), timeout_s=5.0),
    )


def _negotiated(request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see what was agreed on. Source: logs of fastd 21, 22 and 23."""
    peer, method = re.escape(peer_name(side.other)), re.escape(setting(request, "method"))
    pattern = rf"new session with <{peer}> established using method `{method}'"
    title = mark("The method that fastd agreed on with its peer")
    return logged(title, "new session with", log_path(request.link), pattern)
