"""Files and steps of IPsec by Libreswan around L2TPv3."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import Breakage, Encapsulation, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.libreswan import render
from vpn_adapters.libreswan.algorithms import EspWords, esp_words
from vpn_adapters.libreswan.discovery import KERNEL_MODULES
from vpn_adapters.libreswan.identity import PUBLIC_KEY, own_public_key_path
from vpn_adapters.libreswan.info import NAME
from vpn_adapters.libreswan.suites import ESP, SHOWN_IKE
from vpn_adapters.shared import guards, ike, l2tpv3, public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.messages import PROPOSAL_UNKNOWN
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.strongswan import overhead

HEADER_BYTES = l2tpv3.L2TPV3_HEADER_BYTES + l2tpv3.COOKIE_BYTES
INITIATE_S = 15


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both sides.

    Raises:
        InvalidPlan: The suite is none of ours.
    """
    proposal = _words(request).proposal
    return replace(
        tunnel(request, NAME, _end, overhead_bytes=overhead.overhead_bytes(proposal, 1000, HEADER_BYTES)),
        largest_unfragmented_frame_bytes=overhead.largest_unfragmented_frame_bytes(
            proposal, request.link.underlay_mtu_bytes, HEADER_BYTES
        ),
        outer_filter=ike.OUTER_FILTER,
        control_filter=ike.CONTROL_FILTER,
        encapsulation=Encapsulation.L2TPV3,
        overhead_by_frame=overhead.overhead_by_frame(proposal, HEADER_BYTES),
    )


def _words(request: PlanRequest) -> EspWords:
    words = esp_words(setting(request, ESP))
    if words is None:
        raise InvalidPlan(PROPOSAL_UNKNOWN(proposal=setting(request, ESP)))
    return words


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    keys = own_public_key_path(link), render.peer_key_path(link)
    ends = link.underlay(side), link.underlay(side.other)
    return EndpointPlan(
        files=(
            FileToWrite(render.config_path(link), render.config(request, side), mode=0o600),
            FileToWrite(render.peer_key_path(link), public_keys.peer_file(request, side, PUBLIC_KEY), mode=0o600),
        ),
        steps=(
            guards.ipsec_step(link, side),
            _daemon_step(link, side),
            l2tpv3.create_step(link, side, ends, l2tpv3.CookieSeed(paths=keys if side is Side.A else keys[::-1])),
            ike.connection_step(NAME, link, side, initiate_s=INITIATE_S),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=_negotiated(request),
        log_paths=(render.log_path(link),),
        listens=ike.IKE_PORTS,
        openings=tuple(Opening(protocol, 0, link.underlay(side.other)) for protocol in ("esp", "l2tp")),
        kernel_modules=KERNEL_MODULES,
        breakages=(
            Breakage(
                mark("Libreswan is stopped, which empties the kernel's tables of IPsec"),
                root_script(NAME, "break-stop.sh", *_kernel_arguments(link, side), timeout_s=20.0),
            ),
            Breakage(
                mark("Libreswan is killed (SIGKILL)"),
                root_script(NAME, "break-kill.sh", link.run_dir, timeout_s=20.0),
            ),
        ),
        last_handshake=root_script(NAME, "handshake.sh", link.run_dir, timeout_s=10.0),
    )


def _kernel_arguments(link: Link, side: Side) -> tuple[str, ...]:
    return ike.kernel_arguments(link, side, reqid=render.reqid(link), ip_protocol=l2tpv3.IP_PROTOCOL)


def _daemon_step(link: Link, side: Side) -> PlanStep:
    return PlanStep(
        title=mark("Start a Libreswan of our own, with its own configuration, where the kernel has no other IPsec"),
        command=root_script(NAME, "start.sh", link.run_dir, timeout_s=30.0),
        undo=root_script(NAME, "stop.sh", *_kernel_arguments(link, side), timeout_s=20.0),
    )


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see what was agreed on: pluto's own account of the connection."""
    ike, esp = SHOWN_IKE, _words(request).shown
    return UpCheck(
        title=mark("What Libreswan agreed on with its peer"),
        command=root_script(NAME, "list.sh", request.link.run_dir, timeout_s=10.0),
        stdout_pattern=(
            r"(?s)(?=.*ESTABLISHED_CHILD_SA)(?=.*policy: IKEv2\+ECDSA\+ENCRYPT\+TRANSPORT\+PFS\+)"
            rf"(?=.*IKEv2 algorithm newest: {ike}\n)(?=.*ESP algorithm newest: {esp};)"
        ),
    )
