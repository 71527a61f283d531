"""Deployments between hosts made of namespaces: changed, replaced, kept by one host alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.deployment.events import DeploymentApplied
from app.domain.cancel import CancelToken
from app.domain.capture import LeakVerdict
from app.domain.deployment import DeploymentState
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.host.snapshots import SnapshotDepth
from support.lab_deploy import Snapshots, wait_until_as_before
from support.lab_deployment import Desk, desk_for
from support.lab_sessions import answered_pings, sh
from support.net_bench import NetBench
from support.net_desk import wait_until_nothing_is_left


@pytest.fixture(scope="module")
def before(net: NetBench) -> Snapshots:
    """Snapshots of both hosts from the beginning."""
    return net.inspect(SnapshotDepth.THOROUGH)


@pytest.fixture(scope="module")
def opened(net: NetBench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_for(net.pair, tmp_path_factory.mktemp("desk")) as desk:
        yield desk


@pytest.fixture
def desk(opened: Desk, net: NetBench, before: Snapshots) -> Iterator[Desk]:
    """Every test leaves both hosts as they were: files, modes, owners, services, interfaces, processes."""
    yield opened
    if opened.status().state is not None:
        assert opened.undeploy().state is DeploymentState.REMOVED
    # The supervisor may take a moment to end.
    wait_until_as_before(net.sessions, before)
    wait_until_nothing_is_left(net.hosts.hosts)


def test_one_vpn_takes_the_place_of_another_and_shows_what_was_changed(desk: Desk) -> None:
    first = desk.deploy("openvpn-udp")
    desk.wait_until_healthy()
    path = f"{first.link.run_dir}/openvpn.conf"
    sh(desk.host(Side.B), f"echo '# altered' >> {path}; pkill -KILL -x openvpn")
    desk.wait_until_healthy()
    assert "altered" not in sh(desk.host(Side.B), f"cat {path}")
    sh(desk.host(Side.A), f"echo '# altered' >> {path}")
    drift = desk.status().a.drift
    assert [one.path for one in drift] == [path]
    assert "+# altered" in drift[0].diff
    assert any(key.days_left is not None for key in desk.status().a.keys)

    second = desk.deploy("ssh")
    assert (second.replaces, second.state) == (first.id, DeploymentState.CONFIRMED)
    applied = next(event for event in reversed(desk.events) if isinstance(event, DeploymentApplied))
    assert applied.leak is not None
    assert applied.leak.verdict is LeakVerdict.PROTECTED
    assert {name: result.verdict for name, result in second.properties.items()} == {
        "confidential": PropertyVerdict.HOLDS,
        "authentic": PropertyVerdict.NOT_TRIED,
        "replay-proof": PropertyVerdict.NOT_TRIED,
    }
    assert {result.verdict for result in first.properties.values()} == {PropertyVerdict.HOLDS}
    assert second.timings_s["connect"] > 0
    desk.wait_until_healthy()
    states = {one.id: one.state for one in desk.services.deployments(desk.pair.name)}
    assert states[first.id] is DeploymentState.REPLACED
    status = desk.status()
    assert status.deployment is not None
    assert (status.deployment.id, status.connect_s) == (second.id, second.timings_s["connect"])
    assert [end.deployment_id for end in (status.a, status.b)] == [second.id] * 2
    for side in Side:
        sh(desk.host(side), answered_pings(second.link.inner_ip(side.other), f"-I {status.a.interface}"))


def test_what_one_host_alone_keeps_is_shown_and_put_right(desk: Desk) -> None:
    deployment = desk.deploy("openvpn-udp")
    assert deployment.state is DeploymentState.CONFIRMED
    sh(desk.host(Side.B), f"sh /etc/tunnelmark/{deployment.slot}/start.sh remove")
    assert desk.status().state is DeploymentState.HALF_CONFIRMED
    repaired = desk.services.repair(desk.pair, token=CancelToken(), emit=lambda _event: None)
    assert repaired is not None
    assert repaired.state is DeploymentState.CONFIRMED
    desk.wait_until_healthy()
