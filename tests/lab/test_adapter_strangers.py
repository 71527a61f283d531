"""Adapters on two hosts made of namespaces: strangers are refused. WireGuard's and freelan's are tried on gateways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.adapters import PublicIdentity
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from app.domain.link import Link
from support.bare_tunnel import BareTunnel, Make, expect_a_former_key, ping, tunnels_made
from support.lab_sessions import sh
from support.net_bench import NetBench
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


@pytest.fixture
def make(net: NetBench) -> Iterator[Make]:
    """Give a tunnel of which nothing is made, and see afterwards that nothing of it is left."""
    with tunnels_made(net.sessions, net.facts, Link(*net.hosts.addresses)) as new:
        yield new


def assert_remains_down(tunnel: BareTunnel, who: Side, words: str) -> None:
    """See that a tunnel does not come up after some words in a host's log say that its peer was refused, or asked."""
    tunnel.apply()
    show = f"cat {' '.join(tunnel.plan.on(who).log_paths)}"
    try:
        wait_until(lambda: bool(re.search(words, sh(tunnel.session(who), show))), f"{words!r} in the log of {who}")
    except DeadlineExceeded as error:
        error.add_note(tunnel.logs())
        raise
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=5)
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0


@pytest.mark.parametrize("wrong", list(Side))
def test_openvpn_does_not_come_up_with_another_peers_certificate(wrong: Side, make: Make) -> None:
    tunnel = make(ADAPTERS["openvpn-udp"])
    tunnel.make_keys()
    own = tunnel.request.identity(wrong)
    stranger = PublicIdentity({**own.values, "fingerprint": ":".join(["AB"] * 32)})
    changed = {"identity_a": stranger} if wrong is Side.A else {"identity_b": stranger}
    tunnel.request = replace(tunnel.request, **changed)
    assert_remains_down(tunnel, wrong.other, "certificate (hash )?verif")


def test_tinc_does_not_come_up_with_another_peers_key(make: Make) -> None:
    tunnel = make(ADAPTERS["tinc"])
    expect_a_former_key(tunnel)
    assert_remains_down(tunnel, Side.A, "Bogus data received from")


def test_ssh_does_not_come_up_with_another_peers_host_key(make: Make) -> None:
    tunnel = make(ADAPTERS["ssh"])
    tunnel.make_keys()
    tunnel.request = replace(tunnel.request, identity_a=tunnel.request.identity_b)
    with pytest.raises(AssertionError, match="Host key verification failed"):
        tunnel.apply()
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0


def test_ssh_does_not_let_in_another_peers_key(make: Make) -> None:
    tunnel = make(ADAPTERS["ssh"])
    tunnel.make_keys()
    # A lets in its own key, which B does not have; B finds the host key that it expects.
    tunnel.request = replace(tunnel.request, identity_b=tunnel.request.identity_a)
    with pytest.raises(AssertionError, match=r"(?s)on b: .*Permission denied \(publickey\)"):
        tunnel.apply()
    refused = f"cat {tunnel.plan.a.log_paths[0]}"
    wait_until(lambda: "Failed publickey for root from" in sh(tunnel.sessions.a, refused), "the refusal in the log")
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0


def test_fastd_does_not_come_up_with_another_peers_key(make: Make) -> None:
    tunnel = make(ADAPTERS["fastd"])
    expect_a_former_key(tunnel)
    # A, who has another key, says nothing of it.
    assert_remains_down(tunnel, Side.B, "sending handshake to <tunnelmark-a>")
