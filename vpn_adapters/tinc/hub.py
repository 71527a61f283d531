"""A hub of tinc with many clients, and how they exchange keys with it again and again.

The program's own limiter is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, client_inside, client_prefix
from app.domain.link import Link
from app.domain.script_files import adapter_script
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.daemons import stop_command
from vpn_adapters.shared.hubs import flood_command, hub_plan, program_file
from vpn_adapters.shared.messages import MAKE_CLIENTS_OF_HUB, MAKE_HUB
from vpn_adapters.shared.rendering import run_file, setting
from vpn_adapters.shared.taps import set_up_step, tap_step
from vpn_adapters.tinc import adapter
from vpn_adapters.tinc.identity import folder
from vpn_adapters.tinc.info import NAME
from vpn_adapters.tinc.plan import daemon_step
from vpn_adapters.tinc.render import (
    client_config,
    client_host,
    config,
    config_path,
    host,
    host_path,
    log_path,
    pid_path,
)

FOLDER = "tinc"
_LOG_LEVEL = "1"
"""Its log names connections from this level on. Source: tincd(8)."""


def _plan(clients: int, request: PlanRequest) -> TunnelPlan:
    link = request.link
    return hub_plan(
        request,
        NAME,
        _hub_end(clients, request),
        _clients_end(clients, request),
        mtu_bytes=link.inner_mtu_bytes,
        outer_filter=f"udp port {link.names.tinc_port} or tcp port {link.names.tinc_port}",
    )


def _hub_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link, port = request.link, request.link.names.tinc_port
    nodes = PlanStep(
        title=MAKE_HUB(interface=link.names.ethernet_interface, count=clients),
        command=root_script(FOLDER, "hub-nodes.sh", folder(link), str(clients)),
        undo=root_script(FOLDER, "hub-nodes-remove.sh", folder(link)),
    )
    return EndpointPlan(
        files=(
            FileToWrite(config_path(link), config(request, Side.A), mode=0o600),
            FileToWrite(host_path(link, Side.A), host(request, Side.A), mode=0o600),
            FileToWrite(_client_host_path(link), client_host(request), mode=0o600),
        ),
        steps=(nodes, tap_step(link), daemon_step(request, Side.A), set_up_step(link, Side.A)),
        interface="",
        log_paths=(log_path(link),),
        listens=(("udp", port), ("tcp", port)),
        kernel_modules=("tun",),
    )


def _clients_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link = request.link
    words = (folder(link), client_prefix(link), str(clients), setting(request, "debug"))
    start = PlanStep(
        title=MAKE_CLIENTS_OF_HUB(count=clients),
        command=root_script(FOLDER, "hub-clients.sh", *words, timeout_s=20.0 + 3.0 * clients),
        undo=stop_command("tincd", f"{folder(link)}/client-"),
    )
    return EndpointPlan(
        files=(
            FileToWrite(f"{folder(link)}/client.conf", client_config(request), mode=0o600),
            FileToWrite(_client_host_path(link), client_host(request), mode=0o600),
            FileToWrite(host_path(link, Side.A), host(request, Side.A), mode=0o600),
            program_file(link, adapter_script(FOLDER, "hub-flood.pl")),
        ),
        steps=(start,),
        interface="",
        kernel_modules=("tun",),
    )


_client_host_path = run_file("tinc/client.host")


@dataclass(frozen=True, slots=True)
class TincHub:
    """Implements `SessionHub`."""

    solution: str = NAME

    def adapter(self, clients: int) -> Adapter:
        """Return the adapter of a hub with so many clients; they share one key."""
        return replace(adapter, plan=lambda request: _plan(clients, request))

    def flood(self, link: Link, clients: int, request: FloodRequest) -> Command:
        """Return the command for B that makes the attempts."""
        return flood_command(link, clients, folder(link), request)

    def seen(self, link: Link, since_s: int) -> Command:  # noqa: ARG002 - the last one of each client is not asked for
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", log_path(link), timeout_s=15.0)

    def connect(self, link: Link, clients: int) -> Command:
        """Return the command for B that connects all clients."""
        first = f"{client_inside(link, 1)}/{link.inner_a.partition('/')[2]}"
        limit_s = 20 + 3 * clients
        words = (folder(link), client_prefix(link), str(clients), first, str(link.inner_mtu_bytes), str(limit_s))
        return root_script(FOLDER, "hub-connect.sh", *words, timeout_s=limit_s + 20.0)

    def restart(self, link: Link) -> tuple[Command, ...]:
        """Return the commands for A that end the daemon and start it again."""
        return (
            stop_command("tincd", folder(link)),
            root_script(
                FOLDER, "start.sh", *(folder(link), pid_path(link), log_path(link), _LOG_LEVEL, ""), timeout_s=15.0
            ),
        )


hub = TincHub()
