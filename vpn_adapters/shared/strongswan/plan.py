"""Files and steps of IPsec around packets that carry Ethernet frames."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, PlanStep, TunnelPlan, UpCheck
from app.domain.commands import FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared import ike, public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.messages import PROPOSAL_UNKNOWN
from vpn_adapters.shared.modular import tunnel
from vpn_adapters.shared.rendering import setting
from vpn_adapters.shared.strongswan import overhead, render
from vpn_adapters.shared.strongswan.algorithms import EspProposal, proposal_of
from vpn_adapters.shared.strongswan.identity import PUBLIC_KEY, own_public_key_path, peer_key_path
from vpn_adapters.shared.strongswan.payload import Payload
from vpn_adapters.shared.strongswan.suites import ESP, SHOWN_IKE

FOLDER = "shared/strongswan"
INITIATE_S = 12


def make(request: PlanRequest, payload: Payload) -> TunnelPlan:
    """Return the plan for both sides.

    Raises:
        InvalidPlan: The suite is none of ours.
    """
    link, proposal, header_bytes = request.link, _proposal(request), payload.header_bytes
    return replace(
        tunnel(
            request,
            payload.solution,
            partial(_end, payload),
            overhead_bytes=overhead.overhead_bytes(proposal, 1000, header_bytes),
        ),
        largest_unfragmented_frame_bytes=overhead.largest_unfragmented_frame_bytes(
            proposal, link.underlay_mtu_bytes, header_bytes
        ),
        outer_filter=ike.OUTER_FILTER,
        control_filter=ike.CONTROL_FILTER,
        encapsulation=payload.encapsulation,
        overhead_by_frame=overhead.overhead_by_frame(proposal, header_bytes),
    )


def _proposal(request: PlanRequest) -> EspProposal:
    proposal = proposal_of(setting(request, ESP))
    if proposal is None:
        raise InvalidPlan(PROPOSAL_UNKNOWN(proposal=setting(request, ESP)))
    return proposal


def _end(payload: Payload, request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    keys = own_public_key_path(link), peer_key_path(link)
    return EndpointPlan(
        files=(
            FileToWrite(render.daemon_config_path(link), render.daemon_config(request), mode=0o600),
            FileToWrite(
                render.connection_path(link), render.connection_config(request, side, payload.ip_protocol), mode=0o600
            ),
            FileToWrite(peer_key_path(link), public_keys.peer_file(request, side, PUBLIC_KEY), mode=0o600),
        ),
        steps=(
            payload.guard(link, side),
            _daemon_step(link, side, payload),
            payload.session(link, side, keys if side is Side.A else keys[::-1]),
            ike.connection_step(FOLDER, link, side, initiate_s=INITIATE_S),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=_negotiated(request),
        log_paths=(render.log_path(link),),
        listens=ike.IKE_PORTS,
        openings=tuple(Opening(protocol, 0, link.underlay(side.other)) for protocol in ("esp", payload.protocol)),
        kernel_modules=payload.all_modules,
        breakages=_breakages(link, side, payload),
        last_handshake=root_script(FOLDER, "handshake.sh", link.run_dir, timeout_s=10.0),
    )


def _kernel_arguments(link: Link, side: Side, payload: Payload) -> tuple[str, ...]:
    return ike.kernel_arguments(link, side, reqid=render.reqid(link), ip_protocol=payload.ip_protocol)


def _daemon_step(link: Link, side: Side, payload: Payload) -> PlanStep:
    return PlanStep(
        title=mark("Start a strongSwan of our own, with its own configuration, beside the system's"),
        command=root_script(FOLDER, "start.sh", link.run_dir, timeout_s=20.0),
        undo=root_script(FOLDER, "stop.sh", *_kernel_arguments(link, side, payload), timeout_s=20.0),
    )


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see what was agreed on: charon's own list of what it installed."""
    ike = re.escape(setting(request, SHOWN_IKE))
    esp = re.escape(_proposal(request).shown)
    return UpCheck(
        title=mark("What strongSwan agreed on with its peer"),
        command=root_script(FOLDER, "list.sh", request.link.run_dir, timeout_s=10.0),
        stdout_pattern=rf"(?s)(?=.*ESTABLISHED.*\n +{ike}\n)(?=.*INSTALLED, TRANSPORT, ESP:{esp}\n)",
    )


def _breakages(link: Link, side: Side, payload: Payload) -> tuple[Breakage, ...]:
    arguments = _kernel_arguments(link, side, payload)
    return (
        Breakage(
            mark("strongSwan is stopped, and the kernel's states and policies of this tunnel are flushed"),
            root_script(FOLDER, "break-stop.sh", *arguments, timeout_s=20.0),
        ),
        Breakage(
            mark("strongSwan is killed (SIGKILL)"), root_script(FOLDER, "break-kill.sh", link.run_dir, timeout_s=20.0)
        ),
    )
