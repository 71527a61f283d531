"""Looking at the practice lab's gateways, and installing on one what was taken from it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.discovery import discover_host, discover_pair, find_link, install, plan_install
from app.discovery.commands import KERNEL_MODULES
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.errors import PackageMissing
from app.domain.hosts import HostFacts, InitSystem, MissingPart, PackageManager, Privilege, ToolFlavour
from app.domain.link import Link
from app.lab import Lab
from support.lab_pairs import LabPair
from support.lab_sessions import connected, sh
from vpn_adapters.registry import ADAPTERS


@pytest.fixture(scope="module")
def sessions(lab_pair: LabPair) -> SessionPair:
    return lab_pair.sessions


@pytest.fixture(scope="module")
def found(sessions: SessionPair) -> tuple[HostFacts, HostFacts]:
    return discover_pair(sessions, ADAPTERS, token=CancelToken())


# --- what is found, against what the gateway says by hand -------------------------------------------------------------


def test_the_machine(sessions: SessionPair, found: tuple[HostFacts, HostFacts]) -> None:
    for host, facts in zip((sessions.a, sessions.b), found, strict=True):
        assert facts.hostname == sh(host, "cat /etc/hostname").strip()
        assert facts.kernel == sh(host, "cat /proc/sys/kernel/osrelease").strip()
        assert facts.architecture == sh(host, "arch").strip()
        assert facts.os_id == sh(host, ". /etc/os-release; echo $ID").strip()
        assert facts.os_name == sh(host, ". /etc/os-release; echo $PRETTY_NAME").strip()
        lscpu = dict(line.split(":", 1) for line in sh(host, "lscpu").splitlines() if ":" in line)
        assert facts.cpu_model == lscpu["Model name"].strip()
        assert facts.cpu_count == int(sh(host, "getconf _NPROCESSORS_ONLN"))
        flags = lscpu["Flags"].split()
        assert set(facts.cpu_flags) == {flag for flag in ("aes", "pclmulqdq", "avx", "avx2", "sha_ni") if flag in flags}
        assert facts.memory_total_mib == int(sh(host, "free -m | sed -n 's/^Mem: *\\([0-9]*\\).*/\\1/p'"))
        assert facts.is_virtual
        assert facts.init_system is InitSystem.SYSTEMD
        assert facts.package_manager is PackageManager.APT
        assert (facts.user, facts.privilege) == ("root", Privilege.ROOT)
        assert facts.steal_pct >= 0
        assert set(facts.disk_free_mib) == {"/", "/run", "/tmp"}


def test_the_network(sessions: SessionPair, found: tuple[HostFacts, HostFacts]) -> None:
    for host, facts in zip((sessions.a, sessions.b), found, strict=True):
        by_hand = {
            link["ifname"]: (
                link["mtu"],
                "UP" in link["flags"],
                {f"{address['local']}/{address['prefixlen']}" for address in link["addr_info"]},
            )
            for link in json.loads(sh(host, "ip -json addr show"))
        }
        assert {nic.name: (nic.mtu_bytes, nic.is_up, set(nic.addresses)) for nic in facts.nics} == by_hand
        assert "tcp/22" in facts.ports_in_use
        listening = {int(line.split()[3].rpartition(":")[2]) for line in sh(host, "ss -Hlnt").splitlines()}
        assert {int(port.removeprefix("tcp/")) for port in facts.ports_in_use if port.startswith("tcp/")} == listening


def test_programs_and_modules(sessions: SessionPair, found: tuple[HostFacts, HostFacts]) -> None:
    for host, facts in zip((sessions.a, sessions.b), found, strict=True):
        assert facts.tools["ping"].flavour is ToolFlavour.IPUTILS
        for name, package in (("iperf3", "iperf3"), ("tcpdump", "tcpdump"), ("ip", "iproute2")):
            packaged = sh(host, f"dpkg-query -W -f '${{Version}}' {package}")
            assert packaged.startswith(facts.tools[name].version)
        script = "for n in " + " ".join(KERNEL_MODULES) + "; do modprobe -n -q $n && echo $n; done; true"
        assert list(facts.kernel_modules) == sh(host, script).split()
        assert [(part.needed_for, part.package) for part in facts.missing] == [("freelan", "")]
        unavailable = [name for name, support in facts.solutions.items() if not support.is_available]
        assert unavailable == ["freelan"]  # Debian dropped it after Debian 11
        assert set(facts.solutions) == set(ADAPTERS)
        openvpn = sh(host, "dpkg-query -W -f '${Version}' openvpn")
        assert openvpn.startswith(facts.solutions["openvpn-udp"].version)


def test_the_clock(sessions: SessionPair, found: tuple[HostFacts, HostFacts]) -> None:
    """The offset agrees with the narrowest of several brackets made by hand."""
    for host, facts in zip((sessions.a, sessions.b), found, strict=True):
        brackets = []
        for _ in range(5):
            before = time.time()
            said = host.run(Command(("date", "+%s.%N")), token=CancelToken()).stdout
            after = time.time()
            brackets.append(((after - before) * 500, (float(said) - (before + after) / 2) * 1000))
        error_ms, offset_ms = min(brackets)
        drift_ms = 200  # an emulated clock runs unevenly while its computer is busy
        assert abs(facts.clock_offset_ms - offset_ms) <= facts.clock_error_ms + error_ms + drift_ms
        assert 0 < facts.clock_error_ms < 30_000


def test_the_link_between_them(found: tuple[HostFacts, HostFacts], lab: Lab) -> None:
    link = find_link(*found, lab.pair.underlay_a, lab.pair.underlay_b)
    assert link == Link(lab.pair.underlay_a, lab.pair.underlay_b)


@pytest.mark.parametrize(
    ("user", "privilege"), [("nopass", Privilege.SUDO), ("doasuser", Privilege.DOAS), ("plain", Privilege.NONE)]
)
def test_other_users_find_the_same(
    lab: Lab, found: tuple[HostFacts, HostFacts], tmp_path: Path, user: str, privilege: Privilege
) -> None:
    with connected(lab, tmp_path, user) as pair:
        facts = discover_host(pair.a, ADAPTERS, token=CancelToken())
    assert (facts.user, facts.privilege) == (user, privilege)
    expected = found[0]
    assert facts.kernel_modules == expected.kernel_modules
    assert facts.missing == expected.missing
    assert {name: tool.version for name, tool in facts.tools.items()} == {
        name: tool.version for name, tool in expected.tools.items()
    }
    assert {name: one.is_available for name, one in facts.solutions.items()} == {
        name: one.is_available for name, one in expected.solutions.items()
    }


def test_looking_changes_nothing(sessions: SessionPair) -> None:
    state = (
        "lsmod | cut -d ' ' -f 1 | sort; find /etc /usr /boot /opt /srv /var/lib /root /home -xdev -printf '%p %T@\\n'"
        " | sort | md5sum; ip -o link | cut -d ' ' -f 2; find /tmp /run/tunnelmark 2>/dev/null | sort"
    )
    before = sh(sessions.b, state)
    discover_host(sessions.b, ADAPTERS, token=CancelToken())
    assert sh(sessions.b, state) == before


# --- installing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def stripped(sessions: SessionPair) -> Iterator[HostSession]:
    """Take iperf3 and OpenVPN from gateway B for one test."""
    host = sessions.b
    sh(host, "DEBIAN_FRONTEND=noninteractive apt-get purge -q -y iperf3 openvpn", timeout_s=300)
    yield host
    sh(host, "apt-get update -q; apt-get install -q -y iperf3 openvpn", timeout_s=600)
    sh(host, "systemctl disable --now openvpn iperf3; rm -f /usr/sbin/policy-rc.d*")


@pytest.mark.timeout(1200)
def test_what_is_missing_is_installed_and_no_daemon_starts(
    found: tuple[HostFacts, HostFacts], stripped: HostSession
) -> None:
    facts = discover_host(stripped, ADAPTERS, token=CancelToken())
    assert MissingPart("iperf3", "throughput", "iperf3") in facts.missing
    assert not facts.solutions["openvpn-udp"].is_available
    plan = plan_install(facts, facts.missing)
    assert set(plan.packages) == {"iperf3", "openvpn"}
    sh(stripped, "printf '#!/bin/sh\\nexit 104\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d")
    lines: list[str] = []
    entries: list[AuditEntry] = []
    outcome = install(
        stripped, plan, token=CancelToken(), on_line=lambda _, line: lines.append(line), on_change=entries.append
    )
    assert {"iperf3", "openvpn"} <= set(outcome.installed)
    assert "openvpn.service" in outcome.stopped  # Debian's package enables it
    assert any("Setting up openvpn" in line for line in lines)
    assert [entry.exit_status for entry in entries] == [0] * len(entries)
    assert sh(stripped, "systemctl is-enabled openvpn iperf3 2>&1; true").split() == ["disabled", "disabled"]
    assert sh(stripped, "systemctl is-active openvpn iperf3; true").split() == ["inactive", "inactive"]
    assert sh(stripped, "pgrep -x 'iperf3|openvpn' || echo none").strip() == "none"
    assert sh(stripped, "cat /usr/sbin/policy-rc.d*") == "#!/bin/sh\nexit 104\n"
    after = discover_host(stripped, ADAPTERS, token=CancelToken())
    assert after.missing == found[1].missing
    assert after.solutions["openvpn-udp"].is_available
    again = install(stripped, plan, token=CancelToken())
    assert again.installed == ()


@pytest.mark.timeout(600)
def test_a_package_that_no_source_has_is_told(sessions: SessionPair, found: tuple[HostFacts, HostFacts]) -> None:
    part = MissingPart("magic", "everything", "tunnelmark-no-such-package")
    plan = plan_install(replace(found[1], missing=(part,)), (part,))
    with pytest.raises(PackageMissing, match="Unable to locate package"):
        install(sessions.b, plan, token=CancelToken())
