"""Groups of tunnels that may be up side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.declared import declared, over_tcp
from app.domain.link import MAX_INSTANCES
from app.domain.side_by_side import cells_side_by_side, claims_of, side_by_side
from app.domain.solutions import Carrier
from app.domain.transfers import TransferCell
from vpn_adapters.registry import ADAPTERS


def test_what_shares_nothing_is_up_together() -> None:
    names = (
        "baseline",
        "wireguard",
        "wireguard-vxlan",
        "openvpn-udp",
        "openvpn-tcp",
        "tinc",
        "ssh",
        "freelan",
        "fastd",
        "ipsec",
    )
    assert side_by_side(names) == (tuple(range(10)),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ipsec", "ipsec"),
        ("ipsec", "ipsec-gretap"),
        ("ipsec", "l2tp"),
        ("ipsec", "macsec"),
        ("macsec", "l2tp"),
        ("libreswan", "ipsec-gretap"),
        ("libreswan", "l2tp"),
    ],
)
def test_what_shares_a_port_or_a_protocol_is_not(one: str, other: str) -> None:
    assert side_by_side((one, "baseline", other)) == ((0, 1), (2,))


def test_former_vpns_share_their_ports_and_protocols() -> None:
    assert side_by_side(("pptp", "xl2tpd", "vtun", "wireguard")) == ((0, 1, 2, 3),)
    assert side_by_side(("pptp", "pptp")) == ((0,), (1,))
    assert side_by_side(("xl2tpd", "xl2tpd")) == ((0,), (1,))
    assert side_by_side(("pptp", "ipsec-gretap")) == ((0,), (1,))


def test_two_suites_of_what_has_ports_of_its_own_are_up_together() -> None:
    assert side_by_side(("openvpn-udp", "openvpn-udp")) == ((0, 1),)


def test_claims_are_of_solutions_that_exist() -> None:
    claiming = {solution for folder in declared().values() for solution in folder.claims}
    assert claiming <= set(ADAPTERS)


def test_what_travels_in_a_tcp_connection_is_declared() -> None:
    assert over_tcp() == {name for name, one in ADAPTERS.items() if one.info.carrier is Carrier.TCP}


def test_cells_of_what_shares_a_port_or_is_too_much_are_in_further_groups() -> None:
    def cells(*names: str) -> list[TransferCell]:
        both = ("geo", "leo")
        return [TransferCell(one, "bbr2", name, place) for one in both for name in names for place in ("none", "B")]

    (whole,) = cells_side_by_side(cells("wireguard", "fastd"))
    assert list(whole) == cells("wireguard", "fastd"), "each tunnel once, whatever the number of conditions"
    first, second = cells_side_by_side(cells("wireguard", "ipsec"))
    assert {(one.solution, one.proxy) for one in second} == {("ipsec", "B")}
    assert (len(first), len(second)) == (6, 2)
    assert sorted((*first, *second)) == sorted(cells("wireguard", "ipsec"))
    many = cells("wireguard", "fastd", "tinc", "openvpn-udp", "openvpn-tcp", "freelan")
    assert [len({(one.solution, one.proxy) for one in group}) for group in cells_side_by_side(many)] == [10, 2]
    assert [len(group) for group in cells_side_by_side(cells("wireguard"), most=1)] == [2, 2]


@given(st.lists(st.sampled_from(sorted(ADAPTERS)), max_size=25))
def test_each_tunnel_is_in_one_group_and_no_group_shares_anything(names: list[str]) -> None:
    groups = side_by_side(names)
    assert sorted(position for group in groups for position in group) == list(range(len(names)))
    for group in groups:
        assert 0 < len(group) <= MAX_INSTANCES
        claims = [claim for position in group for claim in claims_of(names[position])]
        assert len(claims) == len(set(claims))
