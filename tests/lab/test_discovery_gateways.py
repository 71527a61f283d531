"""Inspecting the practice lab's gateways: kernels, systemd, packages. The rest is in test_discovery_hosts.py."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.discovery import discover_host, find_link
from app.discovery.commands import KERNEL_MODULES
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts, InitSystem, PackageManager, Privilege, ToolFlavour
from app.domain.link import Link, TunnelNames
from app.lab import Lab
from support.adapter_cases import COMPARED_ALONE
from support.lab_pairs import LabPair
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS


@pytest.fixture(scope="module")
def sessions(lab_pair: LabPair) -> SessionPair:
    return lab_pair.sessions


@pytest.fixture(scope="module")
def found(lab_pair: LabPair) -> tuple[HostFacts, HostFacts]:
    return lab_pair.facts


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
        former = {"freelan", *COMPARED_ALONE}
        assert {(part.needed_for, part.package) for part in facts.missing} == {(name, "") for name in former}
        unavailable = [name for name, support in facts.solutions.items() if not support.is_available]
        # Debian dropped freelan and vtun after Debian 11 and 12; the others are not installed.
        assert set(unavailable) == former
        assert set(facts.solutions) == set(ADAPTERS)
        openvpn = sh(host, "dpkg-query -W -f '${Version}' openvpn")
        assert openvpn.startswith(facts.solutions["openvpn-udp"].version)


def test_the_link_between_them(found: tuple[HostFacts, HostFacts], lab: Lab) -> None:
    link = find_link(*found, lab.pair.underlay_a, lab.pair.underlay_b)
    usual = replace(TunnelNames(), l2tp_session_id=link.names.l2tp_session_id)
    assert link == Link(lab.pair.underlay_a, lab.pair.underlay_b, names=usual)


def test_inspecting_changes_nothing(sessions: SessionPair) -> None:
    state = (
        "lsmod | cut -d ' ' -f 1 | sort; find /etc /usr /boot /opt /srv /var/lib /root /home -xdev -printf '%p %T@\\n'"
        " | sort | md5sum; ip -o link | cut -d ' ' -f 2; find /tmp /run/tunnelmark 2>/dev/null | sort"
    )
    # What an earlier inspection loaded would hide what this one loads: swanctl's plugins ask for ciphers by AF_ALG.
    sh(sessions.b, "modprobe -r algif_hash algif_skcipher algif_aead af_alg 2> /dev/null; true")
    before = sh(sessions.b, state)
    assert "af_alg" not in before
    discover_host(sessions.b, ADAPTERS, token=CancelToken())
    assert sh(sessions.b, state) == before
