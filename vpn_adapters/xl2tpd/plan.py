"""Files and steps of xl2tpd. A answers as LNS, B calls as LAC."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, shell_step_argv
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES, Link
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.shared import l2tpv3, ppp
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import run_file, suite_file
from vpn_adapters.xl2tpd.discovery import KERNEL_MODULES
from vpn_adapters.xl2tpd.info import NAME

PORT = 1701
"""Port of both sides. Source: RFC 2661 section 8.1."""
L2TP_HEADER_BYTES = 6
"""Flags, tunnel, session; no length and no numbers in what the kernel sends. Source: RFC 2661 section 3.1; captures."""
PPP_HEADER_BYTES = 4
"""Address, control, protocol. Source: RFC 1661, RFC 1662."""

_HEADERS = IPV4_HEADER_BYTES + UDP_HEADER_BYTES + L2TP_HEADER_BYTES + PPP_HEADER_BYTES
_INSIDE = l2tpv3.packet_bytes(0, cookie_bytes=0)

config_path = run_file("xl2tpd.conf")
"""Path of xl2tpd's configuration on each host."""


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides."""
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=ETHERNET_HEADER_BYTES + _HEADERS + _INSIDE),
        up_timeout_s=40.0,
        largest_unfragmented_frame_bytes=request.link.underlay_mtu_bytes - _HEADERS - _INSIDE,
        outer_filter=f"udp port {PORT}",
        encapsulation=Encapsulation.L2TPV3,
    )


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    return EndpointPlan(
        files=_files(request, side),
        steps=(_daemon_step(link), ppp.session_step(link, side, None)),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        log_paths=(ppp.log_path(link),),
        listens=(("udp", PORT),),
        openings=(ppp.opening(link, side),),
        kernel_modules=KERNEL_MODULES,
    )


def _files(request: PlanRequest, side: Side) -> tuple[FileToWrite, ...]:
    mtu_bytes = request.link.underlay_mtu_bytes - _HEADERS
    login = ("require-chap",) if side is Side.A else ("refuse-pap", "refuse-mschap", "refuse-mschap-v2", "refuse-eap")
    return (
        FileToWrite(config_path(request.link), _config(request, side), mode=0o600),
        ppp.options_file(request, side, mtu_bytes=mtu_bytes, own=("noccp", *login)),
    )


def _config(request: PlanRequest, side: Side) -> bytes:
    """Return xl2tpd's configuration. Source: xl2tpd.conf(5) of xl2tpd 1.3.18."""
    link = request.link
    begin = ["[global]", f"listen-addr = {link.underlay(side)}", f"port = {PORT}"]
    end = [f"name = {ppp.login(side)}", f"pppoptfile = {ppp.options_path(link)}", "length bit = yes"]
    own = _lns(link) if side is Side.A else _lac(link)
    return suite_file(request, [*begin, *own, *end])


def _lns(link: Link) -> list[str]:
    peer = link.carrier(Side.B)
    return [
        "[lns default]",
        f"ip range = {peer}-{peer}",
        f"local ip = {link.carrier(Side.A)}",
        "require chap = yes",
        "refuse pap = yes",
        "require authentication = yes",
    ]


def _lac(link: Link) -> list[str]:
    return [
        f"[lac {link.names.lower_interface}]",
        f"lns = {link.underlay(Side.A)}",
        "autodial = yes",
        "redial = yes",
        "redial timeout = 2",
    ]


def _daemon_step(link: Link) -> PlanStep:
    argv = shell_step_argv(adapter_script(NAME, "run-xl2tpd.sh"), config_path(link))
    ready = (ppp.log_path(link), "Listening on IP address")
    return ppp.start_step(link, mark("Start xl2tpd"), ready, *argv, secret=ppp.secret_path(link))
