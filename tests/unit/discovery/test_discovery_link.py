"""Addresses, names and numbers of a tunnel that clash with nothing on either host."""

from __future__ import annotations

import ipaddress
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.discovery import find_link
from app.discovery.find_link import with_measured_mtu
from app.discovery.messages import (
    ADDRESS_NOT_THERE,
    INTERFACE_DOWN,
    MTU_TOO_SMALL,
    NO_FREE_PORT,
    NO_FREE_SUBNETS,
    NO_IPV4_ADDRESS,
    UNDERLAY_GIVEN_TWICE,
)
from app.domain.errors import InvalidPlan, PreflightRefused
from app.domain.hosts import HostFacts, Nic
from app.domain.link import INNER_SUBNET, LAST_SESSION_ID, Link, TunnelNames
from app.domain.messages import MessageForm
from app.domain.messages.inputs import NO_IP_ADDRESS, NO_OUTER_ADDRESS, NO_UNDERLAY_GIVEN, UNDERLAY_IS_IPV6
from support.message_checks import has_message
from support.sample_records import facts as sample_facts


def _facts(
    hostname: str,
    *addresses: str,
    mtu_bytes: int = 1500,
    is_up: bool = True,
    routes: tuple[str, ...] = (),
    others: tuple[Nic, ...] = (),
    ports: tuple[str, ...] = (),
    tunnels: tuple[int, ...] = (),
) -> HostFacts:
    nics = (
        Nic("lo", "", 65536, None, is_up=True, addresses=("127.0.0.1/8", "::1/128")),
        Nic("eth1", "52:54:00:00:00:02", mtu_bytes, None, is_up=is_up, addresses=addresses),
        *others,
    )
    return replace(sample_facts(hostname), nics=nics, routes=routes, ports_in_use=ports, l2tp_tunnel_ids=tunnels)


A = _facts("gw-a", "fe80::1/64", "192.0.2.1/24")
B = _facts("gw-b", "192.0.2.2/24")


def test_free_hosts_get_the_usual_link() -> None:
    link = find_link(A, B, "192.0.2.1", " 192.0.2.2 ")
    usual = replace(TunnelNames(), l2tp_session_id=link.names.l2tp_session_id)
    assert link == Link("192.0.2.1", "192.0.2.2", names=usual)


def test_the_id_of_a_session_is_another_each_time() -> None:
    ids = {find_link(A, B, "192.0.2.1", "192.0.2.2").names.l2tp_session_id for _ in range(20)}
    assert len(ids) == 20
    assert all(0 < number <= LAST_SESSION_ID for number in ids)
    assert max(ids) > 2**24


def test_the_underlays_mtu_is_the_smaller_one() -> None:
    small = _facts("gw-b", "192.0.2.2/24", mtu_bytes=1400)
    assert find_link(A, small, "192.0.2.1", "192.0.2.2").underlay_mtu_bytes == 1400
    with pytest.raises(PreflightRefused, check=has_message(MTU_TOO_SMALL)):
        find_link(A, _facts("gw-b", "192.0.2.2/24", mtu_bytes=500), "192.0.2.1", "192.0.2.2")


@pytest.mark.parametrize(
    ("from_a", "from_b", "expected"),
    [
        ({"192.0.2.2": 1420}, {"192.0.2.1": 1400}, (1400, True)),
        ({"192.0.2.2": 9000}, {"192.0.2.1": 9000}, (1500, True)),
        ({"192.0.2.2": 1420}, {}, (1420, False)),
        ({"198.51.100.2": 1400}, {"198.51.100.1": 1400}, (1500, False)),
    ],
    ids=["smaller-direction", "no-more-than-the-interfaces", "one-direction", "another-path"],
)
def test_a_measured_mtu_counts_for_its_own_path(
    from_a: dict[str, int], from_b: dict[str, int], expected: tuple[int, bool]
) -> None:
    link = find_link(A, B, "192.0.2.1", "192.0.2.2")
    found, is_measured = with_measured_mtu(link, replace(A, path_mtus=from_a), replace(B, path_mtus=from_b))
    assert (found.underlay_mtu_bytes, is_measured) == expected


def _inner(link: Link) -> tuple[ipaddress.IPv4Network, ipaddress.IPv4Network]:
    """Return both inner subnets, having checked that both sides lie in the same one."""
    inner_a, inner_b = ipaddress.IPv4Interface(link.inner_a), ipaddress.IPv4Interface(link.inner_b)
    carrier = ipaddress.IPv4Network(f"{link.carrier_a}/24", strict=False)
    assert inner_a.network == inner_b.network
    assert inner_a.ip != inner_b.ip
    assert ipaddress.IPv4Address(link.carrier_b) in carrier
    assert link.carrier_a != link.carrier_b
    return inner_a.network, carrier


@pytest.mark.parametrize(
    ("taken", "inner", "carrier"),
    [
        (("198.18.0.0/24",), "198.18.1.0/24", "198.18.2.0/24"),
        (("198.18.1.128/25",), "198.18.0.0/24", "198.18.2.0/24"),
        (("198.18.0.0/16",), "198.19.0.0/24", "198.19.1.0/24"),
        (("0.0.0.0/0",), "198.18.0.0/24", "198.18.1.0/24"),
    ],
)
def test_subnets_that_a_host_has_a_route_to_are_left_alone(taken: tuple[str, ...], inner: str, carrier: str) -> None:
    for one, other in ((replace(A, routes=taken), B), (A, replace(B, routes=taken))):
        found = _inner(find_link(one, other, "192.0.2.1", "192.0.2.2"))
        assert tuple(str(network) for network in found) == (inner, carrier)


def test_an_underlay_within_the_inner_range_is_left_alone() -> None:
    link = find_link(_facts("a", "198.18.0.1/23"), _facts("b", "198.18.0.2/23"), "198.18.0.1", "198.18.0.2")
    assert _inner(link)[0] == ipaddress.IPv4Network("198.18.2.0/24")


def test_no_free_subnet_is_reported() -> None:
    crowded = replace(A, routes=("198.18.0.0/16", "198.19.0.0/17", "198.19.128.0/17"))
    with pytest.raises(PreflightRefused, check=has_message(NO_FREE_SUBNETS)) as caught:
        find_link(crowded, B, "192.0.2.1", "192.0.2.2")
    assert "198.19.128.0/17" in caught.value.message


_networks = st.builds(
    lambda offset, prefix: str(ipaddress.IPv4Network((int(INNER_SUBNET[0]) + offset, prefix), strict=False)),
    st.integers(0, 2**17 - 1),
    st.integers(17, 32),
)


@given(st.lists(_networks, max_size=40), st.lists(_networks, max_size=40))
def test_inner_subnets_never_overlap_anything(routes_a: list[str], routes_b: list[str]) -> None:
    try:
        link = find_link(
            replace(A, routes=tuple(routes_a)), replace(B, routes=tuple(routes_b)), "192.0.2.1", "192.0.2.2"
        )
    except PreflightRefused:
        free = [
            block
            for block in INNER_SUBNET.subnets(new_prefix=24)
            if not any(block.overlaps(ipaddress.IPv4Network(taken)) for taken in (*routes_a, *routes_b))
        ]
        assert len(free) < 2
        return
    inner, carrier = _inner(link)
    assert not inner.overlaps(carrier)
    assert inner.subnet_of(INNER_SUBNET)
    assert carrier.subnet_of(INNER_SUBNET)
    for taken in (*routes_a, *routes_b):
        assert not inner.overlaps(ipaddress.IPv4Network(taken))
        assert not carrier.overlaps(ipaddress.IPv4Network(taken))


def test_names_ports_and_numbers_in_use_are_left_alone() -> None:
    usual = TunnelNames()
    a = _facts(
        "a",
        "192.0.2.1/24",
        others=(Nic("tmk0", "", 1500, None, is_up=True), Nic("tmkwg1", "", 1420, None, is_up=True)),
        ports=("udp/21194", "udp/21195", "tcp/21194", "tcp/22"),
        tunnels=(7301,),
    )
    b = _facts(
        "b", "192.0.2.2/24", others=(Nic("tmk1", "", 1500, None, is_up=False),), ports=("tcp/25201",), tunnels=(7302,)
    )
    names = find_link(a, b, "192.0.2.1", "192.0.2.2").names
    assert (names.ethernet_interface, names.wireguard_interface) == ("tmk2", "tmkwg0")
    assert (names.udp_port, names.wireguard_port) == (21196, usual.wireguard_port)
    assert (names.tcp_port, names.iperf_port) == (usual.tcp_port, 25202)
    assert names.l2tp_tunnel_id == 7303


@pytest.mark.parametrize(("port", "first"), [("tcp/25203", 25204), ("udp/25203", 25204), ("tcp/25204", 25201)])
def test_the_port_of_workloads_is_free_for_tcp_and_udp_like_those_of_iperf3(port: str, first: int) -> None:
    names = find_link(replace(A, ports_in_use=(port,)), B, "192.0.2.1", "192.0.2.2").names
    assert names.iperf_port == first


UDP_PORTS = "udp_port", "wireguard_port", "freelan_port", "tinc_port"
TCP_PORTS = "tcp_port", "ssh_port", "tinc_port"
INTERFACES = "ethernet_interface", "wireguard_interface", "lower_interface", "vlan_interface"


def test_every_name_and_number_makes_way_to_what_one_host_uses() -> None:
    usual = TunnelNames()
    ports = (
        *(f"udp/{getattr(usual, name)}" for name in UDP_PORTS),
        *(f"tcp/{getattr(usual, name)}" for name in TCP_PORTS),
        f"tcp/{usual.iperf_port + 1}",  # the second direction's
    )
    nics = (*(getattr(usual, name) for name in INTERFACES), f"tap{usual.ssh_tap_unit}")
    a = _facts(
        "gw-a",
        "192.0.2.1/24",
        others=tuple(Nic(name, "", 1500, None, is_up=False) for name in nics),
        ports=ports,
        tunnels=(usual.l2tp_tunnel_id,),
    )
    for names in (find_link(a, B, "192.0.2.1", "192.0.2.2").names, find_link(B, a, "192.0.2.2", "192.0.2.1").names):
        kept = {one.name for one in fields(TunnelNames) if getattr(names, one.name) == getattr(usual, one.name)}
        # Its table is Tunnelmark's by its name, and making it fails where there is one.
        assert kept == {"guard_table"}
        used = [getattr(names, name) for name in UDP_PORTS]
        assert len(set(used)) == len(used)
        used = [*(getattr(names, name) for name in TCP_PORTS), names.iperf_port, names.iperf_port + 1]
        assert len(set(used)) == len(used)
        assert len({getattr(names, name) for name in INTERFACES}) == len(INTERFACES)


def test_host_without_a_free_port_is_refused() -> None:
    taken = tuple(f"tcp/{port}" for port in range(TunnelNames().ssh_port, 65_536))
    with pytest.raises(PreflightRefused, check=has_message(NO_FREE_PORT)):
        find_link(replace(A, ports_in_use=taken), B, "192.0.2.1", "192.0.2.2")


def test_ports_that_make_way_do_not_meet_each_other() -> None:
    usual = TunnelNames()
    taken = tuple(f"udp/{port}" for port in range(usual.udp_port, usual.wireguard_port))
    names = find_link(replace(A, ports_in_use=taken), B, "192.0.2.1", "192.0.2.2").names
    assert (names.udp_port, names.wireguard_port) == (usual.wireguard_port, usual.wireguard_port + 1)


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("gateway", NO_IP_ADDRESS),
        ("", NO_UNDERLAY_GIVEN),
        ("fd00::1", UNDERLAY_IS_IPV6),
        ("127.0.0.1", NO_OUTER_ADDRESS),
        ("0.0.0.0", NO_OUTER_ADDRESS),
        ("224.0.0.5", NO_OUTER_ADDRESS),
        ("255.255.255.255", NO_OUTER_ADDRESS),
    ],
)
def test_addresses_that_cannot_be_used_are_refused_and_the_hosts_own_named(address: str, form: MessageForm) -> None:
    with pytest.raises(InvalidPlan, check=has_message(form)) as caught:
        find_link(A, B, address, "192.0.2.2")
    assert "192.0.2.1" in caught.value.hint
    assert "127.0.0.1" not in caught.value.hint


def test_an_address_that_the_host_does_not_have_means_nat_or_a_mistake() -> None:
    with pytest.raises(PreflightRefused, check=has_message(ADDRESS_NOT_THERE)) as caught:
        find_link(A, B, "192.0.2.1", "203.0.113.9")
    assert "B (gw-b)" in caught.value.message
    assert "192.0.2.2" in caught.value.hint
    with pytest.raises(
        PreflightRefused, check=has_message(ADDRESS_NOT_THERE, address="192.0.2.2", host="gw-a", side="A")
    ):
        find_link(A, B, "192.0.2.2", "192.0.2.1")


def test_hosts_that_are_joined_by_ipv6_alone_are_refused_with_the_reason() -> None:
    six = _facts("gw-6", "fd00::5/64", "fe80::5/64")
    with pytest.raises(PreflightRefused, check=has_message(NO_IPV4_ADDRESS)):
        find_link(A, six, "192.0.2.1", "192.0.2.2")


def test_an_interface_that_is_down_is_reported() -> None:
    with pytest.raises(PreflightRefused, check=has_message(INTERFACE_DOWN, interface="eth1")):
        find_link(A, _facts("gw-b", "192.0.2.2/24", is_up=False), "192.0.2.1", "192.0.2.2")


def test_twice_the_same_address_is_refused() -> None:
    with pytest.raises(InvalidPlan, check=has_message(UNDERLAY_GIVEN_TWICE)):
        find_link(A, A, "192.0.2.1", "192.0.2.1")
