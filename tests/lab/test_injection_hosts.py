"""The injection test on VPNs of user space between hosts made of namespaces; kernels' are tried on gateways."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import Cancelled
from app.domain.hosts import Side
from app.domain.injection import InjectionReport, PropertyVerdict, TrialKind, authenticity, replay_protection
from app.probes.capture import CaptureTestsRequest
from app.probes.capture.messages import NO_NFT_TO_HOLD, NO_PERL_TO_FORGE
from app.probes.injection import probe as injection
from app.probes.injection.probe import REPLAYS, InjectionRequest, probe_injection
from app.probes.injection.stages import ECHOES
from support.injection_results import write_report
from support.lab_capture import running_tunnel
from support.lab_sessions import sh
from support.net_bench import NetBench
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS


@pytest.fixture(autouse=True)
def nothing_left(net: NetBench, net_unchanged: None) -> Iterator[None]:
    """Every test leaves both hosts as they were."""
    yield
    left = "ls /run/tunnelmark 2>/dev/null; pgrep -x tcpdump; nft list tables; true"
    for session in (net.sessions.a, net.sessions.b):
        wait_until(lambda session=session: sh(session, left) == "", "nothing left of the injection test")


def inject(net: NetBench, request: CaptureTestsRequest, token: CancelToken | None = None) -> InjectionReport:
    asked = InjectionRequest(request.link, request.plan, request.is_unprotected, request.is_stream)
    audited: list[AuditEntry] = []
    report = probe_injection(
        net.sessions, asked, token=token or CancelToken(), on_stage=lambda _: None, audit=audited.append
    )
    for session in (net.sessions.a, net.sessions.b):
        assert "tunnelmark_hold" not in sh(session, "nft list tables 2>/dev/null || :")
        assert sh(session, f"ls {request.link.run_dir} | grep -e pcap -e hold -e copy || :") == ""
    return report


def of_census(net: NetBench, solution: str, name: str) -> AbstractContextManager[CaptureTestsRequest]:
    """Build a tunnel with a suite that only a census tries."""
    suites = {one.suite.name: one.suite for one in ADAPTERS[solution].census(*net.facts) if one.suite is not None}
    return running_tunnel(net, solution, suite=suites[name])


@contextmanager
def without(host: HostSession, program: str) -> Iterator[None]:
    path = sh(host, f"command -v {program}").strip()
    sh(host, f"mv {path} {path}.away")
    try:
        yield
    finally:
        sh(host, f"mv {path}.away {path}")


@pytest.mark.parametrize("solution", ["openvpn-udp", "tinc", "fastd"])
def test_nothing_gets_in_but_the_control(net: NetBench, solution: str) -> None:
    with running_tunnel(net, solution) as request:
        for _ in range(2):  # the first one leaves the tunnel as it found it
            report = inject(net, request)
            write_report(solution, ("namespaces",) * len(Side), report)
            assert authenticity(report).verdict is PropertyVerdict.HOLDS, report
            assert replay_protection(report).verdict is PropertyVerdict.HOLDS, report
            for host in report.hosts.values():
                assert host.missing == {}
                assert all(0 < trial.arrived <= trial.sent for trial in host.trials)
                assert {trial.kind: trial.sent for trial in host.trials if trial.kind is not TrialKind.FORGED} == {
                    TrialKind.ALTERED: ECHOES * 11,
                    TrialKind.DELAYED: ECHOES,
                    TrialKind.REPLAYED: ECHOES * REPLAYS,
                }


@pytest.mark.parametrize("solution", ["openvpn-tcp", "ssh"])
def test_nothing_is_claimed_of_a_stream_whose_segments_tcp_itself_judges(net: NetBench, solution: str) -> None:
    with running_tunnel(net, solution) as request:
        report = inject(net, request)
    for shown in (authenticity(report), replay_protection(report)):
        assert shown.verdict is PropertyVerdict.NOT_TRIED
        assert "one TCP connection" in shown.note
    assert not any(host.trials for host in report.hosts.values())


def test_what_is_readable_may_be_authentic_all_the_same(net: NetBench) -> None:
    with of_census(net, "openvpn-udp", "cipher-none") as request:
        report = inject(net, request)
    assert authenticity(report).verdict is PropertyVerdict.HOLDS, report
    assert replay_protection(report).verdict is PropertyVerdict.HOLDS, report


@pytest.mark.parametrize("solution", ["openvpn-udp", "tinc"])
def test_what_is_not_authenticated_is_found(net: NetBench, solution: str) -> None:
    with of_census(net, solution, "mac-none") as request:
        report = inject(net, request)
    assert authenticity(report).verdict is PropertyVerdict.FAILS, report
    # On one host at least: a bit that hits the number inside makes OpenVPN take all that follows for replays.
    assert any(host.entered(TrialKind.ALTERED) for host in report.hosts.values())


def test_without_perl_nothing_is_sent(net: NetBench) -> None:
    with running_tunnel(net, "openvpn-udp") as request, without(net.sessions.a, "perl"):
        report = inject(net, request)
    assert replay_protection(report).verdict is PropertyVerdict.NOT_TRIED
    assert set(report.hosts["b"].missing.values()) == {NO_PERL_TO_FORGE(host="gateway-a")}
    assert report.hosts["a"].missing == {}
    assert 0 < report.hosts["a"].entered(TrialKind.DELAYED) <= ECHOES


def test_without_nft_only_forged_packets_are_sent(net: NetBench) -> None:
    with running_tunnel(net, "openvpn-udp") as request, without(net.sessions.b, "nft"):
        report = inject(net, request)
    assert authenticity(report).verdict is PropertyVerdict.NOT_TRIED
    assert authenticity(report).note == NO_NFT_TO_HOLD(host="gateway-b")
    assert replay_protection(report).verdict is PropertyVerdict.NOT_TRIED
    assert {trial.kind for trial in report.hosts["b"].trials} == {TrialKind.FORGED}
    assert report.hosts["a"].of(TrialKind.ALTERED)


def test_hold_that_another_user_flushes_is_no_proof(net: NetBench, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = injection.copy

    def flush(host: HostSession, *given: object, **more: object) -> object:
        sh(net.sessions.b, "nft flush ruleset")
        return copy(host, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(injection, "copy", flush)
    with running_tunnel(net, "openvpn-udp") as request:
        report = inject(net, request)
    assert authenticity(report).verdict is PropertyVerdict.NOT_TRIED, report
    assert replay_protection(report).verdict is PropertyVerdict.NOT_TRIED, report


def test_cancelled_while_packets_are_held_it_leaves_nothing(net: NetBench, monkeypatch: pytest.MonkeyPatch) -> None:
    token = CancelToken()
    tables: list[str] = []

    def cancel(host: HostSession, *_: object, **__: object) -> None:
        tables.append(sh(host, "nft list tables"))
        token.cancel()
        token.raise_if_cancelled()

    monkeypatch.setattr(injection, "copy", cancel)
    with running_tunnel(net, "openvpn-udp") as request:
        with pytest.raises(Cancelled):
            inject(net, request, token)
        for side, session in zip(Side, (net.sessions.a, net.sessions.b), strict=True):
            assert "tunnelmark_hold" not in sh(session, "nft list tables"), side
    assert any("tunnelmark_hold" in text for text in tables)
