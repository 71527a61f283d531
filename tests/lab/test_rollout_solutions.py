"""A solution that no other test rolls out on a lab: deployed, looked at, taken back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.deploy import SnapshotDepth, compare_snapshots, take_snapshot
from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.domain.rollout import DeploymentState, RolloutOptions
from app.domain.rollout_events import RolloutApplied
from app.domain.wire import LeakVerdict
from app.lab import Lab
from support.lab_rollout import Desk, desk_for
from support.lab_sessions import sh

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def desk(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk_for(lab, tmp_path_factory.mktemp("desk")) as opened:
        yield opened


@pytest.mark.parametrize("solution", ["ssh"])
def test_it_is_rolled_out_looked_at_and_taken_back(desk: Desk, solution: str) -> None:
    hosts = desk.sessions.a, desk.sessions.b
    before = [take_snapshot(host, token=CancelToken(), depth=SnapshotDepth.QUICK) for host in hosts]
    # The second one's design is outdated, which has to be answered for.
    deployment = desk.deploy(solution, RolloutOptions(legacy_reason="the old gateways know nothing newer"))
    try:
        assert deployment.state is DeploymentState.CONFIRMED
        applied = next(event for event in reversed(desk.events) if isinstance(event, RolloutApplied))
        assert applied.leak is not None
        assert applied.leak.verdict is LeakVerdict.PROTECTED
        assert deployment.timings_s["connect"] > 0
        desk.wait_until_healthy(20)
        status = desk.status()
        assert status.deployment is not None
        assert (status.deployment.id, status.connect_s) == (deployment.id, deployment.timings_s["connect"])
        assert [end.deployment_id for end in (status.a, status.b)] == [deployment.id] * 2
        for side in Side:
            peer = deployment.link.inner_ip(side.other)
            ping = f"ping -n -c 3 -i 0.2 -W 2 -I {status.a.interface} {peer}"
            assert " 0% packet loss" in sh(desk.host(side), ping)
    finally:
        ended = desk.undeploy()
    assert ended.state is DeploymentState.UNDONE
    for host, old in zip(hosts, before, strict=True):
        after = take_snapshot(host, token=CancelToken(), depth=SnapshotDepth.QUICK)
        assert compare_snapshots(old, after) == (), host.spec.label
        assert sh(host, "ls -d /run/tunnelmark* /etc/tunnelmark 2> /dev/null || true") == ""
