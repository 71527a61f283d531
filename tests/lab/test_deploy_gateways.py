"""Single tunnels on real gateways: systemd, and a clock that jumps; afterwards the gateways are as before.

Every adapter goes up and down in test_adapter_traffic.py; what is refused and broken is in test_deploy_hosts.py, other
users are in test_deploy_users.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.events import Stage
from app.domain.link import STATE_DIR
from app.host import scripts
from app.lab import Lab
from app.tunnel import temporary_tunnel
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_deploy import Bench, wait_until_as_before
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from support.tunnel_state import still_up

LEASE_S = 120
UNITS = "systemctl list-units --all --plain --no-legend 'tunnelmark-timer-*'"


@pytest.fixture(scope="module")
def bench(lab: Lab, lab_pair: LabPair) -> Bench:
    return Bench(lab.pair, lab_pair.sessions, lab_pair.facts)


@pytest.fixture(autouse=True)
def unchanged(bench: Bench) -> Iterator[None]:
    """Every test here must leave both gateways as it found them."""
    before = bench.inspect()
    yield
    wait_until_as_before(bench.sessions, before)


def ignore_stage(_stage: Stage, _detail: str) -> None:
    pass


def test_timer_that_cannot_leave_its_session_is_run_by_systemd_and_no_clock_moves_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = scripts.host_script

    def bound(name: str) -> str:
        return real(name).replace("leave_session() {\n", "leave_session() {\n    return 1\n")

    monkeypatch.setattr(scripts, "host_script", bound)
    request, host = bench.request("l2tp"), bench.sessions.a
    with temporary_tunnel(
        bench.sessions, request, token=CancelToken(), on_stage=ignore_stage, lease_s=LEASE_S
    ) as tunnel:
        assert ".service" in sh(host, UNITS)
        watcher = sh(host, f'read -r p _ < {STATE_DIR}/watcher; cat "/proc/${{p%%:*}}/cgroup"')
        assert "/system.slice/tunnelmark-timer-" in watcher
        # The rollback timer wakes up every 5 s and compares with the uptime.
        sh(host, 'date -s "+2 days"; sleep 7; date -s "-2 days"')
        assert still_up(tunnel)
        assert not tunnel.lost
        lease_s, uptime_s = (float(text) for text in sh(host, f"cat {STATE_DIR}/lease; cat /proc/uptime").split()[:2])
        assert 0 < lease_s - uptime_s <= LEASE_S
    CancelToken().wait_for(lambda: sh(host, UNITS) == "", timeout_s=120, what="the unit to go")


@pytest.mark.full
def test_killed_with_a_running_tunnel_the_gateways_roll_back_by_themselves(bench: Bench, tmp_path: Path) -> None:
    kill_tunnelmark(bench, tmp_path, "standing", "wireguard", lease_s=60)
    assert "tmk0" in sh(bench.sessions.a, "ip -o link")
    wait_until_back(bench.sessions, timeout_s=240.0, ends_leases=True)
