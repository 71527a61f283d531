"""A hub of OpenVPN over UDP with many clients, and how they exchange keys with it again and again.

The program's own limiters are left as they are: the study was stopped by one that it did not know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.adapters import Adapter, EndpointPlan, PlanRequest, PlanStep, TunnelPlan
from app.domain.commands import Command, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, client_inside, client_prefix
from app.domain.link import Link
from app.domain.script_files import adapter_script
from app.domain.solutions import Carrier
from vpn_adapters.openvpn import udp_adapter
from vpn_adapters.openvpn.identity import STEM
from vpn_adapters.openvpn.info import INFOS
from vpn_adapters.openvpn.plan import daemon_step, tap_step
from vpn_adapters.openvpn.render import config_path, control_channel, data_channel, log_path, pin
from vpn_adapters.shared import daemons
from vpn_adapters.shared.certificates import certificate_path, key_path
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.hubs import flood_command, hub_plan, program_file
from vpn_adapters.shared.messages import MAKE_CLIENTS_OF_HUB
from vpn_adapters.shared.rendering import run_file, suite_file
from vpn_adapters.shared.taps import set_up_step

FOLDER = "openvpn"
NAME = INFOS[Carrier.UDP].name


def _plan(clients: int, request: PlanRequest) -> TunnelPlan:
    link = request.link
    return hub_plan(
        request,
        NAME,
        _hub_end(request),
        _clients_end(clients, request),
        mtu_bytes=link.inner_mtu_bytes,
        outer_filter=f"udp port {link.names.udp_port}",
    )


def _hub_end(request: PlanRequest) -> EndpointPlan:
    link = request.link
    own = [
        *("mode server", "tls-server", "dh none", "duplicate-cn", "client-to-client", "proto udp4"),
        *(f"local {link.underlay_a}", f"port {link.names.udp_port}"),
        *(f"dev {link.names.ethernet_interface}", "dev-type tap", f"tun-mtu {link.inner_mtu_bytes}"),
        "keepalive 2 6",
    ]
    return EndpointPlan(
        files=(FileToWrite(config_path(link), _config(request, Side.A, own), mode=0o600),),
        steps=(tap_step(link), daemon_step(link), set_up_step(link, Side.A)),
        interface="",
        log_paths=(log_path(link),),
        listens=(("udp", link.names.udp_port),),
        kernel_modules=("tun",),
    )


def _clients_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link = request.link
    own = [
        *("proto udp4", "nobind", f"remote {link.underlay_a} {link.names.udp_port}"),
        *("tls-client", "pull", "route-nopull", "pull-filter ignore ifconfig"),
        *("dev tap0", "dev-type tap", f"tun-mtu {link.inner_mtu_bytes}"),
    ]
    words = (config_path(link), client_prefix(link), str(clients), link.run_dir)
    start = PlanStep(
        title=MAKE_CLIENTS_OF_HUB(count=clients),
        command=root_script(FOLDER, "hub-clients.sh", *words, timeout_s=20.0 + 3.0 * clients),
        undo=daemons.stop_command("openvpn", config_path(link)),
    )
    return EndpointPlan(
        files=(
            FileToWrite(config_path(link), _config(request, Side.B, own), mode=0o600),
            program_file(link, adapter_script(FOLDER, "hub-flood.pl")),
            FileToWrite(_connect_program(link), adapter_script(FOLDER, "hub-connect.pl").encode(), mode=0o600),
        ),
        steps=(start,),
        interface="",
        kernel_modules=("tun",),
    )


def _config(request: PlanRequest, side: Side, own: list[str]) -> bytes:
    """Return the configuration of the hub, or the one that all clients have; there is no secret in it."""
    support = request.facts(side).solutions[NAME]
    lines = [
        *own,
        *(f"cert {certificate_path(request.link, STEM)}", f"key {key_path(request.link, STEM)}"),
        *pin(request, side.other, support),
        *control_channel(request),
        *data_channel(request, support),
        *("tls-timeout 1", "persist-key", "persist-tun", "verb 3"),
    ]
    return suite_file(request, lines)


@dataclass(frozen=True, slots=True)
class OpenVpnHub:
    """Implements `SessionHub`."""

    solution: str = NAME

    def adapter(self, clients: int) -> Adapter:
        """Return the adapter of a hub with so many clients; they share one key."""
        return replace(udp_adapter, plan=lambda request: _plan(clients, request))

    def flood(self, link: Link, clients: int, request: FloodRequest) -> Command:
        """Return the command for B that makes the attempts."""
        return flood_command(link, clients, link.run_dir, request)

    def seen(self, link: Link, since_s: int) -> Command:  # noqa: ARG002 - its log has no time of each client
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", log_path(link), timeout_s=15.0)

    def connect(self, link: Link, clients: int) -> Command:
        """Return the command for B that connects all clients."""
        first = f"{client_inside(link, 1)}/{link.inner_a.partition('/')[2]}"
        limit_s = 20 + 3 * clients
        words = (client_prefix(link), str(clients), link.run_dir, _connect_program(link), first, str(limit_s))
        return root_script(FOLDER, "hub-connect.sh", *words, timeout_s=limit_s + 20.0)

    def restart(self, link: Link) -> tuple[Command, ...]:
        """Return the commands for A that end the server and start it again."""
        daemon = daemon_step(link)
        return (daemons.stop_command("openvpn", config_path(link)), daemon.command)


_connect_program = run_file("hub-connect.pl")

hub = OpenVpnHub()
