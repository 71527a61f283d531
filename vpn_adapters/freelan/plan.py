"""Files and steps of freelan."""

from __future__ import annotations

import re
from dataclasses import replace

from app.domain.adapters import EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from app.domain.messages import mark
from vpn_adapters.freelan.info import NAME
from vpn_adapters.freelan.render import config, config_path, peer_certificate, peer_certificate_path
from vpn_adapters.shared import daemons, taps
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.messages import NOTE_OWN_ROUTE
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import run_file, setting

FSCP_BYTES = 4 + 4 + 16 + 2
"""Header, sequence number, tag and length of a DATA message. Source: libs/fscp/fscp.txt, sections 2.1 and 2.6."""

UP_TIMEOUT_S = 45.0
"""Time for a second greeting, which freelan sends 30 s after the first."""

log_path = run_file("freelan.log")
"""Path of the daemon's log."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link = request.link
    overhead = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + FSCP_BYTES
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead),
        up_timeout_s=UP_TIMEOUT_S,
        largest_unfragmented_frame_bytes=link.underlay_mtu_bytes + ETHERNET_HEADER_BYTES - overhead,
        outer_filter=f"udp port {link.names.freelan_port}",
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    return EndpointPlan(
        files=(
            FileToWrite(config_path(link), config(request, side), mode=0o600),
            FileToWrite(peer_certificate_path(link), peer_certificate(request, side), mode=0o600),
        ),
        steps=(taps.tap_step(link), taps.set_up_step(link, side), _route_step(link, side), _daemon_step(link)),
        interface=link.names.ethernet_interface,
        up_checks=(_session_check(link, side), interface_up_check(link)),
        negotiated=_negotiated(request, side),
        log_paths=(log_path(link),),
        listens=(("udp", link.names.freelan_port),),
        kernel_modules=("tun",),
        breakages=daemons.breakages(link, NAME, NAME, config_path(link)),
    )


def _route_step(link: Link, side: Side) -> PlanStep:
    # A route to the peer that is there before is the user's. One that comes with a session is freelan's: it takes it
    # away when it ends, but not when it is killed.
    peer, mark = link.underlay(side.other), f"{link.run_dir}/freelan-sets-a-route"
    return PlanStep(
        title=NOTE_OWN_ROUTE(peer=peer),
        command=root_script("freelan", "note-route.sh", peer, mark, timeout_s=5.0),
        undo=root_script("freelan", "forget-route.sh", peer, mark, timeout_s=5.0),
    )


def _daemon_step(link: Link) -> PlanStep:
    return PlanStep(
        title=mark("Start freelan"),
        command=root_script("freelan", "start.sh", config_path(link), log_path(link)),
        # The log goes too, so that what the next daemon says is all that is in it.
        undo=daemons.stop_command(NAME, config_path(link), log_path(link)),
        depends_on_suite=True,
    )


def _session_check(link: Link, side: Side) -> UpCheck:
    peer = f"Session established with {link.underlay(side.other)}:{link.names.freelan_port}."
    return daemons.logged(mark("freelan says that it has a session with its peer"), peer, log_path(link))


def _negotiated(request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see what was agreed on. Source: freelan 2.2, libs/freelan/src/core.cpp, when a session is there."""
    link = request.link
    peer = re.escape(f"{link.underlay(side.other)}:{link.names.freelan_port}")
    suite, curve = re.escape(setting(request, "cipher-suite")), re.escape(setting(request, "curve"))
    return daemons.logged_like(
        mark("What freelan agreed on with its peer"),
        "Session established with|Cipher suite:|Elliptic curve:",
        log_path(link),
        rf"Session established with {peer}\.\n[^\n]*Cipher suite: {suite}\n[^\n]*curve: {curve}\n",
    )
