"""freelan on two gateways: a stranger is refused, what the host has of its own stays, and it can be rolled out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.deploy import SnapshotDepth
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import Side
from app.domain.rollout import DeploymentState
from app.lab import Lab
from support.bare_tunnel import BareTunnel, build, new_tunnel, ping
from support.lab_deploy import differences, look
from support.lab_pairs import LabPair, LabPairs
from support.lab_rollout import desk_for
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


def test_rolled_out_it_comes_back_when_its_daemon_is_killed_and_goes_without_a_trace(
    lab_debian_11: Lab, tmp_path: Path
) -> None:
    with desk_for(lab_debian_11, tmp_path) as desk:
        before = look(desk.sessions, SnapshotDepth.THOROUGH)
        deployment = desk.deploy("freelan")
        try:
            assert deployment.state is DeploymentState.CONFIRMED
            desk.wait_until_healthy(30)
            killed = sh(desk.host(Side.A), "pkill -KILL -x freelan; echo $?").strip()
            assert killed == "0", "there was no daemon"
            desk.wait_until_healthy(90)
            assert desk.status().a.restarts >= 1
            address = deployment.link.inner_ip(Side.B)
            assert ping(desk.host(Side.A), address) >= 10
        finally:
            desk.undeploy()
        assert differences(before, look(desk.sessions, SnapshotDepth.THOROUGH)) == []
