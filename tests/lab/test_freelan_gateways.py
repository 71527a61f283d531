"""freelan on two gateways: a stranger is refused, and what the host has of its own stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from support.bare_tunnel import BareTunnel, build, new_tunnel, ping
from support.lab_pairs import LabPair, LabPairs
from support.lab_sessions import sh
from vpn_adapters.freelan import adapter

OWN_INSTANCE = """\
mkdir -p /run/own-freelan
printf '%s\\n' '[fscp]' 'listen_on=127.0.0.1:12000' 'upnp_enabled=no' '[tap_adapter]' 'enabled=no' \
  '[security]' 'passphrase=only for this test' > /run/own-freelan/freelan.cfg
setsid freelan -f -c /run/own-freelan/freelan.cfg > /run/own-freelan/log 2>&1 < /dev/null &
echo $! > /run/own-freelan/pid
ip route add 192.0.2.2/32 dev eth1 proto static
"""
TAKE_OWN_AWAY = 'kill "$(cat /run/own-freelan/pid)"; ip route del 192.0.2.2/32 proto static; rm -rf /run/own-freelan'


@pytest.fixture(scope="module")
def pair(lab_pairs: LabPairs) -> LabPair:
    """Both gateways of the platform that has freelan."""
    return lab_pairs.get("debian-11", "debian-11")


@pytest.fixture
def tunnel(pair: LabPair) -> Iterator[BareTunnel]:
    """A tunnel of which nothing is made; afterwards nothing of it is left."""
    suite = next(suite for suite in adapter.suites(*pair.facts) if suite.is_default)
    made = new_tunnel(pair.sessions, adapter, suite, pair.facts, pair.link)
    before = made.both(made.snapshot)
    yield made
    made.undo()
    assert made.both(made.snapshot) == before


def test_a_stranger_with_a_certificate_of_his_own_is_refused(tunnel: BareTunnel) -> None:
    tunnel.make_keys()
    # B expects A to show the certificate that B itself has.
    tunnel.request = replace(tunnel.request, identity_a=tunnel.request.identity_b)
    tunnel.apply()
    with pytest.raises(DeadlineExceeded):
        tunnel.wait_until_up(timeout_s=6)
    assert ping(tunnel.sessions.a, tunnel.plan.probe_address(Side.B), wait_s=2) == 0
    assert "certificate is invalid" in sh(tunnel.sessions.b, f"cat {tunnel.plan.b.log_paths[0]}")


def test_a_freelan_and_a_route_of_the_host_s_own_stay(tunnel: BareTunnel) -> None:
    host = tunnel.sessions.a
    sh(host, OWN_INSTANCE)
    try:
        build(tunnel)
        tunnel.undo()
        assert "192.0.2.2 dev eth1 proto static" in sh(host, "ip route")
        assert "own-freelan" in sh(host, "tr '\\0' ' ' < /proc/$(cat /run/own-freelan/pid)/cmdline")
    finally:
        sh(host, TAKE_OWN_AWAY)
