"""Files and steps of PPP over SSH. A runs an sshd, B calls it; pppd starts on A when B has logged in."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, TCP_HEADER_WITH_TIMESTAMPS_BYTES
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.ppp_ssh.info import NAME
from vpn_adapters.shared import guards, ppp
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.l2tpv3 import CookieSeed
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.openssh import render
from vpn_adapters.shared.openssh.algorithms import CHANNEL_HEADER_BYTES, packet_bytes
from vpn_adapters.shared.openssh.discovery import sshd_of
from vpn_adapters.shared.openssh.identity import SSH_KEY
from vpn_adapters.shared.rendering import public_value, setting


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    cipher, mac = setting(request, "cipher"), setting(request, "mac")
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead_bytes(1000, cipher, mac)),
        up_timeout_s=40.0,
        outer_filter=f"tcp port {request.link.names.ssh_port}",
        overhead_by_frame={size: overhead_bytes(size, cipher, mac) for size in FRAME_BYTES},
        encapsulation=Encapsulation.L2TPV3,
    )


def overhead_bytes(frame_bytes: int, cipher: str, mac: str) -> int:
    """Return by how many bytes a frame is longer on the underlay.

    Args:
        frame_bytes: The Ethernet frame inside, without FCS, in bytes.
        cipher: As OpenSSH names it.
        mac: As OpenSSH names it.
    """
    headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + TCP_HEADER_WITH_TIMESTAMPS_BYTES
    return headers + packet_bytes(CHANNEL_HEADER_BYTES + ppp.stream_bytes(frame_bytes), cipher, mac) - frame_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    seed = CookieSeed(words=tuple(public_value(request.identity(one), SSH_KEY, one) for one in Side))
    return EndpointPlan(
        files=_files(request, side),
        # B calls, and the session is made on each host when the call is up. The guard is there before.
        steps=(
            guards.interface_step(link, side, link.names.lower_interface),
            _server_step(request) if side is Side.A else _call_step(request),
            ppp.session_step(link, side, seed),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=render.negotiated(request),
        log_paths=(ppp.log_path(link), render.log_path(link)),
        listens=(("tcp", link.names.ssh_port),) if side is Side.A else (),
        openings=(ppp.opening(link, side),),
        kernel_modules=ppp.STREAM_MODULES,
        breakages=ppp.breakages(link, "sshd" if side is Side.A else "pppd"),
    )


def _files(request: PlanRequest, side: Side) -> tuple[FileToWrite, ...]:
    link = request.link
    if side is Side.A:
        command = f"exec {ppp.pppd_of(request.facts_a, NAME)} notty file {ppp.options_path(link)}"
        files = render.server_files(request, command=command, tunnel=("PermitTunnel no",))
        return (*files, ppp.stream_options_file(request, side))
    call = f"ssh -F {render.client_config_path(link)} -E {render.log_path(link)} {render.PEER}"
    options = ppp.stream_options_file(request, side, own=(f'pty "{call}"', *ppp.CALL_AGAIN))
    return (*render.client_files(request, tunnel=("Tunnel no",)), options)


def _server_step(request: PlanRequest) -> PlanStep:
    link = request.link
    config, log = render.server_config_path(link), render.log_path(link)
    argv = (sshd_of(request, NAME), "-D", "-f", config, "-E", log)
    return ppp.start_step(
        link,
        mark("Start an sshd for this tunnel alone"),
        ppp.listening(link.names.ssh_port),
        *argv,
        leftovers=(log, render.pid_path(link)),
    )


def _call_step(request: PlanRequest) -> PlanStep:
    link = request.link
    return ppp.start_step(
        link,
        mark("Start pppd, which calls A by SSH"),
        (ppp.log_path(link), "Using interface"),
        *(ppp.pppd_of(request.facts_b, NAME), "file", ppp.options_path(link)),
        leftovers=(render.log_path(link),),
    )
