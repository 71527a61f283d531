"""Interfaces that a tunnel may be joined with: never one that the SSH connection or the underlay runs over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.deployment.lan.bridge import Bridging
from app.deployment.lan.clients import DhcpClient, client_note, client_refusal, hidden_client_refusal
from app.deployment.lan.messages import (
    PORT_DOWN,
    PORT_HAS_IPV6,
    PORT_NOT_ETHERNET,
    PORT_OF_BRIDGE,
    PORT_OF_MASTER,
    PORT_OF_TUNNEL,
    PORT_OWNED,
    PORT_WIRELESS,
    SSH_RUNS_OVER,
    UNDERLAY_RUNS_OVER,
)
from app.deployment.messages import NO_PORTS_TO_JOIN, NO_SUCH_PORT, PORTS_TO_JOIN, ROUTES_UNKNOWN
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import CommandFailed, InvalidOption
from app.domain.hosts import HostFacts, Nic
from app.domain.script_files import host_script
from app.host.remote_host import new_id, printable
from app.host.script_events import parse_script_events

_ETHERNET = "1"
"""ARPHRD_ETHER. Source: linux/if_arp.h."""
_TUNNEL = re.compile(r"^tml\d+$")
_OURS = re.compile(r"^(tmk|tml|tmkwg|tmlwg|tmllow|tmklow|tmlbr|tmlvlan|tmkvlan)\d*$")


@dataclass(frozen=True, slots=True)
class LanInterface:
    """An interface of a host.

    Attributes:
        name: Kernel name.
        is_bridge: Whether it is a bridge itself.
        refusal: Why it may not be joined with a tunnel, as a sentence; empty where it may.
        warnings: What to know before, as sentences.
        note: What it is, in words.
        is_freed: Whether it is a port of the bridge of a deployment that is replaced.
        tunnels: Tunnels of deployments that are ports of it.
        client: Program of its DHCP client, which is moved to the bridge; empty where there is none.
        has_client: Whether it is a bridge with a DHCP client of its own, which is left alone.
    """

    name: str
    is_bridge: bool
    refusal: str = ""
    warnings: tuple[str, ...] = ()
    note: str = ""
    is_freed: bool = False
    tunnels: tuple[str, ...] = ()
    client: str = ""
    has_client: bool = False


@dataclass(slots=True)
class LanFound:
    """Interfaces of a host, as the host reported them.

    Attributes:
        ports: Kind, hardware type and master by name.
        ssh: Interfaces that the connection runs over.
        underlay: Interfaces that the underlay runs over.
        lowers: What an interface runs over itself, by name.
        owners: Programs that manage an interface, by name.
        leased: Interfaces with an address that ends, as those of DHCP servers do.
        clients: DHCP clients by interface.
        hidden: Interfaces with an IPv4 address on a host that hides root's processes from the user.
    """

    ports: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    ssh: set[str] = field(default_factory=set)
    underlay: set[str] = field(default_factory=set)
    lowers: dict[str, set[str]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    leased: set[str] = field(default_factory=set)
    clients: dict[str, tuple[DhcpClient, ...]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)

    def below(self, names: set[str]) -> set[str]:
        """Return these interfaces and all that they run over."""
        found: set[str] = set()
        pending = set(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending |= self.lowers.get(name, set())
        return found


def lan_interfaces(
    session: HostSession, facts: HostFacts, underlay: str, *, token: CancelToken, own_bridge: str = ""
) -> tuple[LanInterface, ...]:
    """Read a host's interfaces. Changes nothing.

    Args:
        facts: What was found on it.
        own_bridge: The bridge of the deployment that is replaced; its ports become free.

    Raises:
        CommandFailed: The host could not be asked.
    """
    mark = new_id()
    # As the user that logged in: sudo would take away the environment that names the connection.
    command = Command(("sh", "-s", "--", mark, underlay), timeout_s=15.0, stdin=host_script("lan.sh").encode())
    result = session.run(command, token=token)
    found = parse_lan(result.stdout, mark)
    if found is None or not found.ssh or not found.underlay:
        raise CommandFailed(
            ROUTES_UNKNOWN(host=session.spec.label),
            context={"host": session.spec.label, "stderr": printable(result.stderr, limit=500)},
        )
    nics = {nic.name: nic for nic in facts.nics}
    freed = {name for name, (_, _, master) in found.ports.items() if own_bridge and master == own_bridge}
    for name in freed:
        kind, number, _ = found.ports[name]
        found.ports[name] = kind, number, "-"
        # The client of a port runs on the bridge meanwhile.
        if own_bridge in found.leased:
            found.leased.add(name)
        if own_bridge in found.hidden:
            found.hidden.add(name)
        if own_bridge in found.clients:
            found.clients[name] = found.clients[own_bridge]
    judged = (judge_interface(name, found, nics.get(name), session.spec.label) for name in found.ports if name != "lo")
    return tuple(replace(one, is_freed=one.name in freed) for one in judged)


def parse_lan(output: str, mark: str) -> LanFound | None:
    """Translate what `lan.sh` printed; None where it did not come to its end."""
    found = LanFound()
    is_whole = False
    for line in parse_script_events(output, mark):
        match line.words:
            case ("ssh", name) if name:
                found.ssh.add(name)
            case ("underlay", name) if name:
                found.underlay.add(name)
            case ("port", name, kind, number, master):
                found.ports[name] = (kind, number, master)
            case ("lower", name, lower):
                found.lowers.setdefault(name, set()).add(lower)
            case ("leased", name):
                found.leased.add(name)
            case ("client", name, program, obstacle):
                client = DhcpClient(printable(program, limit=32), printable(obstacle, limit=32).removeprefix("-"))
                found.clients[name] = (*found.clients.get(name, ()), client)
            case ("hidden", name):
                found.hidden.add(name)
            case ("owner", name, owner):
                found.owners[name] = owner
            case ("finished",):
                is_whole = True
    return found if is_whole else None


def judge_interface(name: str, found: LanFound, nic: Nic | None, label: str) -> LanInterface:
    """Return whether an interface may be joined with a tunnel.

    Args:
        nic: The interface as discovery found it; None if it found none.
    """
    kind, number, master = found.ports[name]
    note = ", ".join(filter(None, (kind, ", ".join(nic.addresses) if nic is not None else "")))
    return LanInterface(
        name=name,
        is_bridge=kind == "bridge",
        refusal=_refusal(name, found, (kind, number, master), label),
        warnings=tuple(_warnings(name, found, nic, label)),
        note=note,
        client=next((one.program for one in _clients(name, found)), ""),
        has_client=kind == "bridge" and (name in found.leased or bool(found.clients.get(name))),
        tunnels=tuple(sorted(one for one, port in found.ports.items() if port[2] == name and _TUNNEL.match(one))),
    )


def _refusal(name: str, found: LanFound, port: tuple[str, str, str], label: str) -> str:
    kind, number, master = port
    if name in found.below(found.ssh):
        return SSH_RUNS_OVER(host=label, port=name)
    if name in found.below(found.underlay):
        return UNDERLAY_RUNS_OVER(host=label, port=name)
    if master != "-":
        is_in_bridge = found.ports.get(master, ("",))[0] == "bridge"
        return (PORT_OF_BRIDGE if is_in_bridge else PORT_OF_MASTER)(port=name, host=label, master=master)
    if kind == "wireless":
        return PORT_WIRELESS(port=name, host=label)
    if number != _ETHERNET:
        return PORT_NOT_ETHERNET(port=name, host=label)
    if name in found.hidden and kind != "bridge":
        return hidden_client_refusal(name, label)
    if _has_client(name, found) and (
        refusal := client_refusal(name, label, _clients(name, found), found.owners.get(name, ""))
    ):
        return refusal
    if _OURS.match(name):
        return PORT_OF_TUNNEL(port=name, host=label)
    return ""


def _has_client(name: str, found: LanFound) -> bool:
    """Whether a DHCP client has to move with an interface; that of a bridge does not."""
    return bool(_clients(name, found)) or (name in found.leased and found.ports[name][0] != "bridge")


def _clients(name: str, found: LanFound) -> tuple[DhcpClient, ...]:
    """Return the clients for IPv4 that would have to move with an interface."""
    if found.ports[name][0] == "bridge":
        return ()
    return tuple(one for one in found.clients.get(name, ()) if not one.is_for_ipv6)


def _warnings(name: str, found: LanFound, nic: Nic | None, label: str) -> list[str]:
    warnings: list[str] = []
    if found.ports[name][0] != "bridge":
        # A client may have two processes.
        warnings += dict.fromkeys(client_note(name, label, one) for one in found.clients.get(name, ()))
    if name in found.owners:
        warnings.append(PORT_OWNED(owner=found.owners[name], port=name, host=label))
    if nic is not None and any(":" in text and not text.startswith("fe80") for text in nic.addresses):
        warnings.append(PORT_HAS_IPV6(port=name, host=label))
    if nic is not None and not nic.is_up:
        warnings.append(PORT_DOWN(port=name, host=label))
    return warnings


def choose_bridging(
    interfaces: tuple[LanInterface, ...], name: str, bridge: str, label: str
) -> tuple[Bridging, tuple[str, ...]]:
    """Return how a tunnel is joined with an interface that the user chose, and what to know of it.

    Args:
        bridge: Name of the bridge that is made where the chosen one is none.

    Raises:
        InvalidOption: It is not there, or may not be joined.
    """
    by_name: Mapping[str, LanInterface] = {one.name: one for one in interfaces}
    found = by_name.get(name)
    free = tuple(one.name for one in interfaces if not one.refusal)
    hint = PORTS_TO_JOIN(host=label, ports=free) if free else NO_PORTS_TO_JOIN(host=label)
    if found is None:
        raise InvalidOption(NO_SUCH_PORT(host=label, port=name), hint=hint)
    if found.refusal:
        raise InvalidOption(found.refusal, hint=hint)
    joined = name if found.is_bridge else bridge
    return Bridging(joined, name, client=found.client, has_client=found.has_client), found.warnings
