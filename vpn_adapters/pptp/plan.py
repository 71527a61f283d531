"""Files and steps of PPTP. A runs pptpd, B calls it."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import FileToWrite
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from app.domain.messages import mark
from vpn_adapters.pptp.discovery import KERNEL_MODULES
from vpn_adapters.pptp.info import NAME
from vpn_adapters.shared import guards, l2tpv3, ppp
from vpn_adapters.shared.daemons import logged
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import run_file, suite_file

PORT = 1723
"""Port of A's control connection; the protocol has no other. Source: RFC 2637 section 3."""
GRE_PROTOCOL = 47
GRE_HEADER_BYTES = 16
"""With number and acknowledgement, as packets have while frames go both ways. Source: RFC 2637 section 4.1."""
MPPE_HEADER_BYTES = 5
"""Protocol (1), flags and counter (2), protocol inside (2). Source: RFC 3078 section 3; captures of ppp 2.4.9."""
MPPE_ROOM_BYTES = 4
"""By which pppd lowers the MTU of an interface with MPPE. Source: ppp 2.4.9, ccp.c, ccp_up (MPPE_PAD)."""

_ENCRYPTED = "MPPE 128-bit stateless compression enabled"
"""Source: ppp 2.4.9, ccp.c, method_name."""
_HEADERS = IPV4_HEADER_BYTES + GRE_HEADER_BYTES + MPPE_HEADER_BYTES

config_path = run_file("pptpd.conf")
"""Path of pptpd's configuration on A."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    room = request.link.underlay_mtu_bytes - _HEADERS
    overhead = ETHERNET_HEADER_BYTES + _HEADERS + l2tpv3.packet_bytes(0)
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead),
        up_timeout_s=40.0,
        largest_unfragmented_frame_bytes=room - l2tpv3.packet_bytes(0),
        outer_filter=f"ip proto {GRE_PROTOCOL} or tcp port {PORT}",
        encapsulation=Encapsulation.L2TPV3,
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    program = "pptpd" if side is Side.A else "pptp"
    return EndpointPlan(
        files=_files(request, side),
        # B calls, and the session is made on each host when the call is up. The guard is there before.
        steps=(
            guards.interface_step(link, side, link.names.lower_interface),
            _server_step(link) if side is Side.A else _call_step(link),
            ppp.session_step(link, side, l2tpv3.CookieSeed(paths=(ppp.secret_path(link),))),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=logged(mark("pppd reports MPPE with 128 bits"), _ENCRYPTED, ppp.log_path(link), _ENCRYPTED),
        log_paths=(ppp.log_path(link),),
        listens=(("tcp", PORT),) if side is Side.A else (),
        openings=(Opening("gre", 0, link.underlay(side.other)), ppp.opening(link, side)),
        kernel_modules=KERNEL_MODULES,
        breakages=ppp.breakages(link, program),
    )


def _files(request: PlanRequest, side: Side) -> tuple[FileToWrite, ...]:
    mtu_bytes = request.link.underlay_mtu_bytes - _HEADERS + MPPE_ROOM_BYTES
    options = ppp.options_file(request, side, mtu_bytes=mtu_bytes, own=_options(request.link, side))
    if side is Side.B:
        return (options,)
    return FileToWrite(config_path(request.link), _config(request), mode=0o600), options


def _options(link: Link, side: Side) -> tuple[str, ...]:
    """Return the options of MPPE and of the login. Source: pppd(8)."""
    common = ("require-mppe-128", "nomppe-stateful", "refuse-pap", "refuse-chap", "refuse-mschap", "refuse-eap")
    compression = ("nobsdcomp", "nodeflate")
    if side is Side.A:
        return (*common, *compression, "require-mschap-v2")
    # Without --nohostroute, pptp sets a route that it never removes. Source: pptp(8), ROUTING.
    call = f"pptp {link.underlay(Side.A)} --nolaunchpppd --nohostroute --logstring {link.names.lower_interface}"
    return (*common, *compression, f'pty "{call}"', *ppp.CALL_AGAIN)


def _config(request: PlanRequest) -> bytes:
    """Return pptpd's configuration. Source: pptpd.conf(5) of pptpd 1.4.0."""
    link = request.link
    lines = [
        f"option {ppp.options_path(link)}",
        f"listen {link.underlay(Side.A)}",
        "noipparam",
        "connections 1",
        f"localip {link.carrier(Side.A)}",
        f"remoteip {link.carrier(Side.B)}",
    ]
    return suite_file(request, lines)


def _server_step(link: Link) -> PlanStep:
    words = ("pptpd", "-f", "-c", config_path(link), "-p", "/run/pptpd.pid")
    return ppp.start_step(link, mark("Start pptpd"), ppp.listening(PORT), *words, secret=ppp.secret_path(link))


def _call_step(link: Link) -> PlanStep:
    ready = (ppp.log_path(link), "Using interface")
    argv = ("pppd", "file", ppp.options_path(link))
    title = mark("Start pppd, which calls A by PPTP")
    return ppp.start_step(link, title, ready, *argv, secret=ppp.secret_path(link))
