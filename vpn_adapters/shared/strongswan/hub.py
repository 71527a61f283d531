"""A hub of strongSwan with many clients, each with a charon of its own, and how they exchange keys again and again."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, client_inside, client_prefix, clients_network, first_client
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.hubs import flood_command, hub_plan, program_file
from vpn_adapters.shared.ike import IKE_PORTS, OUTER_FILTER
from vpn_adapters.shared.messages import MAKE_CLIENTS_OF_HUB
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.rendering import setting, suite_file
from vpn_adapters.shared.strongswan import render
from vpn_adapters.shared.strongswan.identity import PUBLIC_KEY, own_public_key_path, peer_key_path
from vpn_adapters.shared.strongswan.plan import FOLDER
from vpn_adapters.shared.strongswan.suites import ESP, GROUP, IKE

_MODULES = ("esp4", "xfrm_user")
_RETRANSMIT_S = 2.0
"""Hosts at their limit answer late, and would have still more to do if they were asked again after 0.2 s."""
_SESSION_TRIES = 2
"""A session's hub is taken for gone after 8 s: 2, 2.6 and 3.4 s without an answer."""


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


def _start_hub(link: Link) -> Command:
    return root_script(FOLDER, "start.sh", link.run_dir, timeout_s=20.0)


def _stop_hub(link: Link) -> Command:
    networks = clients_network(link), inner_network(link)
    return root_script(FOLDER, "hub-stop.sh", link.run_dir, str(render.reqid(link)), *networks, timeout_s=20.0)


def _load_hub(link: Link) -> Command:
    return root_script(FOLDER, "load.sh", link.run_dir, timeout_s=10.0)


def _mute(link: Link, state: str) -> Command:
    return root_script(FOLDER, "hub-mute.sh", state, clients_network(link), timeout_s=10.0)


def _hub_end(request: PlanRequest) -> EndpointPlan:
    link = request.link
    interface = link.names.ethernet_interface
    sites = PlanStep(
        title=mark("Give the hub its address inside"),
        command=root_script(
            *(FOLDER, "hub-sites.sh", link.run_dir, interface, link.inner_a, str(link.inner_mtu_bytes)),
            first_client(link),
            timeout_s=15.0,
        ),
        undo=root_script(FOLDER, "hub-sites-remove.sh", link.run_dir, interface, clients_network(link), timeout_s=15.0),
    )
    start = PlanStep(
        title=mark("Start a strongSwan of our own, with its own configuration, beside the system's"),
        command=_start_hub(link),
        undo=_stop_hub(link),
    )
    load = PlanStep(
        title=mark("Load the connection, and wait to be asked"),
        command=_load_hub(link),
        undo=root_script(FOLDER, "terminate.sh", link.run_dir, timeout_s=10.0),
    )
    return EndpointPlan(
        files=(
            FileToWrite(
                render.daemon_config_path(link), render.daemon_config(request, retransmit_s=_RETRANSMIT_S), mode=0o600
            ),
            *_connection_files(request, Side.A),
        ),
        steps=(sites, start, load),
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
    own = (file for number in range(1, clients + 1) for file in _client_files(request, number))
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


def _client_files(request: PlanRequest, number: int) -> tuple[FileToWrite, ...]:
    """Return the configuration of a client's charon, whose files are in a folder of their own, and of its session."""
    folder = f"{request.link.run_dir}/client-{number}"
    session = f"{request.link.run_dir}/session-{number}"
    own = replace(request, link=replace(request.link, run_dir=folder))
    asked = render.daemon_config(own, retransmit_s=_RETRANSMIT_S)
    kept = render.daemon_config(own, retransmit_s=_RETRANSMIT_S, tries=_SESSION_TRIES)
    return (
        FileToWrite(f"{folder}.conf", asked, mode=0o600),
        FileToWrite(f"{session}.conf", kept, mode=0o600),
        FileToWrite(f"{session}.swanctl", _session(request, number), mode=0o600),
    )


def _connection_files(request: PlanRequest, side: Side) -> tuple[FileToWrite, FileToWrite]:
    link = request.link
    return (
        FileToWrite(render.connection_path(link), _connection(request, side), mode=0o600),
        FileToWrite(peer_key_path(link), public_keys.peer_file(request, side, PUBLIC_KEY), mode=0o600),
    )


def inner_network(link: Link) -> str:
    """Return the network of the addresses inside."""
    return str(ipaddress.IPv4Interface(link.inner_a).network)


def _connection(request: PlanRequest, side: Side) -> bytes:
    """Return swanctl.conf: of the hub, or the one of the clients' attempts, which share one key.

    The hub's other child is for sessions, each of which asks for the networks that it carries.
    """
    link, name = request.link, render.CONNECTION
    is_hub = side is Side.A
    reqid = [f"        reqid = {render.reqid(link)}"] if is_hub else []
    children = [
        *(f"      {name} {{", "        mode = transport", *reqid, _proposals(request)),
        *("        start_action = none", "        dpd_action = clear", "        close_action = none", "      }"),
    ]
    if is_hub:
        network = inner_network(link)
        children += [
            *("      sites {", "        mode = tunnel", *reqid, _proposals(request)),
            *(f"        local_ts = {network}", f"        remote_ts = {network}"),
            *("        start_action = none", "        dpd_action = clear", "        close_action = none", "      }"),
        ]
    return _swanctl(request, side, ("dpd_delay = 10s",), children)


def _session(request: PlanRequest, number: int) -> bytes:
    """Return swanctl.conf of a client that remains connected: it asks again and again for a hub that is gone."""
    link = request.link
    children = [
        *(f"      {render.CONNECTION} {{", "        mode = tunnel", _proposals(request)),
        *(f"        local_ts = {client_inside(link, number)}/32", f"        remote_ts = {inner_network(link)}"),
        *("        start_action = none", "        dpd_action = restart", "        close_action = start", "      }"),
    ]
    return _swanctl(request, Side.B, ("dpd_delay = 2s", "keyingtries = 0"), children)


def _proposals(request: PlanRequest) -> str:
    return f"        esp_proposals = {setting(request, ESP)}-{setting(request, GROUP)}"


def _swanctl(request: PlanRequest, side: Side, times: tuple[str, ...], children: list[str]) -> bytes:
    """Return swanctl.conf with one connection.

    Args:
        times: Its settings of time.
        children: Lines of its children.
    """
    link, suite = request.link, request.suite.name
    is_hub = side is Side.A
    lines = [
        *("connections {", f"  {render.CONNECTION} {{", "    version = 2"),
        f"    local_addrs = {link.underlay_a if is_hub else '%any'}",
        f"    remote_addrs = {'%any' if is_hub else link.underlay_a}",
        f"    proposals = {setting(request, IKE)}",
        *("    mobike = no", "    unique = never", *(f"    {one}" for one in times)),
        *("    local {", "      auth = pubkey", f"      pubkeys = {own_public_key_path(link)}"),
        *(f"      id = {side}.{suite}.tunnelmark", "    }"),
        *("    remote {", "      auth = pubkey", f"      pubkeys = {peer_key_path(link)}"),
        *(f"      id = {side.other}.{suite}.tunnelmark", "    }"),
        *("    children {", *children, "    }", "  }", "}"),
    ]
    return suite_file(request, lines)


@dataclass(frozen=True, slots=True)
class StrongswanHub:
    """Implements `SessionHub`.

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
        return flood_command(link, clients, link.run_dir, request)

    def seen(self, link: Link, since_s: int) -> Command:  # noqa: ARG002 - its log has no time of each client
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", render.log_path(link), timeout_s=15.0)

    def connect(self, link: Link, clients: int) -> Command:
        """Return the command for B that connects all clients."""
        limit_s = 20 + 3 * clients
        words = (
            *(link.run_dir, client_prefix(link), str(clients), client_inside(link, 1), inner_network(link)),
            *(link.underlay(Side.A), str(limit_s)),
        )
        return root_script(FOLDER, "hub-connect.sh", *words, timeout_s=limit_s + 20.0)

    def restart(self, link: Link) -> tuple[Command, ...]:
        """Return the commands for A that end charon with its sessions, and start it again; clients get no message."""
        return _mute(link, "on"), _stop_hub(link), _start_hub(link), _load_hub(link), _mute(link, "off")
