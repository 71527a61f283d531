"""Tunnels on real gateways: up and down, refused, cancelled, broken; afterwards the gateways are as before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.deploy import SnapshotDepth, preflight, preview, recover, scripts, temporary_tunnel
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, CommandFailed, DiskFull, PairLocked, PreflightRefused, TunnelDown
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.lab import Lab
from support.lab_deploy import Altered, Bench, Snapshots, differences, find_out, shell_step
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS

THERE = tuple(solution for solution in ADAPTERS if solution != "freelan")
"""What Debian 13 has packages for; freelan has tests of its own on Debian 11."""


@pytest.fixture(scope="module")
def bench(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as sessions:
        yield Bench(lab, sessions, find_out(sessions))


@pytest.fixture(scope="module")
def before(bench: Bench) -> Snapshots:
    """What both gateways looked like at first."""
    return bench.look()


@pytest.fixture(scope="module")
def before_in_depth(bench: Bench) -> Snapshots:
    """What both gateways looked like at first, to the byte."""
    return bench.look(SnapshotDepth.THOROUGH)


@pytest.fixture(autouse=True)
def unchanged(bench: Bench, before: Snapshots) -> Iterator[None]:
    """Every test here must leave both gateways as it found them."""
    yield
    assert differences(before, bench.look()) == []


def ignore_stage(_stage: Stage, _detail: str) -> None:
    pass


@pytest.mark.parametrize("solution", [name for name in THERE if name not in ("baseline", "openvpn-tcp")])
def test_tunnel_goes_up_and_down_and_leaves_nothing(bench: Bench, before_in_depth: Snapshots, solution: str) -> None:
    entries: list[AuditEntry] = []
    with temporary_tunnel(
        bench.sessions,
        bench.request(solution),
        token=CancelToken(),
        on_stage=ignore_stage,
        audit=entries.append,
        lease_s=60,
    ) as tunnel:
        assert tunnel.still_up(CancelToken())
        peer = tunnel.plan.probe_address(Side.B)
        interface = tunnel.plan.a.interface
        if interface:
            assert f"mtu {tunnel.plan.inner_mtu_bytes}" in sh(bench.sessions.a, f"ip link show {interface}")
            sh(bench.sessions.a, f"ping -n -c 3 -i 0.1 -s 1472 -M do -I {interface} {peer}")
        watcher = sh(bench.sessions.a, f'read -r p _ < {STATE_DIR}/watcher; cat "/proc/${{p%%:*}}/cgroup"')
        assert watcher == "0::/\n", "the timer must not end with somebody's session"
    assert differences(before_in_depth, bench.look(SnapshotDepth.THOROUGH)) == []
    assert tunnel.differences == ()
    changes = [entry for entry in entries if not entry.what.startswith(("Undo", "Disarm"))]
    undone = [entry for entry in entries if entry.what.startswith("Undo")]
    assert all(entry.exit_status == 0 for entry in entries)
    assert len(undone) >= 2
    assert len(changes) >= 4


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


@pytest.mark.parametrize("user", ["nopass", "doasuser"])
def test_tunnel_by_a_user_who_is_not_root(bench: Bench, user: str, tmp_path: Path) -> None:
    with (
        connected(bench.lab, tmp_path, user) as sessions,
        temporary_tunnel(sessions, bench.request("wireguard"), token=CancelToken(), on_stage=ignore_stage) as tunnel,
    ):
        assert tunnel.still_up(CancelToken())


def test_user_without_rights_is_an_obstacle(bench: Bench, tmp_path: Path) -> None:
    with connected(bench.lab, tmp_path, "plain") as sessions:
        found = preflight(sessions, bench.request("l2tp"), token=CancelToken())
    assert [obstacle.side for obstacle in found] == [Side.A, Side.B]
    assert all(obstacle.is_blocking for obstacle in found)


def test_nothing_is_in_the_way_of_any_adapter(bench: Bench) -> None:
    assert tuple(name for name, one in bench.facts[0].solutions.items() if one.is_available) == THERE
    for solution in THERE:
        assert preflight(bench.sessions, bench.request(solution), token=CancelToken()) == ()


def test_preview_is_what_is_done(bench: Bench) -> None:
    request = bench.request("openvpn-udp")
    shown = preview(request)
    with temporary_tunnel(bench.sessions, request, token=CancelToken(), on_stage=ignore_stage) as tunnel:
        done = tunnel.configuration
    assert [(item.side, item.kind, item.title) for item in shown] == [(i.side, i.kind, i.title) for i in done]
    assert all("PRIVATE KEY" not in item.text for item in done)


def test_port_name_and_subnet_that_are_in_use_are_found(bench: Bench) -> None:
    link = bench.request("wireguard").link
    taken = link.names.ethernet_interface
    sh(bench.sessions.b, f"ip link add {taken} type dummy && ip addr add 198.18.0.77/24 dev {taken}")
    sh(bench.sessions.b, f"iperf3 -s -D -p {link.names.tcp_port} --pidfile /run/deploy-test.pid")
    try:
        found = preflight(bench.sessions, bench.request("openvpn-tcp"), token=CancelToken())
        assert {obstacle.side for obstacle in found} == {Side.B}
        text = " ".join(obstacle.what for obstacle in found)
        assert f"named {taken} is already there" in text
        assert "uses 198.18.0.0/24 already" in text
        with (
            pytest.raises(PreflightRefused),
            temporary_tunnel(bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
        assert taken in sh(bench.sessions.b, "ip -o link")
    finally:
        sh(
            bench.sessions.b,
            f'ip link del {taken}; kill "$(tr -d "\\0" < /run/deploy-test.pid)"; rm -f /run/deploy-test.pid',
        )


@pytest.mark.parametrize(
    ("stage", "solution"),
    [
        (Stage.PREFLIGHT, "l2tp"),
        (Stage.ARM, "openvpn-udp"),
        (Stage.IDENTITY, "wireguard"),
        (Stage.APPLY, "openvpn-udp"),
        (Stage.VERIFY, "wireguard"),
    ],
)
def test_cancelling_in_any_stage_leaves_nothing(bench: Bench, solution: str, stage: Stage) -> None:
    token = CancelToken()

    def cancel(now: Stage, _detail: str) -> None:
        if now is stage:
            token.cancel()

    with (
        pytest.raises(Cancelled),
        temporary_tunnel(bench.sessions, bench.request(solution), token=token, on_stage=cancel),
    ):
        token.raise_if_cancelled()


@pytest.mark.parametrize("solution", ["wireguard", "openvpn-udp"])
def test_step_that_fails_on_one_gateway_undoes_both(bench: Bench, solution: str) -> None:
    failing = Altered(ADAPTERS[solution], Side.B, shell_step("Go wrong", "echo no such luck >&2; exit 3"))
    with (
        pytest.raises(CommandFailed, match="gateway-b with exit status 3: Go wrong") as caught,
        temporary_tunnel(bench.sessions, bench.request(solution, failing), token=CancelToken(), on_stage=ignore_stage),
    ):
        pass
    assert "no such luck" in caught.value.context["output"]


def test_tunnel_that_is_blocked_says_so_with_the_daemons_log(bench: Bench) -> None:
    port = bench.request("openvpn-udp").link.names.udp_port
    rule = f"table ip deploytest {{ chain in {{ type filter hook input priority 0; udp dport {port} drop; }}; }}"
    adapter = _Impatient(ADAPTERS["openvpn-udp"])
    sh(bench.sessions.a, f"echo '{rule}' | nft -f -")
    try:
        with (
            pytest.raises(TunnelDown, match="did not come up") as caught,
            temporary_tunnel(
                bench.sessions, bench.request("openvpn-udp", adapter), token=CancelToken(), on_stage=ignore_stage
            ),
        ):
            pass
        assert "OpenVPN 2." in caught.value.context["log"]
    finally:
        sh(bench.sessions.a, "nft delete table ip deploytest")


class _Impatient(Altered):
    """An adapter that does not wait for long."""

    def __init__(self, inner: object) -> None:
        super().__init__(inner, Side.A, shell_step("Nothing", "true"))  # type: ignore[arg-type]

    def plan(self, request):  # type: ignore[no-untyped-def]
        return replace(self.inner.plan(request), up_timeout_s=3.0)


def test_daemon_that_dies_is_noticed(bench: Bench) -> None:
    with temporary_tunnel(
        bench.sessions, bench.request("openvpn-udp"), token=CancelToken(), on_stage=ignore_stage
    ) as tunnel:
        sh(bench.sessions.b, "kill -9 $(pidof openvpn)")
        assert not tunnel.still_up(CancelToken())
        assert "Initialization Sequence Completed" in tunnel.collect_logs(CancelToken())


def test_change_of_the_clock_neither_ends_nor_prolongs_the_lease(bench: Bench) -> None:
    with temporary_tunnel(
        bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=ignore_stage, lease_s=60
    ) as tunnel:
        sh(bench.sessions.a, 'date -s "+2 days"; sleep 7; date -s "-2 days"')
        assert tunnel.still_up(CancelToken())
        assert not tunnel.lost


def test_second_tunnelmark_is_told_who_works_there(bench: Bench) -> None:
    request = bench.request("l2tp")
    with temporary_tunnel(bench.sessions, request, token=CancelToken(), on_stage=ignore_stage) as tunnel:
        with (
            pytest.raises(PairLocked) as caught,
            temporary_tunnel(bench.sessions, request, token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
        assert "process" in caught.value.context["owner"]
        assert tunnel.still_up(CancelToken())


def test_of_two_at_the_same_moment_one_gets_through(bench: Bench) -> None:
    outcomes: list[str] = []
    meeting = threading.Barrier(2, timeout=60)
    is_other_locked_out = threading.Event()

    def meet(stage: Stage, _detail: str) -> None:
        if stage is Stage.PREFLIGHT:
            meeting.wait()

    def work() -> None:
        try:
            with temporary_tunnel(bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=meet):
                is_other_locked_out.wait(60)
                outcomes.append("stood")
        except PairLocked:
            outcomes.append("locked")
            is_other_locked_out.set()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    assert sorted(outcomes) == ["locked", "stood"]


FILL = (
    "dd if=/dev/zero of=/run/deploy-test-filler bs=64k 2>/dev/null; "
    "dd if=/dev/zero of=/run/deploy-test-filler2 bs=1 2>/dev/null; true"
)
FREE = "rm -f /run/deploy-test-filler /run/deploy-test-filler2"


def test_full_disk_before_is_said(bench: Bench) -> None:
    sh(bench.sessions.b, FILL)
    try:
        with (
            pytest.raises(DiskFull, match="gateway-b"),
            temporary_tunnel(bench.sessions, bench.request("l2tp"), token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
    finally:
        sh(bench.sessions.b, FREE)


def test_disk_that_fills_up_meanwhile_is_said_and_undone(bench: Bench) -> None:
    filling = Altered(ADAPTERS["l2tp"], Side.A, shell_step("Fill the disk", FILL, FREE), is_first=True)
    try:
        with (
            pytest.raises(DiskFull, match="gateway-a"),
            temporary_tunnel(
                bench.sessions, bench.request("l2tp", filling), token=CancelToken(), on_stage=ignore_stage
            ),
        ):
            pass
    finally:
        sh(bench.sessions.a, FREE)


def test_lease_can_be_renewed_on_a_full_disk_and_undo_works(bench: Bench) -> None:
    with temporary_tunnel(
        bench.sessions, bench.request("wireguard"), token=CancelToken(), on_stage=ignore_stage, lease_s=15
    ) as tunnel:
        sh(bench.sessions.a, FILL)
        try:
            first = int(sh(bench.sessions.a, f"cat {STATE_DIR}/lease"))
            CancelToken().wait_for(
                lambda: int(sh(bench.sessions.a, f"cat {STATE_DIR}/lease")) > first, timeout_s=30, what="a renewal"
            )
            assert not tunnel.lost
            # Taking back must work with the disk still full.
            assert "as it was before" in sh(bench.sessions.a, f"sh {STATE_DIR}/undo.sh")
        finally:
            sh(bench.sessions.a, FREE)


def test_engineer_undoes_one_gateway_from_the_console(bench: Bench) -> None:
    with temporary_tunnel(
        bench.sessions, bench.request("openvpn-udp"), token=CancelToken(), on_stage=ignore_stage, lease_s=15
    ) as tunnel:
        said = sh(bench.sessions.b, f"sh {STATE_DIR}/undo.sh")
        assert "Start OpenVPN" in said
        assert "this host is as it was before the tunnel" in said
        assert not tunnel.still_up(CancelToken())


def test_recover_on_clean_gateways_finds_nothing(bench: Bench) -> None:
    report = recover(bench.sessions, token=CancelToken())
    assert report.is_clean
    assert report.sentences() == ("gateway-a: nothing to put back.", "gateway-b: nothing to put back.")
