"""A hub with many clients: what an adapter offers besides a tunnel between two hosts.

Side A is the hub. The clients are network namespaces on side B, each with an address of its own, which B forwards.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Protocol

from app.domain.adapters import Adapter, root_command
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.domain.topology import Topology, node_addresses

MAX_CLIENTS = 100
"""Limit of clients: their network has 126 addresses, and B needs one of them."""
FLOOD_MARGIN_S = 20
"""Time beyond twice its own that a flood may take, in seconds: what fell behind its rate is still made."""
_FIRST_INSIDE = 10
"""Distance of the clients' addresses inside the VPN from the beginning of its network."""


def client_prefix(link: Link) -> str:
    """Return the beginning of the names of the clients' namespaces; their numbers follow, from 1."""
    return f"{link.names.ethernet_interface}c"


def client_bridge(link: Link) -> str:
    """Return the name of the bridge on B that the clients' cables are in."""
    return f"{link.names.ethernet_interface}hub"


def clients_gateway(link: Link) -> str:
    """Return B's address towards its clients, with prefix length."""
    return node_addresses(link, Topology.ROUTED_NODES, Side.B).gateway


def clients_network(link: Link) -> str:
    """Return the network of the clients' outer addresses."""
    return str(ipaddress.IPv4Interface(clients_gateway(link)).network)


def first_client(link: Link) -> str:
    """Return the outer address of the first client, without prefix length; those of others follow."""
    return str(ipaddress.IPv4Interface(clients_gateway(link)).ip + 1)


def client_inside(link: Link, number: int) -> str:
    """Return a client's address inside the VPN, without prefix length.

    Args:
        number: Of the client, from 1.
    """
    network = ipaddress.IPv4Interface(link.inner(Side.A)).network
    return str(network.network_address + _FIRST_INSIDE + number)


@dataclass(frozen=True, slots=True)
class FloodRequest:
    """A flood of key exchanges.

    Attributes:
        rate_s: Attempts per second of all clients together; each client makes its own in turn.
        seconds: For how long.
    """

    rate_s: float
    seconds: int


def flood_limit_s(request: FloodRequest) -> int:
    """Return after how many seconds a flood is ended, whatever its state is."""
    return 2 * request.seconds + FLOOD_MARGIN_S


def each_client(link: Link, clients: int, program: str, limit_s: int, words: tuple[str, ...]) -> Command:
    """Return the command for B that runs a program of Perl in each client's namespace.

    Args:
        clients: Number of clients.
        program: Its path.
        limit_s: When it is ended, in seconds.
        words: Its arguments after the client's number, their count, and the time at which it begins.
    """
    arguments = (str(limit_s), client_prefix(link), str(clients), program, *words)
    return root_command(bare_script("nodes/each.sh"), *arguments, timeout_s=limit_s + 20.0)


def outage_program(link: Link) -> str:
    """Return where the program lies on B that finds out for how long a client had no answer."""
    return f"{link.run_dir}/outage.pl"


class Hub(Protocol):
    """A solution whose hub takes many clients."""

    @property
    def solution(self) -> str:
        """Name of the solution."""
        ...

    def adapter(self, clients: int, /) -> Adapter:
        """Return an adapter whose plan makes the hub on A, and in the namespaces on B the clients, not connected."""
        ...

    def flood(self, link: Link, clients: int, request: FloodRequest, /) -> Command:
        """Return the command for B that makes the attempts.

        It prints `@begin` when the first attempt is due, and for each attempt that ended `= DUE LAG DURATION` in
        seconds: when it was due, how much later it began, and how long it took, `-` where it failed. It ends when all
        attempts have.
        """
        ...

    def seen(self, link: Link, since_s: int, /) -> Command:
        """Return the command for A that prints what the hub saw.

        It prints `clock SECONDS` (since 1970), `seen COUNT` of completed key exchanges since some time in the past,
        `fresh COUNT` of clients whose last one was at `since_s` or later, where it is known, and `limiter COUNT WORDS`
        for each limiter that acted so often since the tunnel was made.
        """
        ...


class SessionHub(Hub, Protocol):
    """A hub whose clients remain connected, reach each other through it, and come back after its restart."""

    def connect(self, link: Link, clients: int, /) -> Command:
        """Return the command for B that connects all clients; they remain connected, and connect again by themselves.

        Inside, the hub has the address `link.inner_a`, and each client that of `client_inside`.
        """
        ...

    def restart(self, link: Link, /) -> tuple[Command, ...]:
        """Return the commands for A that end the hub with all its sessions, and start it again."""
        ...
