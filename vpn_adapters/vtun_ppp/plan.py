"""Files and steps of PPP over VTun. A listens, B calls it, and vtund starts pppd on both when the session is open."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.profiles import FRAME_BYTES
from vpn_adapters.shared import guards, ppp
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import logged
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.l2tpv3 import CookieSeed
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.vtund import render, session
from vpn_adapters.shared.vtund.ciphers import Cipher
from vpn_adapters.shared.vtund.identity import secret_path
from vpn_adapters.vtun_ppp.info import NAME

_PATIENT = "lcp-max-configure 1000", "ipcp-max-configure 1000"
"""vtund asks whether its peer answers, and ends and starts pppd with its sessions. A pppd that gave up before, after 10
requests in 30 seconds, would not be started again where the session goes on. Source: pppd(8)."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    cipher = render.cipher_of(request)
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead_bytes(cipher, 1000)),
        up_timeout_s=40.0,
        # There is no largest unfragmented frame: bytes that are sent as two make it depend on what a frame contains.
        outer_filter=session.outer_filter(request.link),
        control_filter=session.control_filter(request.link),
        overhead_by_frame={size: overhead_bytes(cipher, size) for size in FRAME_BYTES},
        encapsulation=Encapsulation.L2TPV3,
    )


def overhead_bytes(cipher: Cipher, frame_bytes: int) -> int:
    """Return by how many bytes a frame (without FCS, in bytes) is longer on the underlay, alone in a datagram."""
    return session.outer_bytes(cipher, ppp.stream_bytes(frame_bytes)) - frame_bytes


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    facts = request.facts_a if side is Side.A else request.facts_b
    # Until pppd has its pseudo-terminal, that sends back what comes, which the other pppd takes for a loop: A sends
    # nothing before it is asked, and B asks when A has had time. Source: pppd(8), silent; termios(3), ECHO.
    wait, own = ((), ("silent",)) if side is Side.A else (('    program "/bin/sleep 3" wait;',), ())
    carried = ("tty", "  up {", *wait, f'    ppp "file {ppp.options_path(link)}";', "  };")
    return EndpointPlan(
        files=(
            *render.files(request, side, carried, options=(f"  ppp {ppp.pppd_of(facts, NAME)};",)),
            ppp.stream_options_file(request, side, own=(*own, *_PATIENT), has_echoes=False),
        ),
        # B calls, and the session is made on each host when the call is up. The guard is there before.
        steps=(
            guards.interface_step(link, side, link.names.lower_interface),
            _password_step(link),
            _daemon_step(request, side),
            ppp.session_step(link, side, CookieSeed(paths=(secret_path(link),))),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=_negotiated(request),
        log_paths=(ppp.log_path(link),),
        listens=session.listens(link, side),
        openings=(ppp.opening(link, side),),
        kernel_modules=ppp.STREAM_MODULES,
        breakages=ppp.breakages(link, "vtund"),
    )


def _password_step(link: Link) -> PlanStep:
    live = render.live_config_path(link)
    words = (render.config_path(link), secret_path(link), live)
    return PlanStep(
        title=mark("Put the password into vtund's configuration"),
        command=root_script("shared/vtund", "live-config.sh", *words),
        undo=Command(("rm", "-f", live), timeout_s=5.0, is_root=True),
    )


def _daemon_step(request: PlanRequest, side: Side) -> PlanStep:
    link = request.link
    # In the foreground, since as a daemon it has no log but the system's.
    argv: tuple[str, ...] = ("vtund", "-n", "-f", render.live_config_path(link))
    if render.needs_legacy(request):
        argv = ("env", f"OPENSSL_CONF={render.openssl_path(link)}", *argv)
    ready = ppp.listening(link.names.tcp_port) if side is Side.A else (ppp.log_path(link), " started$")
    return ppp.start_step(link, mark("Start vtund"), ready, *argv, *session.arguments(link, side))


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see which cipher is used: what the server names and the client obeys."""
    pattern = session.cipher_pattern(render.cipher_of(request))
    return logged(mark("The cipher that vtund uses"), "encryption initialized", ppp.log_path(request.link), pattern)
