"""Installing packages on a real gateway, and that no daemon which they bring starts by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.discovery import discover_host, install, plan_install
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite, HostSession
from app.domain.errors import PackageMissing
from app.domain.hosts import MissingPart
from support.dummy_packages import DAEMON, TOOL, UNIT, make_repository
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS

REPOSITORY = "/srv/tunnelmark-dummies"
SOURCES = "/etc/apt/sources.list.d/tunnelmark-dummies.list"
POLICY = "#!/bin/sh\nexit 104\n"
QUIET = "DEBIAN_FRONTEND=noninteractive apt-get -q -y"


@pytest.fixture
def host(lab_pair: LabPair) -> HostSession:
    return lab_pair.sessions.b


@pytest.fixture
def own_policy(host: HostSession) -> Iterator[None]:
    """Give the gateway a policy of its own on what may start, which an installation has to leave alone."""
    content = POLICY.encode()
    host.write_files([FileToWrite("/usr/sbin/policy-rc.d", content, 0o755)], token=CancelToken())
    yield
    assert sh(host, "cat /usr/sbin/policy-rc.d*; rm -f /usr/sbin/policy-rc.d*") == POLICY


@pytest.fixture
def dummies(host: HostSession, tmp_path: Path) -> Iterator[None]:
    """Put a repository of two packages on the gateway. It has not been read there yet."""
    files = [FileToWrite(f"{REPOSITORY}/{name}", content, 0o644) for name, content in make_repository(tmp_path).items()]
    sh(host, f"install -d -m 0755 {REPOSITORY}")
    source = FileToWrite(SOURCES, f"deb [trusted=yes] file:{REPOSITORY} ./\n".encode(), 0o644)
    host.write_files([*files, source], token=CancelToken())
    yield
    sh(host, f"dpkg --purge {DAEMON} {TOOL}; rm -r {REPOSITORY} {SOURCES}; apt-get -q update", timeout_s=600)


def check_nothing_starts(host: HostSession, units: Sequence[str], programs: str) -> None:
    words = " ".join(units)
    assert sh(host, f"systemctl is-enabled {words} 2>&1; true").split() == ["disabled"] * len(units)
    assert sh(host, f"systemctl is-active {words}; true").split() == ["inactive"] * len(units)
    assert sh(host, f"pgrep -f '{programs}' || echo none").strip() == "none"


@pytest.mark.timeout(1800)
def test_what_is_missing_is_installed_with_what_it_needs_and_no_daemon_starts(
    host: HostSession, lab_pair: LabPair, dummies: None, own_policy: None
) -> None:
    part = MissingPart(DAEMON, "this test", DAEMON)
    plan = plan_install(replace(lab_pair.facts[1], missing=(part,)), (part,))
    lines: list[str] = []
    entries: list[AuditEntry] = []
    outcome = install(
        host, plan, token=CancelToken(), on_line=lambda _, line: lines.append(line), on_change=entries.append
    )
    assert set(outcome.installed) == {DAEMON, TOOL}
    assert outcome.stopped == (UNIT,)
    assert any(f"Setting up {DAEMON}" in line for line in lines)
    # The lists of packages are fetched first: they did not know this one.
    assert [entry.exit_status for entry in entries] == [0, 0]
    check_nothing_starts(host, [UNIT], "^/bin/sh /usr/bin/dummy-tool|^sleep infinity")


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_the_same_package_starts_its_daemon_otherwise(host: HostSession, dummies: None) -> None:
    sh(host, f"dpkg -i {REPOSITORY}/{TOOL}.deb {REPOSITORY}/{DAEMON}.deb", timeout_s=600)
    assert sh(host, f"systemctl is-enabled {UNIT}; systemctl is-active {UNIT}").split() == ["enabled", "active"]


@pytest.mark.timeout(600)
def test_a_package_that_no_source_has_is_reported(host: HostSession, lab_pair: LabPair) -> None:
    part = MissingPart("magic", "everything", "tunnelmark-no-such-package")
    plan = plan_install(replace(lab_pair.facts[1], missing=(part,)), (part,))
    with pytest.raises(PackageMissing, match="Unable to locate package"):
        install(host, plan, token=CancelToken())


# --- the packages that Tunnelmark needs -------------------------------------------------------------------------------


@pytest.fixture
def stripped(host: HostSession) -> Iterator[HostSession]:
    """Take iperf3 and OpenVPN from the gateway for one test."""
    sh(host, f"{QUIET} purge iperf3 openvpn", timeout_s=600)
    yield host
    sh(host, f"apt-get -q update; {QUIET} install iperf3 openvpn", timeout_s=1200)
    sh(host, "systemctl disable --now openvpn iperf3")


@pytest.mark.full
@pytest.mark.timeout(2400)
def test_what_tunnelmark_needs_is_missing_then_installed_and_no_daemon_starts(
    lab_pair: LabPair, stripped: HostSession, own_policy: None
) -> None:
    facts = discover_host(stripped, ADAPTERS, token=CancelToken())
    assert MissingPart("iperf3", "throughput", "iperf3") in facts.missing
    assert not facts.solutions["openvpn-udp"].is_available
    plan = plan_install(facts, facts.missing)
    assert set(plan.packages) == {"iperf3", "openvpn"}
    outcome = install(stripped, plan, token=CancelToken())
    assert {"iperf3", "openvpn"} <= set(outcome.installed)
    assert "openvpn.service" in outcome.stopped  # Debian's package enables it
    check_nothing_starts(stripped, ["openvpn", "iperf3"], "^(/usr/s?bin/)?(iperf3|openvpn)")
    after = discover_host(stripped, ADAPTERS, token=CancelToken())
    assert after.missing == lab_pair.facts[1].missing
    assert after.solutions["openvpn-udp"].is_available
    assert install(stripped, plan, token=CancelToken()).installed == ()
