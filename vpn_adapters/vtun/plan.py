"""Files and steps of VTun."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import logged
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.messages import DAEMON_KILLED, DAEMON_STOPPED
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import run_file
from vpn_adapters.shared.taps import set_up_step, tap_down_breakage, tap_step
from vpn_adapters.shared.vtund import session
from vpn_adapters.shared.vtund.ciphers import Cipher
from vpn_adapters.shared.vtund.identity import secret_path
from vpn_adapters.shared.vtund.render import (
    cipher_of,
    config_path,
    files,
    live_config_path,
    needs_legacy,
    openssl_path,
    session_name,
)
from vpn_adapters.vtun.info import NAME

PROGRAM = "vtund"

UP_TIMEOUT_S = 30.0
"""A call that came before A listened is repeated after 5 s. Source: VTun 3.0.4, client.c."""

log_path = run_file("vtund.log")
"""Path of the daemon's log on each host."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    link, cipher = request.link, cipher_of(request)
    room = link.underlay_mtu_bytes - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=_overhead(cipher, 1000)),
        up_timeout_s=UP_TIMEOUT_S,
        largest_unfragmented_frame_bytes=cipher.largest_frame_bytes(room),
        outer_filter=session.outer_filter(link),
        control_filter=session.control_filter(link),
        overhead_by_frame={size: _overhead(cipher, size) for size in FRAME_BYTES},
    )


def _overhead(cipher: Cipher, frame_bytes: int) -> int:
    return session.outer_bytes(cipher, frame_bytes) - frame_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    # No command is run when the session opens.
    carried = ("ether", f"  device {link.names.ethernet_interface};", "  up {", "  };")
    # vtund ends a session whose interface is down. Both hosts work at the same time, and B calls A.
    steps = (tap_step(link), set_up_step(link, side), _daemon_step(request, side))
    return EndpointPlan(
        files=files(request, side, carried),
        steps=steps,
        interface=link.names.ethernet_interface,
        up_checks=(
            logged(mark("vtund reports an open session"), f"Session {session_name(link)}[", log_path(link)),
            interface_up_check(link),
        ),
        negotiated=_negotiated(request, side),
        log_paths=(log_path(link),),
        listens=session.listens(link, side),
        kernel_modules=("tun",),
        breakages=(
            Breakage(DAEMON_KILLED(program=PROGRAM), _end_command(link, "KILL")),
            Breakage(DAEMON_STOPPED(program=PROGRAM), _end_command(link, "TERM")),
            tap_down_breakage(link),
        ),
    )


def _daemon_step(request: PlanRequest, side: Side) -> PlanStep:
    link = request.link
    openssl = openssl_path(link) if needs_legacy(request) else ""
    paths = (config_path(link), secret_path(link), live_config_path(link), log_path(link), openssl)
    return PlanStep(
        title=mark("Start vtund"),
        command=root_script("vtun", "start.sh", *paths, *session.arguments(link, side), timeout_s=15.0),
        # The log goes too, so that what the next daemon says is all that is in it.
        undo=_end_command(link, "TERM", live_config_path(link), log_path(link)),
        depends_on_suite=True,
        # vtund writes its title over its environment, by which the supervisor knows processes.
        health_check=root_script(
            "vtun", "alive.sh", session_name(link), _listening(link), live_config_path(link), timeout_s=5.0
        ),
    )


def _listening(link: Link) -> str:
    """Return the title of the process that listens."""
    return f"waiting for connections on port {link.names.tcp_port}"


def _end_command(link: Link, signal: str, *leftovers: str) -> Command:
    words = (_listening(link), session_name(link), live_config_path(link))
    return root_script("vtun", "end.sh", signal, *words, *leftovers, timeout_s=25.0)


def _negotiated(request: PlanRequest, side: Side) -> UpCheck:
    """Return how to see which cipher is used: what the server names and the client obeys."""
    link = request.link
    return UpCheck(
        title=mark("The cipher that vtund uses"),
        command=root_script("vtun", "used.sh", log_path(link), link.inner_ip(side.other), timeout_s=10.0),
        stdout_pattern=session.cipher_pattern(cipher_of(request)),
    )
