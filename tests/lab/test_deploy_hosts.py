"""Tunnels on hosts made of namespaces: refused, cancelled, broken; afterwards both hosts are as before, to the byte.

What needs a machine (kernel VPNs, systemd, a clock, other users) is tried on gateways, with every adapter.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled, CommandFailed, DiskFull, PairLocked, PreflightRefused, TunnelDown
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.tunnel import preflight, preview, recover, temporary_tunnel
from app.tunnel.messages import INTERFACE_PRESENT, NOTHING_TO_ROLL_BACK, STEP_FAILED, SUBNET_IN_USE, UP_TOO_LATE
from support.lab_deploy import Altered, shell_step
from support.lab_sessions import sh
from support.message_checks import has_message
from support.net_bench import NetBench
from support.tunnel_state import still_up
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.usefixtures("net_unchanged")


def ignore_stage(_stage: Stage, _detail: str) -> None:
    pass


def test_preview_is_what_is_done(net: NetBench) -> None:
    request = net.request("openvpn-udp")
    shown = preview(request)
    with temporary_tunnel(net.sessions, request, token=CancelToken(), on_stage=ignore_stage) as tunnel:
        done = tunnel.configuration
    assert [(item.side, item.kind, item.title) for item in shown] == [(i.side, i.kind, i.title) for i in done]
    assert all("PRIVATE KEY" not in item.text for item in done)


def test_port_name_and_subnet_that_are_in_use_are_found(net: NetBench) -> None:
    link = net.request("tinc").link
    taken = link.names.ethernet_interface
    sh(net.sessions.b, f"ip link add {taken} type bridge && ip addr add 198.18.0.77/24 dev {taken}")
    sh(net.sessions.b, f"iperf3 -s -D -p {link.names.tcp_port} --pidfile /run/deploy-test.pid")
    listening = f"ss -Htln 'sport = :{link.names.tcp_port}'"
    wait_until(lambda: sh(net.sessions.b, listening) != "", "a server of another user")
    try:
        found = preflight(net.sessions, net.request("openvpn-tcp"), token=CancelToken())
        assert {obstacle.side for obstacle in found} == {Side.B}
        reported = tuple(obstacle.what for obstacle in found)
        assert any(has_message(INTERFACE_PRESENT, interface=taken)(text) for text in reported)
        assert any(has_message(SUBNET_IN_USE, network="198.18.0.0/24")(text) for text in reported)
        with (
            pytest.raises(PreflightRefused),
            temporary_tunnel(net.sessions, net.request("openvpn-tcp"), token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
        assert taken in sh(net.sessions.b, "ip -o link")
    finally:
        sh(
            net.sessions.b,
            f'ip link del {taken}; kill "$(tr -d "\\0" < /run/deploy-test.pid)"; rm -f /run/deploy-test.pid; '
            f"until [ -z \"$(ss -Htln 'sport = :{link.names.tcp_port}')\" ]; do sleep 0.05; done",
        )


@pytest.mark.parametrize(
    ("stage", "solution"),
    [
        (Stage.PREFLIGHT, "openvpn-tcp"),
        (Stage.ARM, "openvpn-udp"),
        (Stage.IDENTITY, "tinc"),
        (Stage.APPLY, "openvpn-udp"),
        (Stage.VERIFY, "tinc"),
    ],
)
def test_cancelling_in_any_stage_leaves_nothing(net: NetBench, solution: str, stage: Stage) -> None:
    token = CancelToken()

    def cancel(now: Stage, _detail: str) -> None:
        if now is stage:
            token.cancel()

    with (
        pytest.raises(Cancelled),
        temporary_tunnel(net.sessions, net.request(solution), token=token, on_stage=cancel),
    ):
        token.raise_if_cancelled()


@pytest.mark.parametrize("solution", ["tinc", "openvpn-udp"])
def test_step_that_fails_on_one_gateway_undoes_both(net: NetBench, solution: str) -> None:
    failing = Altered(ADAPTERS[solution], Side.B, shell_step("Go wrong", "echo no such luck >&2; exit 3"))
    with (
        pytest.raises(
            CommandFailed, check=has_message(STEP_FAILED, host="gateway-b", status="3", step="Go wrong")
        ) as caught,
        temporary_tunnel(net.sessions, net.request(solution, failing), token=CancelToken(), on_stage=ignore_stage),
    ):
        pass
    assert "no such luck" in caught.value.context["output"]


def test_tunnel_that_is_blocked_says_so_with_the_daemons_log(net: NetBench) -> None:
    port = net.request("openvpn-udp").link.names.udp_port
    rule = f"ipproto udp dport {port} blackhole"
    adapter = _Impatient(ADAPTERS["openvpn-udp"])
    sh(net.sessions.b, f"ip rule add {rule}")
    try:
        with (
            pytest.raises(TunnelDown, check=has_message(UP_TOO_LATE)) as caught,
            temporary_tunnel(
                net.sessions, net.request("openvpn-udp", adapter), token=CancelToken(), on_stage=ignore_stage
            ),
        ):
            pass
        assert "OpenVPN 2." in caught.value.context["log"]
    finally:
        sh(net.sessions.b, f"ip rule del {rule}")


class _Impatient(Altered):
    """An adapter that does not wait for long."""

    def __init__(self, inner: object) -> None:
        super().__init__(inner, Side.A, shell_step("Nothing", "true"))  # type: ignore[arg-type]

    def plan(self, request):  # type: ignore[no-untyped-def]
        return replace(self.inner.plan(request), up_timeout_s=3.0)


def test_daemon_that_dies_is_noticed(net: NetBench) -> None:
    with temporary_tunnel(
        net.sessions, net.request("openvpn-udp"), token=CancelToken(), on_stage=ignore_stage
    ) as tunnel:
        sh(net.sessions.b, "kill -9 $(pidof openvpn)")
        assert not still_up(tunnel)
        assert "Initialization Sequence Completed" in tunnel.collect_logs(CancelToken())


def test_second_tunnelmark_learns_who_works_there(net: NetBench) -> None:
    request = net.request("openvpn-tcp")
    with temporary_tunnel(net.sessions, request, token=CancelToken(), on_stage=ignore_stage) as tunnel:
        with (
            pytest.raises(PairLocked) as caught,
            temporary_tunnel(net.sessions, request, token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
        assert "process" in caught.value.context["owner"]
        assert still_up(tunnel)


def test_of_two_at_the_same_moment_one_gets_through(net: NetBench) -> None:
    outcomes: list[str] = []
    meeting = threading.Barrier(2, timeout=240)
    is_other_locked_out = threading.Event()

    def meet(stage: Stage, _detail: str) -> None:
        if stage is Stage.PREFLIGHT:
            meeting.wait()

    def work() -> None:
        try:
            with temporary_tunnel(net.sessions, net.request("openvpn-tcp"), token=CancelToken(), on_stage=meet):
                is_other_locked_out.wait(240)
                outcomes.append("stood")
        except PairLocked:
            outcomes.append("locked")
            is_other_locked_out.set()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(400)
    assert sorted(outcomes) == ["locked", "stood"]


FILL = (
    "dd if=/dev/zero of=/run/deploy-test-filler bs=64k 2>/dev/null; "
    "dd if=/dev/zero of=/run/deploy-test-filler2 bs=1 2>/dev/null; true"
)
FREE = "rm -f /run/deploy-test-filler /run/deploy-test-filler2"


def test_full_disk_before_is_reported(net: NetBench) -> None:
    sh(net.sessions.b, FILL)
    try:
        with (
            pytest.raises(DiskFull, match="gateway-b"),
            temporary_tunnel(net.sessions, net.request("openvpn-tcp"), token=CancelToken(), on_stage=ignore_stage),
        ):
            pass
    finally:
        sh(net.sessions.b, FREE)


def test_disk_that_fills_up_meanwhile_is_reported_and_undone(net: NetBench) -> None:
    filling = Altered(ADAPTERS["openvpn-tcp"], Side.A, shell_step("Fill the disk", FILL, FREE), is_first=True)
    try:
        with (
            pytest.raises(DiskFull, match="gateway-a"),
            temporary_tunnel(
                net.sessions, net.request("openvpn-tcp", filling), token=CancelToken(), on_stage=ignore_stage
            ),
        ):
            pass
    finally:
        sh(net.sessions.a, FREE)


def test_lease_can_be_renewed_on_a_full_disk_and_undo_works(net: NetBench) -> None:
    with temporary_tunnel(
        net.sessions, net.request("tinc"), token=CancelToken(), on_stage=ignore_stage, lease_s=30
    ) as tunnel:
        sh(net.sessions.a, FILL)
        try:
            first = int(sh(net.sessions.a, f"cat {STATE_DIR}/lease"))
            wait_until(lambda: int(sh(net.sessions.a, f"cat {STATE_DIR}/lease")) > first, "a renewal")
            assert not tunnel.lost
            # The undo must work with the disk still full.
            assert "as it was before" in sh(net.sessions.a, f"sh {STATE_DIR}/undo.sh")
        finally:
            sh(net.sessions.a, FREE)


def test_engineer_undoes_one_gateway_from_the_console(net: NetBench) -> None:
    with temporary_tunnel(
        net.sessions, net.request("openvpn-udp"), token=CancelToken(), on_stage=ignore_stage, lease_s=60
    ) as tunnel:
        reported = sh(net.sessions.b, f"sh {STATE_DIR}/undo.sh")
        assert "Start OpenVPN" in reported
        assert "this host is as it was before the tunnel" in reported
        assert not still_up(tunnel)


def test_recover_on_clean_gateways_finds_nothing(net: NetBench) -> None:
    report = recover(net.sessions, token=CancelToken())
    assert report.is_clean
    assert report.sentences() == tuple(NOTHING_TO_ROLL_BACK(host=one) for one in ("gateway-a", "gateway-b"))
