"""The injection test of comparisons and deployments, on a tunnel of a test."""

from __future__ import annotations

import platform
import re

import pytest

from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.hosts import HostFacts, Side
from app.domain.injection import InjectionReport, PropertyVerdict, TrialKind, authenticity, replay_protection
from app.domain.solutions import Carrier
from app.probes.injection import stages
from app.probes.injection.holding import HOLD_TABLE
from app.probes.injection.probe import REPLAYS, InjectionRequest, probe_injection
from app.probes.injection.stages import ECHOES
from support.bare_tunnel import BareTunnel
from support.injection_results import write_report
from support.lab_sessions import sh


def inject(tunnel: BareTunnel) -> InjectionReport:
    """Run the injection test; nothing of it is left on the hosts."""
    info = tunnel.adapter.info
    is_stream = info.carrier is Carrier.TCP
    request = InjectionRequest(tunnel.request.link, tunnel.plan, info.is_unprotected, is_stream)
    audited: list[AuditEntry] = []
    report = probe_injection(
        tunnel.sessions, request, token=CancelToken(), on_stage=lambda _: None, audit=audited.append
    )
    assert {entry.side for entry in audited} == (set() if is_stream else set(Side))
    assert sum("nft add" in entry.command for entry in audited) == sum("nft del" in entry.command for entry in audited)
    for side in Side:
        host, folder = tunnel.session(side), tunnel.request.link.run_dir
        assert HOLD_TABLE not in sh(host, "nft list tables 2> /dev/null || :")
        assert sh(host, f"ls {folder} | grep -e pcap -e hold -e 'copy' || :") == ""
    return report


def copy_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hosts copy for longer than the 6 s that MKA waits for a peer. Source: IEEE 802.1X-2020, table 9-3."""
    last = "part 30303373"
    script = stages._COPY_SCRIPT
    assert script.count(last) == 1
    monkeypatch.setattr(stages, "_COPY_SCRIPT", script.replace(last, f"sleep 7; {last}"))


def check_nothing_gets_in(tunnel: BareTunnel) -> None:
    """See that nothing gets into a tunnel but the control, and that all gets into one that does not protect."""
    report = inject(tunnel)
    info = tunnel.adapter.info
    if info.carrier is not Carrier.TCP:
        hosts = _platform(tunnel.request.facts_a), _platform(tunnel.request.facts_b)
        write_report(info.name, hosts, report, is_reference=info.is_unprotected)
    if tunnel.adapter.info.is_unprotected:
        assert authenticity(report).verdict is PropertyVerdict.FAILS, report
        for host in report.hosts.values():
            assert host.entered(TrialKind.FORGED), host
            assert host.entered(TrialKind.ALTERED), host
            assert 0 < host.entered(TrialKind.REPLAYED) <= ECHOES * REPLAYS, host
        return
    if tunnel.adapter.info.carrier is Carrier.TCP:
        assert authenticity(report).verdict is PropertyVerdict.NOT_TRIED, report
        assert replay_protection(report).verdict is PropertyVerdict.NOT_TRIED, report
        return
    assert replay_protection(report).verdict is PropertyVerdict.HOLDS, report
    assert authenticity(report).verdict is PropertyVerdict.HOLDS, report
    for host in report.hosts.values():
        assert host.missing == {}
        # A host that is held up may drop some.
        assert 0 < host.entered(TrialKind.DELAYED) <= ECHOES, host


def _platform(facts: HostFacts) -> str:
    """Return a host's platform, for example `debian-13`; hosts made of namespaces have this computer's kernel."""
    version = re.search(r"\d+", facts.os_name)
    if version is None or facts.kernel == platform.release():
        return "namespaces"
    return f"{facts.os_id}-{version[0]}"
