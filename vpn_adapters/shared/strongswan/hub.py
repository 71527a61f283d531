"""A hub of strongSwan with many clients, each with a charon of its own, and how they exchange keys again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, client_prefix, clients_network, flood_limit_s
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.hubs import flood_command, hub_plan, program_file
from vpn_adapters.shared.ike import IKE_PORTS, OUTER_FILTER
from vpn_adapters.shared.messages import MAKE_CLIENTS_OF_HUB
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.rendering import render_file, setting
from vpn_adapters.shared.strongswan import render
from vpn_adapters.shared.strongswan.identity import own_public_key_path, peer_key_path
from vpn_adapters.shared.strongswan.plan import FOLDER
from vpn_adapters.shared.strongswan.suites import ESP, GROUP, IKE

_MODULES = ("esp4", "xfrm_user")
_RETRANSMIT_S = 2.0
"""Hosts at their limit answer late, and would have still more to do if they were asked again after 0.2 s."""


def _plan(solution: str, clients: int, request: PlanRequest) -> TunnelPlan:
    link = request.link
    return hub_plan(
        request,
        solution,
        _hub_end(request),
        _clients_end(clients, request),
        mtu_bytes=link.inner_mtu_bytes,
        outer_filter=OUTER_FILTER,
    )


def _hub_end(request: PlanRequest) -> EndpointPlan:
    link = request.link
    start = PlanStep(
        title=mark("Start a strongSwan of our own, with its own configuration, beside the system's"),
        command=root_script(FOLDER, "start.sh", link.run_dir, timeout_s=20.0),
        undo=root_script(
            FOLDER, "hub-stop.sh", link.run_dir, str(render.reqid(link)), clients_network(link), timeout_s=20.0
        ),
    )
    load = PlanStep(
        title=mark("Load the connection, and wait to be asked"),
        command=root_script(FOLDER, "load.sh", link.run_dir, timeout_s=10.0),
        undo=root_script(FOLDER, "terminate.sh", link.run_dir, timeout_s=10.0),
    )
    return EndpointPlan(
        files=(
            FileToWrite(
                render.daemon_config_path(link), render.daemon_config(request, retransmit_s=_RETRANSMIT_S), mode=0o600
            ),
            *_connection_files(request, Side.A),
        ),
        steps=(start, load),
        interface="",
        log_paths=(render.log_path(link),),
        listens=IKE_PORTS,
        kernel_modules=_MODULES,
    )


def _clients_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link = request.link
    start = PlanStep(
        title=MAKE_CLIENTS_OF_HUB(count=clients),
        command=root_script(
            *(FOLDER, "hub-clients.sh", link.run_dir, client_prefix(link), str(clients)),
            timeout_s=30.0 + 5.0 * clients,
        ),
        undo=root_script(FOLDER, "hub-clients-stop.sh", link.run_dir, timeout_s=20.0),
    )
    own = (_client_config(request, number) for number in range(1, clients + 1))
    starter = FileToWrite(f"{link.run_dir}/hub-charon.sh", adapter_script(FOLDER, "hub-charon.sh").encode(), mode=0o600)
    return EndpointPlan(
        files=(
            *own,
            *_connection_files(request, Side.B),
            starter,
            program_file(link, adapter_script(FOLDER, "hub-flood.pl")),
        ),
        steps=(start,),
        interface="",
        kernel_modules=_MODULES,
    )


def _client_config(request: PlanRequest, number: int) -> FileToWrite:
    """Return the configuration of a client's charon, whose own files are in a folder of their own."""
    folder = f"{request.link.run_dir}/client-{number}"
    own = replace(request, link=replace(request.link, run_dir=folder))
    return FileToWrite(f"{folder}.conf", render.daemon_config(own, retransmit_s=_RETRANSMIT_S), mode=0o600)


def _connection_files(request: PlanRequest, side: Side) -> tuple[FileToWrite, FileToWrite]:
    link = request.link
    return (
        FileToWrite(render.connection_path(link), _connection(request, side), mode=0o600),
        FileToWrite(peer_key_path(link), render.peer_key(request, side), mode=0o600),
    )


def _connection(request: PlanRequest, side: Side) -> bytes:
    """Return swanctl.conf: of the hub, or the one that all clients have, which share one key."""
    link, suite, name = request.link, request.suite.name, render.CONNECTION
    is_hub = side is Side.A
    lines = [
        *("connections {", f"  {name} {{", "    version = 2"),
        f"    local_addrs = {link.underlay_a if is_hub else '%any'}",
        f"    remote_addrs = {'%any' if is_hub else link.underlay_a}",
        f"    proposals = {setting(request, IKE)}",
        *("    mobike = no", "    unique = never", "    dpd_delay = 10s"),
        *("    local {", "      auth = pubkey", f"      pubkeys = {own_public_key_path(link)}"),
        *(f"      id = {side}.{suite}.tunnelmark", "    }"),
        *("    remote {", "      auth = pubkey", f"      pubkeys = {peer_key_path(link)}"),
        *(f"      id = {side.other}.{suite}.tunnelmark", "    }"),
        *("    children {", f"      {name} {{", "        mode = transport"),
        *([f"        reqid = {render.reqid(link)}"] if is_hub else []),
        f"        esp_proposals = {setting(request, ESP)}-{setting(request, GROUP)}",
        *("        start_action = none", "        dpd_action = clear", "        close_action = none"),
        *("      }", "    }", "  }", "}"),
    ]
    return render_file((*request.header, f"Suite: {request.suite.title}"), lines)


@dataclass(frozen=True, slots=True)
class StrongswanHub:
    """Implements `Hub`.

    Attributes:
        solution: Name of the solution.
        tunnel: Its adapter of tunnels, with the same keys and suites.
    """

    solution: str
    tunnel: ModularAdapter

    def adapter(self, clients: int) -> Adapter:
        """Return the adapter of a hub with so many clients; they share one key."""
        return replace(self.tunnel, plan=lambda request: _plan(self.solution, clients, request))

    def flood(self, link: Link, clients: int, request: FloodRequest) -> Command:
        """Return the command for B that makes the attempts."""
        words = (str(clients), link.run_dir, f"{request.rate_s:.4f}", str(request.seconds))
        return flood_command(link, flood_limit_s(request), words)

    def seen(self, link: Link, since_s: int) -> Command:  # noqa: ARG002 - its log has no time of each client
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", render.log_path(link), timeout_s=15.0)
