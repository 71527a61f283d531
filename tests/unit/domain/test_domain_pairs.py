"""The check that every place where a pair is made shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.errors import InvalidOption
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.messages.inputs import UNDERLAYS_ARE_THE_SAME
from app.domain.pairs import PairField, check_pair, pair_faults
from support.message_checks import has_message

PAIR = PairSpec("north", HostSpec("a", "10.0.0.1"), HostSpec("b", "gw.example"), "192.0.2.1", "192.0.2.2")


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "pump-1", "PUMP_1", "10", "10.gw", "2001:db8::1", "fe80::1%eth0", "gw.1"]
)
def test_addresses_that_can_be_logged_in_to(address: str) -> None:
    check_pair(replace(PAIR, a=HostSpec("a", address)))


@pytest.mark.parametrize(
    ("address", "reported"),
    [
        ("", "Host A has no address"),
        ("10.0.0.999", "'10.0.0.999' is no IP address"),
        ("10.0.0", "no IP address"),
        ("10.0.0.1.2", "no IP address"),
        ("10.0.0.1:22", "no IP address"),
        ("2001:db8::g", "no IP address"),
        ("a b", "no address for host A"),
        ("-oProxyCommand", "no address for host A"),
        ("root@gw", "no address for host A"),
    ],
)
def test_addresses_that_are_none(address: str, reported: str) -> None:
    with pytest.raises(InvalidOption, match=reported):
        check_pair(replace(PAIR, a=HostSpec("a", address)))


@pytest.mark.parametrize(
    ("address", "reported"),
    [
        ("gw", "not an IP address"),
        ("10.0.0.999", "not an IP address"),
        ("2001:db8::1", "is an IPv6 address. The solutions that are known so far need IPv4"),
        ("127.0.0.1", "cannot be the outer address"),
        ("224.0.0.1", "cannot be the outer address"),
    ],
)
def test_underlay_addresses_that_no_tunnel_can_use(address: str, reported: str) -> None:
    fault = next(pair_faults(replace(PAIR, underlay_b=address)))
    assert (fault.field, fault.side) == (PairField.UNDERLAY, Side.B)
    assert "Underlay address of host B" in fault.message
    assert reported in fault.message


@pytest.mark.parametrize("address", ["", " "])
def test_an_underlay_address_that_is_missing_is_asked_for(address: str) -> None:
    fault = next(pair_faults(replace(PAIR, underlay_a=address)))
    assert (fault.field, fault.side) == (PairField.UNDERLAY, Side.A)
    assert fault.message == "Host A has no underlay address."
    assert fault.hint.startswith("Enter the IPv4 address")


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
    assert all("are the same" in fault.message for fault in faults)
