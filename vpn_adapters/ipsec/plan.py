"""Files and steps of IPsec around L2TPv3."""

from __future__ import annotations

import re

from app.domain.adapters import Breakage, EndpointPlan, PlanRequest, Step, TunnelPlan, UpCheck, shell_step_argv
from app.domain.commands import Command, FileToWrite
from app.domain.errors import InvalidPlan
from app.domain.firewall import Opening
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.ipsec import overhead, render, scripts
from vpn_adapters.ipsec.algorithms import EspProposal, proposal_of
from vpn_adapters.ipsec.discovery import KERNEL_MODULES
from vpn_adapters.ipsec.identity import own_public_key_path, peer_key_path
from vpn_adapters.ipsec.info import NAME
from vpn_adapters.ipsec.suites import ESP, SHOWN_IKE
from vpn_adapters.shared import guards, l2tpv3
from vpn_adapters.shared.interfaces import interface_up_check
from vpn_adapters.shared.rendering import setting

IKE_PORTS = (("udp", 500), ("udp", 4500))
"""An IKE daemon of the host's own has these open; then nothing is touched. Source: RFC 7296 section 2."""
INITIATE_S = 12
WIRE_FILTER = "ip proto 50"


def make(request: PlanRequest) -> TunnelPlan:
    """Return the plan for both ends.

    Raises:
        InvalidPlan: The suite is none of ours.
    """
    link, proposal = request.link, _proposal(request)
    return TunnelPlan(
        solution=NAME,
        suite=request.suite,
        a=_end(request, Side.A),
        b=_end(request, Side.B),
        probe_address_a=link.inner_ip(Side.A),
        probe_address_b=link.inner_ip(Side.B),
        inner_mtu_bytes=link.inner_mtu_bytes,
        overhead_bytes=overhead.overhead_bytes(proposal, 1000),
        overhead_note=overhead.note(proposal),
        largest_unfragmented_frame_bytes=overhead.largest_unfragmented_frame_bytes(proposal, link.underlay_mtu_bytes),
        wire_filter=WIRE_FILTER,
        has_l2tp_session=True,
        overhead_by_frame=overhead.overhead_by_frame(proposal),
    )


def _proposal(request: PlanRequest) -> EspProposal:
    proposal = proposal_of(setting(request, ESP))
    if proposal is None:
        raise InvalidPlan(f"ESP knows nothing like {setting(request, ESP)}.")
    return proposal


def _end(request: PlanRequest, side: Side) -> EndpointPlan:
    link = request.link
    ends = link.underlay(side), link.underlay(side.other)
    keys = own_public_key_path(link), peer_key_path(link)
    return EndpointPlan(
        files=(
            FileToWrite(render.daemon_config_path(link), render.daemon_config(request), mode=0o600),
            FileToWrite(render.connection_path(link), render.connection_config(request, side), mode=0o600),
            FileToWrite(peer_key_path(link), render.peer_key(request, side), mode=0o600),
        ),
        steps=(
            guards.ipsec_step(link, side),
            _daemon_step(link, side),
            l2tpv3.create_step(link, side, ends, l2tpv3.CookieSeed(paths=keys if side is Side.A else keys[::-1])),
            _connection_step(link, side),
        ),
        interface=link.names.ethernet_interface,
        up_checks=(interface_up_check(link),),
        negotiated=_negotiated(request),
        log_paths=(render.log_path(link),),
        listens=IKE_PORTS,
        openings=tuple(Opening(protocol, 0, link.underlay(side.other)) for protocol in ("esp", "l2tp")),
        kernel_modules=KERNEL_MODULES,
        breakages=_breakages(link, side),
        last_handshake=_root(scripts.HANDSHAKE_SCRIPT, link.run_dir, timeout_s=10.0),
    )


def _kernel_arguments(link: Link, side: Side) -> tuple[str, ...]:
    return (
        link.run_dir,
        str(render.reqid(link)),
        link.underlay(side),
        link.underlay(side.other),
        str(l2tpv3.IP_PROTOCOL),
    )


def _root(script: str, *arguments: str, timeout_s: float) -> Command:
    return Command(shell_step_argv(script, *arguments), timeout_s=timeout_s, is_root=True)


def _daemon_step(link: Link, side: Side) -> Step:
    return Step(
        title="Start a strongSwan of our own, with its own configuration, beside the system's",
        command=_root(scripts.START_SCRIPT, link.run_dir, timeout_s=20.0),
        undo=_root(scripts.STOP_SCRIPT, *_kernel_arguments(link, side), timeout_s=20.0),
    )


def _connection_step(link: Link, side: Side) -> Step:
    # A asks and B answers: with both asking at the same time there would be two of everything.
    if side is Side.A:
        title = f"Load the connection and negotiate with {link.underlay(side.other)}"
        command = _root(scripts.INITIATE_SCRIPT, link.run_dir, str(INITIATE_S), timeout_s=INITIATE_S + 10.0)
    else:
        title = "Load the connection, and wait to be asked"
        command = _root(scripts.LOAD_SCRIPT, link.run_dir, timeout_s=10.0)
    undo = _root(scripts.TERMINATE_SCRIPT, link.run_dir, timeout_s=10.0)
    return Step(title=title, command=command, undo=undo, is_per_suite=True)


def _negotiated(request: PlanRequest) -> UpCheck:
    """Return how to see what was agreed on: charon's own list of what it installed."""
    ike = re.escape(setting(request, SHOWN_IKE))
    esp = re.escape(_proposal(request).shown)
    return UpCheck(
        title="What strongSwan agreed on with its peer",
        command=_root(scripts.LIST_SCRIPT, request.link.run_dir, timeout_s=10.0),
        stdout_pattern=rf"(?s)(?=.*ESTABLISHED.*\n +{ike}\n)(?=.*INSTALLED, TRANSPORT, ESP:{esp}\n)",
    )


def _breakages(link: Link, side: Side) -> tuple[Breakage, ...]:
    arguments = _kernel_arguments(link, side)
    return (
        Breakage(
            "strongSwan is stopped, and the kernel's states and policies of this tunnel are flushed",
            _root(scripts.BREAK_STOP_SCRIPT, *arguments, timeout_s=20.0),
        ),
        Breakage("strongSwan is killed (SIGKILL)", _root(scripts.BREAK_KILL_SCRIPT, link.run_dir, timeout_s=20.0)),
    )
