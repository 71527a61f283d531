"""Single tunnels on real gateways: other users, systemd, a clock that jumps; afterwards the gateways are as before.

Every adapter goes up and down in test_adapter_traffic.py; what is refused and broken is in test_deploy_hosts.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.deploy import preflight, scripts, temporary_tunnel
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.lab import Lab
from support.killing import kill_tunnelmark
from support.lab_deploy import Bench, Snapshots, differences
from support.lab_pairs import LabPair
from support.lab_sessions import connected, sh


@pytest.fixture(scope="module")
def bench(lab: Lab, lab_pair: LabPair) -> Bench:
    return Bench(lab.pair, lab_pair.sessions, lab_pair.facts)


@pytest.fixture(scope="module")
def before(bench: Bench) -> Snapshots:
    """What both gateways looked like at first."""
    return bench.look()


@pytest.fixture(autouse=True)
def unchanged(bench: Bench, before: Snapshots) -> Iterator[None]:
    """Every test here must leave both gateways as it found them."""
    yield
    assert differences(before, bench.look()) == []


def ignore_stage(_stage: Stage, _detail: str) -> None:
    pass


def test_timer_that_cannot_leave_its_session_is_run_by_systemd(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    real = scripts.host_script

    def bound(name: str) -> str:
        return real(name).replace("leave_session() {\n", "leave_session() {\n    return 1\n")

    monkeypatch.setattr(scripts, "host_script", bound)
    units = "systemctl list-units --all --plain --no-legend 'tunnelmark-timer-*'"
    with temporary_tunnel(
        bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=ignore_stage, lease_s=60
    ) as tunnel:
        assert tunnel.still_up(CancelToken())
        assert ".service" in sh(bench.sessions.a, units)
        watcher = sh(bench.sessions.a, f'read -r p _ < {STATE_DIR}/watcher; cat "/proc/${{p%%:*}}/cgroup"')
        assert "/system.slice/tunnelmark-timer-" in watcher
    CancelToken().wait_for(lambda: sh(bench.sessions.a, units) == "", timeout_s=10, what="the unit to go")


def test_tunnel_by_users_who_are_not_root(bench: Bench, tmp_path: Path) -> None:
    for user in ("nopass", "doasuser"):
        (tmp_path / user).mkdir()
    with (
        connected(bench.pair, tmp_path / "nopass", "nopass") as with_sudo,
        connected(bench.pair, tmp_path / "doasuser", "doasuser") as with_doas,
    ):
        sessions = SessionPair(with_sudo.a, with_doas.b)
        with temporary_tunnel(sessions, bench.request("wireguard"), token=CancelToken(), on_stage=ignore_stage) as made:
            assert made.still_up(CancelToken())


def test_user_without_rights_is_an_obstacle(bench: Bench, tmp_path: Path) -> None:
    with connected(bench.pair, tmp_path, "plain") as sessions:
        found = preflight(sessions, bench.request("l2tp"), token=CancelToken())
    assert [obstacle.side for obstacle in found] == [Side.A, Side.B]
    assert all(obstacle.is_blocking for obstacle in found)


def test_change_of_the_clock_neither_ends_nor_prolongs_the_lease(bench: Bench) -> None:
    with temporary_tunnel(
        bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=ignore_stage, lease_s=60
    ) as tunnel:
        sh(bench.sessions.a, 'date -s "+2 days"; sleep 7; date -s "-2 days"')
        assert tunnel.still_up(CancelToken())
        assert not tunnel.lost


def test_killed_with_a_standing_tunnel_the_gateways_put_themselves_back(bench: Bench, tmp_path: Path) -> None:
    kill_tunnelmark(bench.pair, tmp_path, "standing", "wireguard", lease_s=6)
    assert "tmk0" in sh(bench.sessions.a, "ip -o link")
    for host in (bench.sessions.a, bench.sessions.b):
        CancelToken().wait_for(
            lambda host=host: sh(host, f"ls -d {STATE_DIR}* 2>/dev/null || true") == "",
            timeout_s=46,
            what=f"{host.spec.label} to put itself back",
            interval_s=0.5,
        )
