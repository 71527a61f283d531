"""Tunnelmark killed and connections cut while tunnels are built: the hosts, made of namespaces, roll back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import ConnectionLost
from app.domain.events import Stage
from app.domain.link import STATE_DIR
from app.tunnel import recover, temporary_tunnel
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_sessions import connected, sh
from support.net_bench import NetBench
from support.tunnel_state import still_up

pytestmark = pytest.mark.usefixtures("net_unchanged")

LEASE_S = 60
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""
PATIENCE_S = 600
"""A lease that nothing here waits for: what is undone earlier was not undone by its rollback timer."""
BACK_S = 240.0
"""Time limit for a busy computer until both hosts are as before, in seconds."""
STOP_LISTENING = "kill -9 $(pgrep -x -P 1 sshd)"
START_LISTENING = "/usr/sbin/sshd -f /etc/ssh/sshd_config -E /var/log/sshd.log"


@pytest.fixture
def killed_at(net: NetBench, tmp_path: Path) -> Callable[..., None]:
    """Start a Tunnelmark of its own and kill it with -9 in a stage."""

    def kill_at(stage: str, solution: str = "openvpn-udp", lease_s: int = LEASE_S) -> None:
        kill_tunnelmark(net, tmp_path, stage, solution, lease_s)

    return kill_at


@pytest.mark.parametrize("stage", ["arm", "apply", "cleanup"])
def test_killed_in_any_stage_the_gateways_roll_back_by_themselves(
    net: NetBench, killed_at: Callable[..., None], stage: str
) -> None:
    killed_at(stage)
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)


def test_killed_with_a_running_tunnel(net: NetBench, killed_at: Callable[..., None]) -> None:
    killed_at("standing", "openvpn-tcp")
    assert "tmk0" in sh(net.sessions.a, "ip -o link")
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)


def test_recover_does_not_wait_for_the_timer_after_a_kill_on_this_computer(
    net: NetBench, killed_at: Callable[..., None]
) -> None:
    killed_at("standing", "openvpn-udp", lease_s=PATIENCE_S)
    report = recover(net.sessions, token=CancelToken())
    assert report.is_clean, report.sentences()
    assert "has been rolled back" in report.a.sentence
    wait_until_back(net.sessions, timeout_s=BACK_S)


def test_next_tunnel_is_built_at_once_after_a_kill_on_this_computer(
    net: NetBench, killed_at: Callable[..., None]
) -> None:
    killed_at("verify", "tinc", lease_s=PATIENCE_S)
    with temporary_tunnel(net.sessions, net.request("tinc"), token=CancelToken(), on_stage=lambda *_: None) as tunnel:
        assert still_up(tunnel)


def sshd_of(host: HostSession) -> str:
    """Return the process that serves this very connection on the gateway."""
    script = """
    p=$PPID
    while [ "$p" -gt 1 ]; do
        read -r name < "/proc/$p/comm"
        case $name in sshd*) echo "$p"; exit 0 ;; esac
        read -r line < "/proc/$p/stat"; set -- ${line##*) }; p=$2
    done
    exit 1
    """
    return sh(host, script).strip()


@pytest.mark.allow_logs("app.ssh")  # that what ran over the connection could not be killed: it was cut
@pytest.mark.parametrize("stage", [Stage.IDENTITY, Stage.APPLY, None])
def test_connection_cut_in_any_stage_is_made_again_to_restore_the_gateways(
    net: NetBench, tmp_path: Path, stage: Stage | None
) -> None:
    with connected(net.pair, tmp_path) as sessions:
        victim = sshd_of(sessions.b)
        is_cut = False

        def cut(now: Stage | None, _detail: str = "") -> None:
            nonlocal is_cut
            if now is stage and not is_cut:
                is_cut = True
                sh(net.sessions.b, f"kill -9 {victim}")

        def build() -> None:
            with temporary_tunnel(sessions, net.request("tinc"), token=CancelToken(), on_stage=cut, lease_s=PATIENCE_S):
                cut(None)

        # Later on, all that was to be sent over that connection may have been sent when it broke.
        may_be_up = stage in (Stage.VERIFY, None)
        with contextlib.suppress(ConnectionLost) if may_be_up else pytest.raises(ConnectionLost, match="gateway-b"):
            build()
        assert is_cut
    wait_until_back(net.sessions, timeout_s=BACK_S)


@pytest.mark.allow_logs("app.ssh")  # that what ran over the connection could not be killed: it was cut
def test_gateway_that_is_lost_rolls_back_by_itself(
    net: NetBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tunnel.rollback.RECONNECT_S", 2.0)
    with connected(net.pair, tmp_path) as sessions:
        victim = sshd_of(sessions.b)

        def build() -> None:
            with temporary_tunnel(
                sessions, net.request("openvpn-tcp"), token=CancelToken(), on_stage=lambda *_: None, lease_s=LEASE_S
            ):
                # No login works any more, except over the connection that is there already.
                sh(net.sessions.b, f"{STOP_LISTENING}; kill -9 {victim}")

        try:
            with pytest.raises(ConnectionLost) as caught:
                build()
            assert "gateway-b could not be reached" in caught.value.message
            assert f"sh {STATE_DIR}/undo.sh" in caught.value.hint
            wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)
        finally:
            net.hosts.b.run(START_LISTENING)
