"""A hub of WireGuard with many clients, and how they exchange keys with it again and again."""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from app.domain.adapters import Adapter, EndpointPlan, IdentityRecipe, PlanRequest, PlanStep, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.hosts import Side
from app.domain.hubs import FloodRequest, client_inside, client_prefix, each_client, flood_limit_s
from app.domain.link import Link
from app.domain.script_files import adapter_script
from vpn_adapters.shared import public_keys
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.discovering import best_first
from vpn_adapters.shared.hubs import hub_plan, program_file, program_path
from vpn_adapters.shared.messages import A_PUBLIC_KEY, MAKE_CLIENT_KEYS, MAKE_CLIENTS_OF_HUB, MAKE_HUB
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.rendering import public_value, render_file, run_file
from vpn_adapters.shared.wireguard import carrier, identity
from vpn_adapters.shared.wireguard.adapter import wireguard_adapter
from vpn_adapters.shared.wireguard.identity import PUBLIC_KEY, key_path
from vpn_adapters.shared.wireguard.protocol import has_kem
from vpn_adapters.wireguard import INSIDE
from vpn_adapters.wireguard.info import INFO, NAME

FOLDER = "wireguard"
_KEYS = "client-keys"
_CLIENT_INTERFACE = "wg"
"""In a namespace of its own."""


def _client_key(number: int) -> str:
    return f"client-{number}"


_hub_key_path = run_file("hub.pub")
_peers_path = run_file("hub-peers.conf")


def _recipe(clients: int, request: PlanRequest, side: Side) -> IdentityRecipe:
    link = request.link
    if side is Side.A:
        return identity.recipe(request, side)
    words = (link.run_dir, str(clients))
    make = PlanStep(
        title=MAKE_CLIENT_KEYS(count=clients),
        command=root_script(FOLDER, "hub-keys.sh", *words, timeout_s=30.0),
        undo=Command(("rm", "-f", *(f"{link.run_dir}/client-{n}.key" for n in _numbers(clients))), is_root=True),
    )
    show = root_script(FOLDER, "hub-public-keys.sh", *words, timeout_s=30.0)
    return IdentityRecipe(steps=(make,), public={_KEYS: replace(show, max_output_bytes=16_384)})


def _numbers(clients: int) -> range:
    return range(1, clients + 1)


def _parse(clients: int, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
    """Return the hub's key, or those of the clients.

    Raises:
        CommandFailed: The host printed other than so many keys.
    """
    if _KEYS not in outputs:
        return identity.parse(outputs)
    lines = outputs[_KEYS].stdout.split()
    if len(lines) != clients or not all(map(_is_key, lines)):
        raise public_keys.refused(outputs, _KEYS, A_PUBLIC_KEY(kind="WireGuard"), ("`wg genkey`", "`wg pubkey`"))
    return PublicIdentity({_client_key(n): line for n, line in enumerate(lines, start=1)})


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == 32
    except (binascii.Error, ValueError):
        return False


def _plan(clients: int, request: PlanRequest) -> TunnelPlan:
    link = request.link
    return hub_plan(
        request,
        NAME,
        _hub_end(clients, request),
        _clients_end(clients, request),
        mtu_bytes=_mtu_bytes(link),
        outer_filter=f"udp port {link.names.wireguard_port}",
    )


def _mtu_bytes(link: Link) -> int:
    return carrier.largest_packet_bytes(link.underlay_mtu_bytes)


def _hub_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link = request.link
    name = link.names.wireguard_interface
    make = PlanStep(title=MAKE_HUB(interface=name, count=clients), command=_create(link), undo=_remove(link))
    return EndpointPlan(
        files=(FileToWrite(_peers_path(link), _peers(clients, request), mode=0o600),),
        steps=(make,),
        interface="",
        listens=(("udp", link.names.wireguard_port),),
        kernel_modules=(carrier.KERNEL_MODULE,),
    )


def _create(link: Link) -> Command:
    name, address = link.names.wireguard_interface, f"{link.inner_ip(Side.A)}/{link.inner_a.partition('/')[2]}"
    words = (name, str(link.names.wireguard_port), key_path(link), _peers_path(link), address, str(_mtu_bytes(link)))
    return root_script(FOLDER, "hub-create.sh", *words, timeout_s=20.0)


def _remove(link: Link) -> Command:
    return root_script("shared", "remove-interface.sh", link.names.wireguard_interface)


def _peers(clients: int, request: PlanRequest) -> bytes:
    lines: list[str] = []
    for n in _numbers(clients):
        key = public_value(request.identity(Side.B), _client_key(n), Side.B)
        lines += ["[Peer]", f"PublicKey = {key}", f"AllowedIPs = {client_inside(request.link, n)}/32"]
    return render_file(request.header, lines)


def _clients_end(clients: int, request: PlanRequest) -> EndpointPlan:
    link = request.link
    prefix = client_prefix(link)
    first = f"{client_inside(link, 1)}/{link.inner_a.partition('/')[2]}"
    make = PlanStep(
        title=MAKE_CLIENTS_OF_HUB(count=clients),
        command=root_script(
            *(FOLDER, "hub-clients.sh", _CLIENT_INTERFACE, prefix, str(clients), first),
            str(_mtu_bytes(link)),
            timeout_s=20.0 + 2.0 * clients,
        ),
        undo=root_script(FOLDER, "hub-clients-remove.sh", _CLIENT_INTERFACE, prefix, str(clients), timeout_s=30.0),
    )
    key = public_value(request.identity(Side.A), PUBLIC_KEY, Side.A)
    return EndpointPlan(
        files=(
            FileToWrite(_hub_key_path(link), f"{key}\n".encode(), mode=0o600),
            program_file(link, adapter_script(FOLDER, "hub-flood.pl")),
        ),
        steps=(make,),
        interface="",
        kernel_modules=(carrier.KERNEL_MODULE,),
    )


@dataclass(frozen=True, slots=True)
class WireguardHub:
    """Implements `SessionHub`."""

    solution: str = NAME

    def adapter(self, clients: int) -> Adapter:
        """Return the adapter of a hub with so many clients."""
        own = wireguard_adapter(INFO, INSIDE)
        return ModularAdapter(
            info=INFO,
            commands=own.commands,
            parse_discovery=own.parse_discovery,
            suites=lambda a, b: best_first(one for one in own.suites(a, b) if not has_kem(one)),  # not for a pair
            plan=partial(_plan, clients),
            identity=partial(_recipe, clients),
            parse_identity=partial(_parse, clients),
        )

    def flood(self, link: Link, clients: int, request: FloodRequest) -> Command:
        """Return the command for B that makes the attempts."""
        words = (
            *(_CLIENT_INTERFACE, link.underlay(Side.A), str(link.names.wireguard_port), link.inner_ip(Side.A)),
            *(link.run_dir, f"{request.rate_s:.4f}", str(request.seconds)),
        )
        return each_client(link, clients, program_path(link), flood_limit_s(request), words)

    def seen(self, link: Link, since_s: int) -> Command:
        """Return the command for A that prints what the hub saw."""
        return root_script(FOLDER, "hub-seen.sh", link.names.wireguard_interface, str(since_s), timeout_s=15.0)

    def connect(self, link: Link, clients: int) -> Command:
        """Return the command for B that connects all clients."""
        network = str(ipaddress.IPv4Interface(link.inner_a).network)
        words = (
            *(_CLIENT_INTERFACE, client_prefix(link), str(clients), link.run_dir),
            *(link.underlay(Side.A), str(link.names.wireguard_port), network),
        )
        return root_script(FOLDER, "hub-connect.sh", *words, timeout_s=20.0 + 2.0 * clients)

    def restart(self, link: Link) -> tuple[Command, ...]:
        """Return the commands for A that make the hub's interface anew."""
        return _remove(link), _create(link)


hub = WireguardHub()
