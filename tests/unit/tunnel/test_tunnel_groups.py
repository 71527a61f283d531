"""Groups of tunnels that may be up side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.declared import declared, over_tcp
from app.domain.link import MAX_INSTANCES
from app.domain.side_by_side import builds, claims_of, side_by_side
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

    (whole,) = builds(cells("wireguard", "fastd"), is_shaped=False)
    assert list(whole) == cells("wireguard", "fastd"), "each tunnel once, whatever the number of conditions"
    first, second = builds(cells("wireguard", "ipsec"), is_shaped=False)
    assert {(one.solution, one.proxy) for one in second} == {("ipsec", "B")}
    assert (len(first), len(second)) == (6, 2)
    assert sorted((*first, *second)) == sorted(cells("wireguard", "ipsec"))
    many = cells("wireguard", "fastd", "tinc", "openvpn-udp", "openvpn-tcp", "freelan")
    assert [len({(one.solution, one.proxy) for one in group}) for group in builds(many, is_shaped=False)] == [10, 2]


def test_cells_of_a_build_have_one_congestion_control() -> None:
    cells = [TransferCell("geo", kind, name, "none") for name in ("wireguard", "fastd") for kind in ("bbr2", "cubic")]
    assert [{one.congestion for one in some} for some in builds(cells, is_shaped=False)] == [{"bbr2"}, {"cubic"}]


def test_hosts_that_shape_the_link_build_for_each_condition_and_with_one_tunnel_fewer() -> None:
    names = ("wireguard", "fastd", "tinc", "openvpn-udp", "openvpn-tcp")
    cells = [
        TransferCell(one, "bbr2", name, place) for name in names for place in ("none", "B") for one in ("geo", "leo")
    ]
    assert len(cells) == 2 * MAX_INSTANCES
    assert [len(some) for some in builds(cells, is_shaped=False)] == [len(cells)]
    shaped = list(builds(cells, is_shaped=True))
    assert [({one.condition for one in some}, len(some)) for some in shaped] == [
        ({name}, number) for name in ("geo", "leo") for number in (MAX_INSTANCES - 1, 1)
    ]
    assert sorted(one for some in shaped for one in some) == sorted(cells)


@given(st.lists(st.sampled_from(sorted(ADAPTERS)), max_size=25))
def test_each_tunnel_is_in_one_group_and_no_group_shares_anything(names: list[str]) -> None:
    groups = side_by_side(names)
    assert sorted(position for group in groups for position in group) == list(range(len(names)))
    for group in groups:
        assert 0 < len(group) <= MAX_INSTANCES
        claims = [claim for position in group for claim in claims_of(names[position])]
        assert len(claims) == len(set(claims))
