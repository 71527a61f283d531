"""The check that every place where a pair is made shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.errors import InvalidOption
from app.domain.hosts import HostSpec, NodeHost, PairSpec, Side
from app.domain.messages import MessageForm
from app.domain.messages.inputs import (
    HOST_IS_A_NODE,
    HOST_WITHOUT_ADDRESS,
    HOSTS_ARE_THE_SAME,
    NO_HOST_ADDRESS,
    NO_IP_ADDRESS,
    NO_IP_ADDRESS_OF_HOST,
    NO_OUTER_ADDRESS,
    NODE_ALONE,
    NODE_INTERFACE_WRONG,
    NODE_TWICE,
    NODE_WRONG,
    UNDERLAY_IS_IPV6,
    UNDERLAY_MISSING,
    UNDERLAY_WRONG,
    UNDERLAYS_ARE_THE_SAME,
)
from app.domain.pairs import PairField, check_pair, pair_faults
from support.message_checks import has_message

PAIR = PairSpec("north", HostSpec("a", "10.0.0.1"), HostSpec("b", "gw.example"), "192.0.2.1", "192.0.2.2")


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "pump-1", "PUMP_1", "10", "10.gw", "2001:db8::1", "fe80::1%eth0", "gw.1"]
)
def test_addresses_that_can_be_logged_in_to(address: str) -> None:
    check_pair(replace(PAIR, a=HostSpec("a", address)))


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("", HOST_WITHOUT_ADDRESS),
        ("10.0.0.999", NO_IP_ADDRESS_OF_HOST),
        ("10.0.0", NO_IP_ADDRESS_OF_HOST),
        ("10.0.0.1.2", NO_IP_ADDRESS_OF_HOST),
        ("10.0.0.1:22", NO_IP_ADDRESS_OF_HOST),
        ("2001:db8::g", NO_IP_ADDRESS_OF_HOST),
        ("a b", NO_HOST_ADDRESS),
        ("-oProxyCommand", NO_HOST_ADDRESS),
        ("root@gw", NO_HOST_ADDRESS),
    ],
)
def test_addresses_that_are_none(address: str, form: MessageForm) -> None:
    named = {"address": address} if address else {}
    with pytest.raises(InvalidOption, check=has_message(form, side="A", **named)):
        check_pair(replace(PAIR, a=HostSpec("a", address)))


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("gw", NO_IP_ADDRESS),
        ("10.0.0.999", NO_IP_ADDRESS),
        ("2001:db8::1", UNDERLAY_IS_IPV6),
        ("127.0.0.1", NO_OUTER_ADDRESS),
        ("224.0.0.1", NO_OUTER_ADDRESS),
    ],
)
def test_underlay_addresses_that_no_tunnel_can_use(address: str, form: MessageForm) -> None:
    fault = next(pair_faults(replace(PAIR, underlay_b=address)))
    assert (fault.field, fault.side) == (PairField.UNDERLAY, Side.B)
    assert fault.message == UNDERLAY_WRONG(side="B", problem=form(address=address))


@pytest.mark.parametrize("address", ["", " "])
def test_an_underlay_address_that_is_missing_is_asked_for(address: str) -> None:
    fault = next(pair_faults(replace(PAIR, underlay_a=address)))
    assert (fault.field, fault.side) == (PairField.UNDERLAY, Side.A)
    assert (fault.message, fault.hint) == (UNDERLAY_MISSING(side="A"), UNDERLAY_MISSING(side="A").hint)


def test_both_hosts_at_one_underlay_address_are_refused() -> None:
    with pytest.raises(InvalidOption, check=has_message(UNDERLAYS_ARE_THE_SAME)):
        check_pair(replace(PAIR, underlay_b="192.0.2.1"))


@pytest.mark.parametrize(
    ("b", "is_same"),
    [
        (HostSpec("b", "10.0.0.1", 22, "root"), True),
        (HostSpec("b", "10.0.0.1", None, "root"), True),
        (HostSpec("b", "10.0.0.1", 2222, "root"), False),
        (HostSpec("b", "10.0.0.1", 22, "admin"), False),
        (HostSpec("b", "10.0.0.2", 22, "root"), False),
    ],
)
def test_one_login_is_not_two_hosts(b: HostSpec, *, is_same: bool) -> None:
    faults = list(pair_faults(replace(PAIR, a=HostSpec("a", "10.0.0.1", 22, "root"), b=b)))
    assert bool(faults) is is_same
    assert all(has_message(HOSTS_ARE_THE_SAME, address="10.0.0.1")(fault.message) for fault in faults)


def node(address: str = "10.0.0.11", interface: str = "eth1", of_gateway: str = "eth2") -> NodeHost:
    return NodeHost(HostSpec("node", address), interface, of_gateway)


def test_a_pair_has_a_node_behind_both_hosts_or_behind_none() -> None:
    check_pair(replace(PAIR, node_a=node(), node_b=node("10.0.0.12", "ens3.10", "br-lan")))
    for side, pair in (("B", replace(PAIR, node_a=node())), ("A", replace(PAIR, node_b=node()))):
        with pytest.raises(InvalidOption, check=has_message(NODE_ALONE, side=side)):
            check_pair(pair)


@pytest.mark.parametrize(
    ("b", "form"),
    [
        (node("10.0.0.999"), NODE_WRONG),
        (node("-oProxyCommand"), NODE_WRONG),
        (node("10.0.0.11"), NODE_TWICE),
        (node("10.0.0.12", ""), NODE_INTERFACE_WRONG),
        (node("10.0.0.12", "eth1; reboot"), NODE_INTERFACE_WRONG),
        (node("10.0.0.12", "eth1", "-all"), NODE_INTERFACE_WRONG),
        (node("10.0.0.12", "a-name-of-16-chr"), NODE_INTERFACE_WRONG),
    ],
)
def test_a_node_that_cannot_be_one_is_refused(b: NodeHost, form: MessageForm) -> None:
    with pytest.raises(InvalidOption, check=has_message(form, side="B")):
        check_pair(replace(PAIR, node_a=node(), node_b=b))


@pytest.mark.parametrize(("address", "side"), [("10.0.0.1", Side.A), ("GW.example", Side.B)])
def test_a_host_that_has_the_address_of_a_node_is_the_one_that_is_wrong(address: str, side: Side) -> None:
    named = replace(PAIR, node_a=node(), node_b=node(address))
    (fault,) = pair_faults(named)
    assert (fault.field, fault.side) == (PairField.ADDRESS, side)
    with pytest.raises(InvalidOption, check=has_message(HOST_IS_A_NODE, side=side.upper(), node="B")):
        check_pair(named)
    other = replace(named, node_b=replace(node(address), host=HostSpec("node", address, 2222)))
    assert list(pair_faults(other)) == [], "behind another port"
