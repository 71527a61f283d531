"""Hosts, made of namespaces, that lose their power: under a tunnel, a comparison and a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lab_campaign
import pytest

from app.deployment.events import Decision, DeploymentApplied, DeploymentEvent
from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.errors import ConnectionLost, TunnelmarkError
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.results import CampaignStatus
from app.host.snapshots import SnapshotDepth
from app.storage import Store
from app.tunnel import recover, temporary_tunnel
from support.lab_campaign import is_clean, statuses
from support.lab_deploy import wait_until_as_before
from support.lab_deployment import desk_for
from support.lab_sessions import sh
from support.net_bench import NetBench, net_bench
from support.net_desk import need_namespaces, wait_until_nothing_is_left
from support.tunnel_state import still_up


@pytest.fixture
def net(tmp_path: Path) -> Iterator[NetBench]:
    """Two hosts for one test, which has to connect anew."""
    need_namespaces()
    (tmp_path / "net").mkdir()
    with net_bench(tmp_path / "net") as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "tunnelmark.db") as store:
        yield store


@pytest.mark.allow_logs("app.ssh")  # that what ran over the connection could not be killed: it was cut
def test_host_without_power_has_nothing_left_and_the_other_is_rolled_back(
    net: NetBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 3.0)
    sessions = net.sessions
    before = net.inspect(SnapshotDepth.THOROUGH)

    def build() -> None:
        with temporary_tunnel(
            sessions, net.request("openvpn-udp"), token=CancelToken(), on_stage=lambda *_: None, lease_s=120
        ) as tunnel:
            assert still_up(tunnel)
            net.hosts.b.power_off()

    with pytest.raises(ConnectionLost) as caught:
        build()
    assert "gateway-b could not be reached for the rollback" in caught.value.message
    assert "gateway-a" not in caught.value.message
    assert sh(sessions.a, f"ls -d {STATE_DIR}* 2>/dev/null || true") == ""
    net.hosts.power_on(Side.B)
    sessions.b.reconnect(token=CancelToken())
    wait_until_as_before(net.sessions, before)
    assert recover(sessions, token=CancelToken()).is_clean


@pytest.mark.allow_logs("app.ssh", "paramiko", "app.tunnel", "app.measurement.comparison")
@pytest.mark.full
def test_a_host_that_is_powered_off_ends_the_comparison_and_it_can_be_resumed(
    net: NetBench, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.measurement.reconnect.RECONNECT_S", 3.0)
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 3.0)
    sessions = net.sessions
    found = lab_campaign.find_out(net.pair, sessions)
    plan = lab_campaign.make_plan(net.pair, found, ["baseline", "tinc"], pings=100)

    def emit(event: events.Event) -> None:
        if isinstance(event, events.RttSamples) and event.key.solution == "tinc" and net.hosts.b.is_on:
            net.hosts.b.power_off()

    record = lab_campaign.run(plan, sessions, found, store, emit=emit)

    assert record.status is CampaignStatus.INTERRUPTED
    assert statuses(record) == ["baseline completed", "tinc failed", "baseline not-run"]
    message = store.campaign_summary(record.campaign_id).message
    assert "gateway-b cannot be reached any more" in message
    assert "1 of 3 attempts were not run" in message

    net.hosts.power_on(Side.B)
    sessions.b.reconnect(token=CancelToken())
    resumed = lab_campaign.run(plan, sessions, found, store, resume_id=record.campaign_id)

    assert statuses(resumed) == ["baseline completed", "tinc failed", "baseline completed"]
    assert is_clean(sessions.a)
    assert is_clean(sessions.b)


class NoAnswer:
    """A user who never answers."""

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        token.sleep(timeout_s)
        return None


def power_cycle(net: NetBench, *sides: Side) -> None:
    for side in sides:
        net.hosts.host(side).power_off()
    for side in sides:
        net.hosts.power_on(side)


def test_what_is_not_confirmed_does_not_survive_the_power_and_what_is_does(net: NetBench, tmp_path: Path) -> None:
    with desk_for(net.pair, tmp_path / "desk") as desk:

        def reconnected() -> None:
            for host in (desk.sessions.a, desk.sessions.b, net.sessions.a, net.sessions.b):
                if not host.is_connected:
                    host.reconnect(token=CancelToken())

        before = net.inspect(SnapshotDepth.THOROUGH)

        # B loses its power while the user is asked: both hosts roll back.
        def emit(event: DeploymentEvent) -> None:
            if isinstance(event, DeploymentApplied):
                power_cycle(net, Side.B)

        with pytest.raises(TunnelmarkError):
            desk.services.deploy(
                desk.found,
                ("openvpn-udp", ""),
                DeploymentOptions(confirm_within_s=120.0),
                token=CancelToken(),
                emit=emit,
                confirmation=NoAnswer(),
            )
        reconnected()
        wait_until_as_before(net.sessions, before)
        wait_until_nothing_is_left(net.hosts.hosts)
        assert desk.status().state is None

        # Confirmed, it comes back with both hosts.
        assert desk.deploy("openvpn-udp").state is DeploymentState.CONFIRMED
        power_cycle(net, Side.A, Side.B)
        reconnected()
        desk.wait_until_healthy()
        desk.undeploy()
        wait_until_as_before(net.sessions, before)
        wait_until_nothing_is_left(net.hosts.hosts)
