"""Links of tunnels that are up side by side."""

from __future__ import annotations

import ipaddress
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Bug
from app.domain.hosts import Side
from app.domain.link import INNER_SUBNET, LAST_SESSION_ID, MAX_INSTANCES, MEASURING_PORTS, Link, TunnelNames

LINK = Link("192.0.2.1", "192.0.2.2")
_PORTS = ("udp_port", "tcp_port", "wireguard_port", "tinc_port", "freelan_port", "ssh_port", "iperf_port")


@st.composite
def _links(draw: st.DrawFn) -> Link:
    """Return links as they are found on hosts that use some of the usual names, ports and subnets."""
    ports = st.lists(st.integers(512, 32_767), min_size=len(_PORTS), max_size=len(_PORTS), unique=True)
    numbers = {name: 2 * port for name, port in zip(_PORTS, draw(ports), strict=True)}
    digit = st.integers(0, 40)
    names = TunnelNames(
        ethernet_interface=f"tmk{draw(digit)}",
        wireguard_interface=f"tmkwg{draw(digit)}",
        lower_interface=f"tmklow{draw(digit)}",
        vlan_interface=f"tmkvlan{draw(digit)}",
        l2tp_tunnel_id=draw(st.integers(1, LAST_SESSION_ID)),
        l2tp_session_id=draw(st.integers(1, LAST_SESSION_ID)),
        ssh_tap_unit=draw(st.integers(0, 9_999)),
        **numbers,  # type: ignore[arg-type]
    )
    inner, carrier = draw(st.lists(st.integers(0, 511), min_size=2, max_size=2, unique=True))
    blocks = list(INNER_SUBNET.subnets(new_prefix=24))
    return replace(
        LINK,
        inner_a=f"{blocks[inner][1]}/24",
        inner_b=f"{blocks[inner][2]}/24",
        carrier_a=f"{blocks[carrier][1]}",
        carrier_b=f"{blocks[carrier][2]}",
        names=names,
    )


@given(_links())
def test_no_instance_has_anything_of_another(link: Link) -> None:
    made = [link.instance(number) for number in range(MAX_INSTANCES)]
    assert made[0] == link
    for sets in (
        [set(one.names.interfaces) for one in made],
        [set(one.names.ports) for one in made],
        [{one.names.guard_table} for one in made],
        [{one.names.ssh_tap_unit} for one in made],
        [{one.names.l2tp_tunnel_id} for one in made],
        [{one.names.l2tp_session_id} for one in made],
        [{one.run_dir} for one in made],
    ):
        assert len(set().union(*sets)) == sum(len(one) for one in sets)
    networks = [network for one in made for network in one.own_networks]
    assert not [
        (one, other) for index, one in enumerate(networks) for other in networks[index + 1 :] if one.overlaps(other)
    ]


@given(_links(), st.integers(1, MAX_INSTANCES - 1))
def test_an_instance_is_a_link_as_the_first_one(link: Link, number: int) -> None:
    made = link.instance(number)
    assert all(len(name) <= 15 for name in made.names.interfaces)
    assert len(made.names.ports) == len(_PORTS) + MEASURING_PORTS - 1
    assert all(1024 <= port <= 65_535 for port in made.names.ports)
    assert 0 < made.names.l2tp_session_id <= LAST_SESSION_ID
    assert 0 < made.names.l2tp_tunnel_id <= LAST_SESSION_ID
    for side in Side:
        assert ipaddress.IPv4Interface(made.inner(side)).network == ipaddress.IPv4Interface(made.inner_a).network
        assert ipaddress.IPv4Address(made.carrier(side)) in INNER_SUBNET
    assert made.run_dir.rpartition("/")[0] == link.run_dir.rpartition("/")[0]
    assert (made.underlay_a, made.underlay_b, made.underlay_mtu_bytes) == (
        link.underlay_a,
        link.underlay_b,
        link.underlay_mtu_bytes,
    )


def test_the_usual_link_counts_up() -> None:
    third = LINK.instance(2)
    assert third.inner_a == "198.18.4.1/24"
    assert third.carrier_b == "198.18.5.2"
    assert third.names.ethernet_interface == "tmk2"
    assert third.names.udp_port == TunnelNames().udp_port + 20
    assert third.names.guard_table == "tunnelmark_guard_2"
    assert third.run_dir == "/run/tunnelmark/tunnel-2"


def test_all_names_but_those_of_instance_0_are_others() -> None:
    other = LINK.instance(1).names
    assert [one.name for one in fields(TunnelNames) if getattr(other, one.name) == getattr(LINK.names, one.name)] == []


def test_a_sessions_id_is_another_each_time() -> None:
    assert len({LINK.instance(3).names.l2tp_session_id for _ in range(50)}) == 50


@pytest.mark.parametrize("number", [-1, MAX_INSTANCES])
def test_there_are_no_more_than_the_journal_can_number(number: int) -> None:
    with pytest.raises(Bug):
        LINK.instance(number)
