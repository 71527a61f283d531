"""Slots of deployments on the hosts: folders, names and numbers that collide neither with each other nor a measurement.

A pair has one slot. The next deployment takes it over, with its names and numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network

from app.deployment.messages import NO_FREE_SLOT
from app.domain.deployment import Deployment
from app.domain.errors import PreflightRefused
from app.domain.hosts import HostFacts, PairSpec
from app.domain.link import LAST_SESSION_ID, Link, TunnelNames

DEPLOYMENTS_DIR = "/etc/tunnelmark"
"""The folder on a host for what starts with it: mode 0700, root only."""
SLOTS = 16
"""Most deployments that a host can have."""

_FIRST = TunnelNames(
    ethernet_interface="tml",
    wireguard_interface="tmlwg",
    udp_port=22194,
    tcp_port=22394,
    wireguard_port=22820,
    l2tp_tunnel_id=7401,
    l2tp_session_id=7401,
    iperf_port=26201,
    tinc_port=22655,
    freelan_port=22000,
    ssh_port=22222,
    ssh_tap_unit=7401,
    lower_interface="tmllow",
    guard_table="tunnelmark_lasting_",
    vlan_interface="tmlvlan",
)


def slot_of(pair: PairSpec) -> str:
    """Return the name of a pair's slot on its hosts: the same whatever the pair is called, on any computer."""
    return hashlib.sha256(f"{pair.underlay_a} {pair.underlay_b}".encode()).hexdigest()[:8]


def replaced_by_next(pair: PairSpec, deployments: Iterable[Deployment]) -> Deployment | None:
    """Return the stored deployment that the next one on a pair would replace; None where there is none.

    Args:
        deployments: Of any pairs, newest first.
    """
    slot = slot_of(pair)
    of_pair = (one for one in deployments if one.pair.name == pair.name and one.slot == slot)
    return next((one for one in of_pair if one.state.is_kept), None)


def slot_dir(slot: str) -> str:
    """Return the folder of a slot on a host."""
    return f"{DEPLOYMENTS_DIR}/{slot}"


def current_path(slot: str) -> str:
    """Return the file that names what is confirmed in a slot."""
    return f"{slot_dir(slot)}/current"


def service_name(slot: str) -> str:
    """Return the name of the service that starts what has a slot."""
    return f"tunnelmark-{slot}"


def run_dir_of(deployment_id: str) -> str:
    """Return the folder of a deployment's running parts; it goes with a restart of the host."""
    return f"/run/tunnelmark-{deployment_id}"


def bridge_name(link: Link) -> str:
    """Return the name of the bridge that joins a deployment with a LAN port."""
    return f"tmlbr{link.names.ethernet_interface.removeprefix(_FIRST.ethernet_interface)}"


def persistent_names(index: int) -> TunnelNames:
    """Return names and numbers of one slot.

    Args:
        index: From 0 to SLOTS - 1.
    """
    numbers = ("udp_port", "tcp_port", "wireguard_port", "l2tp_tunnel_id", "l2tp_session_id", "tinc_port")
    more = ("freelan_port", "ssh_port", "ssh_tap_unit")
    words = ("ethernet_interface", "wireguard_interface", "lower_interface", "guard_table", "vlan_interface")
    changes: dict[str, object] = {name: getattr(_FIRST, name) + index for name in (*numbers, *more)}
    changes["iperf_port"] = _FIRST.iperf_port + 2 * index
    changes |= {name: f"{getattr(_FIRST, name)}{index}" for name in words}
    return replace(_FIRST, **changes)  # type: ignore[arg-type]  # names and types are those of its fields


def _session_id(deployment_id: str) -> int:
    """Return the L2TPv3 session id of a deployment, which cannot be guessed without the deployment's id."""
    digest = hashlib.sha256(f"L2TPv3 session of {deployment_id}".encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % LAST_SESSION_ID


def persistent_link(link: Link, deployment_id: str, index: int, *, inner_a: str = "", inner_b: str = "") -> Link:
    """Return what a deployment is built on.

    Args:
        link: Outer addresses and MTU.
        inner_a: A's address inside, with prefix length; empty for the slot's own.
        inner_b: The same for B.
    """
    return replace(
        link,
        inner_a=inner_a or f"198.19.{2 * index}.1/24",
        inner_b=inner_b or f"198.19.{2 * index}.2/24",
        carrier_a=f"198.19.{2 * index + 1}.1",
        carrier_b=f"198.19.{2 * index + 1}.2",
        names=replace(persistent_names(index), l2tp_session_id=_session_id(deployment_id)),
        run_dir=run_dir_of(deployment_id),
    )


def free_index(facts: Iterable[HostFacts]) -> int:
    """Return the first slot whose interfaces, ports, numbers and subnets are on none of the hosts.

    Raises:
        PreflightRefused: There is none.
    """
    hosts = tuple(facts)
    for index in range(SLOTS):
        if not any(_meets(index, one) for one in hosts):
            return index
    raise PreflightRefused(
        NO_FREE_SLOT(slots=SLOTS),
    )


def _meets(index: int, facts: HostFacts) -> bool:
    """Whether something of a slot is in use on a host already."""
    names = persistent_names(index)
    interfaces = {names.ethernet_interface, names.wireguard_interface, names.lower_interface, names.vlan_interface}
    interfaces |= {f"tmlbr{index}", f"tap{names.ssh_tap_unit}"}
    ports = {f"udp/{port}" for port in (names.udp_port, names.wireguard_port, names.freelan_port, names.tinc_port)}
    ports |= {f"tcp/{port}" for port in (names.tcp_port, names.ssh_port, names.tinc_port)}
    ports |= {f"tcp/{names.iperf_port + n}" for n in range(2)}
    subnets = tuple(ip_network(f"198.19.{2 * index + n}.0/24") for n in range(2))
    return (
        bool(interfaces & {nic.name for nic in facts.nics})
        or bool(ports & set(facts.ports_in_use))
        or names.l2tp_tunnel_id in facts.l2tp_tunnel_ids
        or any(_overlaps(address, subnets) for nic in facts.nics for address in nic.addresses)
    )


def _overlaps(address: str, subnets: Iterable[IPv4Network | IPv6Network]) -> bool:
    own = ip_interface(address).network
    return any(own.version == subnet.version and own.overlaps(subnet) for subnet in subnets)
