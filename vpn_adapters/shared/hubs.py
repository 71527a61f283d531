"""Parts of hubs with many clients that several VPNs share."""

from __future__ import annotations

from app.domain.adapters import EndpointPlan, PlanRequest, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hubs import FloodRequest, flood_limit_s
from app.domain.link import Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.rendering import run_file


def hub_plan(
    request: PlanRequest, solution: str, hub: EndpointPlan, clients: EndpointPlan, *, mtu_bytes: int, outer_filter: str
) -> TunnelPlan:
    """Return the plan of a hub: no tunnel between the hosts, whose own addresses are asked for.

    Args:
        hub: What is made on A.
        clients: What is made on B.
        mtu_bytes: MTU inside.
        outer_filter: Its packets on the underlay, as a capture filter.
    """
    return TunnelPlan(
        solution=solution,
        suite=request.suite,
        a=hub,
        b=clients,
        probe_address_a=request.link.underlay_a,
        probe_address_b=request.link.underlay_b,
        inner_mtu_bytes=mtu_bytes,
        overhead_bytes=None,
        outer_filter=outer_filter,
    )


program_path = run_file("hub-flood.pl")
"""Path of the program that makes attempts on B."""


def program_file(link: Link, text: str) -> FileToWrite:
    """Return that program as a file."""
    return FileToWrite(program_path(link), text.encode(), mode=0o600)


def flood_command(link: Link, clients: int, folder: str, request: FloodRequest) -> Command:
    """Return the command that runs it once for all clients.

    Args:
        clients: Number of clients.
        folder: Folder with what the clients need.
        request: Its rate and length.
    """
    limit_s = flood_limit_s(request)
    words = (str(clients), folder, f"{request.rate_s:.4f}", str(request.seconds))
    return root_script("shared", "hub-flood.sh", str(limit_s), program_path(link), *words, timeout_s=limit_s + 20.0)
