"""A host, made of namespaces, that loses its power while a tunnel stands and while one is measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lab_campaign
import pytest

from app.deploy import SnapshotDepth, recover, temporary_tunnel
from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.errors import ConnectionLost
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.results import CampaignStatus
from app.storage import Store
from support.lab_campaign import is_clean, statuses
from support.lab_deploy import differences
from support.lab_sessions import sh
from support.net_bench import NetBench, net_bench
from support.net_desk import need_namespaces


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
def test_host_without_power_has_nothing_left_and_the_other_is_put_back(
    net: NetBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.deploy.undoing.RECONNECT_S", 3.0)
    sessions = net.sessions
    before = net.look(SnapshotDepth.THOROUGH)

    def build() -> None:
        with temporary_tunnel(
            sessions, net.request("openvpn-udp"), token=CancelToken(), on_stage=lambda *_: None, lease_s=30
        ) as tunnel:
            assert tunnel.still_up(CancelToken())
            net.hosts.b.power_off()

    with pytest.raises(ConnectionLost) as caught:
        build()
    assert "gateway-b could not be reached to be put back" in caught.value.message
    assert "gateway-a" not in caught.value.message
    assert sh(sessions.a, f"ls -d {STATE_DIR}* 2>/dev/null || true") == ""
    net.hosts.power_on(Side.B)
    sessions.b.reconnect(token=CancelToken())
    assert differences(before, net.look(SnapshotDepth.THOROUGH)) == []
    assert recover(sessions, token=CancelToken()).is_clean


@pytest.mark.allow_logs("app.ssh", "paramiko", "app.deploy", "app.campaign")
def test_a_host_that_is_powered_off_ends_the_comparison_and_it_can_be_resumed(
    net: NetBench, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.campaign.reaching.RECONNECT_S", 3.0)
    monkeypatch.setattr("app.deploy.undoing.RECONNECT_S", 3.0)
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
