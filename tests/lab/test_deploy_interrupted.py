"""Tunnelmark killed and connections cut while tunnels are built: the gateways put themselves back."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.deploy import SnapshotDepth, recover, temporary_tunnel
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import ConnectionLost
from app.domain.events import Stage
from app.domain.link import STATE_DIR
from app.lab import Lab
from support.lab_deploy import Bench, Snapshots, differences, find_out
from support.lab_sessions import connected, sh

LEASE_S = 10
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as sessions:
        yield Bench(lab, sessions, find_out(sessions))


@pytest.fixture(scope="module")
def before(bench: Bench) -> Snapshots:
    """What both gateways looked like at first."""
    return bench.look(SnapshotDepth.THOROUGH)


@pytest.fixture(autouse=True)
def unchanged(bench: Bench, before: Snapshots) -> Iterator[None]:
    """Every test here must leave both gateways as it found them, to the byte."""
    yield
    assert differences(before, bench.look(SnapshotDepth.THOROUGH)) == []


def wait_until_back(bench: Bench, timeout_s: float) -> None:
    """Wait until both gateways have put themselves back."""
    token = CancelToken()
    for host in (bench.sessions.a, bench.sessions.b):
        token.wait_for(
            lambda host=host: sh(host, f"ls -d {STATE_DIR}* 2>/dev/null || true") == "",
            timeout_s=timeout_s,
            what=f"{host.spec.label} to put itself back",
            interval_s=0.5,
        )


@pytest.fixture
def killed_at(lab: Lab) -> Iterator[Callable[..., None]]:
    """Start a Tunnelmark of its own and kill it with -9 in a stage."""
    started: list[subprocess.Popen[str]] = []

    def kill_at(stage: str, solution: str = "wireguard", lease_s: int = LEASE_S) -> None:
        script = ROOT / "tests" / "support" / "lab_deploy.py"
        process = subprocess.Popen(
            [sys.executable, str(script), str(lab.folder.parent), lab.spec.name, solution, str(lease_s), stage],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        )
        started.append(process)
        assert process.stdout is not None
        wanted = "standing" if stage == "standing" else "staying"
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if line.strip() == wanted:
                break
        else:
            pytest.fail(f"it ended before {stage}: {''.join(said)}")
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        process.stdout.close()

    yield kill_at
    for process in started:
        process.kill()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize("stage", ["arm", "apply", "cleanup"])
def test_killed_in_any_stage_the_gateways_put_themselves_back(
    bench: Bench, killed_at: Callable[..., None], stage: str
) -> None:
    killed_at(stage)
    wait_until_back(bench, timeout_s=LEASE_S + 40)


def test_killed_with_a_standing_tunnel(bench: Bench, killed_at: Callable[..., None]) -> None:
    killed_at("standing", "openvpn-tcp")
    assert "tmk0" in sh(bench.sessions.a, "ip -o link")
    wait_until_back(bench, timeout_s=LEASE_S + 40)


def test_recover_does_not_wait_for_the_timer_after_a_kill_on_this_computer(
    bench: Bench, killed_at: Callable[..., None]
) -> None:
    killed_at("standing", "openvpn-udp", lease_s=600)
    report = recover(bench.sessions, token=CancelToken())
    assert report.is_clean, report.sentences()
    assert "has been taken back" in report.a.sentence
    wait_until_back(bench, timeout_s=1)


def test_next_tunnel_is_built_at_once_after_a_kill_on_this_computer(
    bench: Bench, killed_at: Callable[..., None]
) -> None:
    killed_at("verify", "wireguard", lease_s=600)
    with temporary_tunnel(
        bench.sessions, bench.request("wireguard"), token=CancelToken(), on_stage=lambda *_: None
    ) as tunnel:
        assert tunnel.still_up(CancelToken())


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
def test_connection_cut_in_any_stage_is_made_again_to_put_the_gateways_back(
    bench: Bench, lab: Lab, tmp_path: Path, stage: Stage | None
) -> None:
    with connected(lab, tmp_path) as sessions:
        victim = sshd_of(sessions.b)
        is_cut = False

        def cut(now: Stage | None, _detail: str = "") -> None:
            nonlocal is_cut
            if now is stage and not is_cut:
                is_cut = True
                sh(bench.sessions.b, f"kill -9 {victim}")

        def build() -> None:
            with temporary_tunnel(sessions, bench.request("wireguard"), token=CancelToken(), on_stage=cut, lease_s=30):
                cut(None)

        # Later on, whatever was to be said over that connection may have been said when it broke.
        may_stand = stage in (Stage.VERIFY, None)
        with contextlib.suppress(ConnectionLost) if may_stand else pytest.raises(ConnectionLost, match="gateway-b"):
            build()
        assert is_cut
    wait_until_back(bench, timeout_s=5)


@pytest.mark.allow_logs("app.ssh")  # that what ran over the connection could not be killed: it was cut
def test_gateway_that_stays_away_puts_itself_back(
    bench: Bench, lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.deploy.undoing.RECONNECT_S", 2.0)
    with connected(lab, tmp_path) as sessions:
        victim = sshd_of(sessions.b)

        def build() -> None:
            with temporary_tunnel(
                sessions, bench.request("l2tp"), token=CancelToken(), on_stage=lambda *_: None, lease_s=LEASE_S
            ):
                # Nobody gets in any more, except over the connection that is there already.
                sh(bench.sessions.b, f"systemctl stop ssh.service ssh.socket 2>/dev/null; kill -9 {victim}")

        try:
            with pytest.raises(ConnectionLost) as caught:
                build()
            assert "gateway-b could not be reached" in caught.value.message
            assert f"sh {STATE_DIR}/undo.sh" in caught.value.hint
            wait_until_back(bench, timeout_s=LEASE_S + 40)
        finally:
            sh(bench.sessions.b, "systemctl start ssh.service")
