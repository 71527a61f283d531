"""Content of the gateways of each platform; no VPN starts in them by itself."""

from __future__ import annotations

import re
import subprocess

import pytest

from app.domain.commands import HostSession
from app.domain.hosts import Side
from app.lab import Lab
from support.lab_pairs import LabPair, LabPairs
from support.lab_sessions import answered_pings, sh

PROGRAMS = {
    "debian-13": {
        ". /etc/os-release; echo $VERSION_ID": r"^13$",
        "openvpn --version": r"OpenVPN 2\.6",
        "swanctl --version": r"strongSwan 6\.",
        "tincd --version": r"tinc version 1\.0",
        "wpa_supplicant -v": r"wpa_supplicant v2\.1",
        "ssh -V": r"OpenSSH_10\.",
        "fastd --version": r"fastd v23",
        "command -v freelan || echo none": "none",
    },
    "debian-11": {
        ". /etc/os-release; echo $VERSION_ID": r"^11$",
        "openvpn --version": r"OpenVPN 2\.5",
        "swanctl --version": r"strongSwan 5\.9",
        "tincd --version": r"tinc version 1\.0",
        "wpa_supplicant -v": r"wpa_supplicant v2\.9",
        "ssh -V": r"OpenSSH_8\.4",
        "fastd --version": r"fastd 21",
        "freelan --version": r"freelan 2\.2",
    },
}
LABS = {"debian-13": ("debian-13", "debian-13"), "debian-11": ("debian-11", "debian-13")}
"""The lab whose A is of a platform."""


@pytest.fixture(scope="module", params=list(PROGRAMS))
def platform(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def host(platform: str, lab_pairs: LabPairs) -> HostSession:
    """A gateway of a platform, as root."""
    return lab_pairs.get(*LABS[platform]).sessions.a


def test_each_release_has_its_own_versions(platform: str, host: HostSession) -> None:
    script = "; ".join(f"({command}) 2>&1; echo ---" for command in PROGRAMS[platform])
    shown = sh(host, script).split("---\n")
    for pattern, text in zip(PROGRAMS[platform].values(), shown, strict=False):
        assert re.search(pattern, text, re.MULTILINE), text
    assert len(shown) == len(PROGRAMS[platform]) + 1


def check_nothing_failed_and_no_vpn_runs(host: HostSession) -> None:
    assert sh(host, "systemctl is-system-running --wait").strip() == "running"
    assert sh(host, "systemctl list-timers --no-legend").strip() == ""
    enabled = sh(host, "systemctl list-unit-files --state=enabled --no-legend")
    assert not re.search(r"openvpn|strongswan|tinc|freelan|fastd|wpa|iperf", enabled), enabled
    processes = sh(host, "ps -e -o comm=").split()
    assert {"charon", "charon-systemd", "tincd", "openvpn", "freelan", "fastd", "wpa_supplicant"}.isdisjoint(processes)
    assert {line.split()[4].rsplit(":", 1)[1] for line in sh(host, "ss -Hlntu").splitlines()} == {"22"}


def test_nothing_failed_and_no_vpn_runs(platform: str, host: HostSession) -> None:
    check_nothing_failed_and_no_vpn_runs(host)


@pytest.fixture(scope="module")
def mixed(lab_pairs: LabPairs) -> LabPair:
    """A gateway of debian-11 as A, and one of debian-13 as B."""
    return lab_pairs.get(*LABS["debian-11"])


def test_nothing_failed_and_no_vpn_runs_on_b_either(lab_pair: LabPair) -> None:
    check_nothing_failed_and_no_vpn_runs(lab_pair.sessions.b)


def test_the_old_release_has_what_the_vpns_and_the_tests_need(lab_mixed: Lab, mixed: LabPair) -> None:
    sh(mixed.sessions.a, "modprobe -n -a wireguard l2tp_ip l2tp_eth tun macsec xfrm_user esp4 && test -c /dev/net/tun")
    for user, line, expected in (
        ("nopass", "sudo -n id -u", "0"),
        ("doasuser", "doas -n id -u", "0"),
        ("plain", "ping -c 1 -W 30 192.0.2.2", "1 received"),
    ):
        argv = [*lab_mixed.ssh_argv(Side.A, user), line]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert expected in done.stdout, f"{user}: {done.stdout}{done.stderr}"


def test_a_mixed_lab_has_a_platform_on_each_side(mixed: LabPair) -> None:
    gateways = mixed.sessions.a, mixed.sessions.b
    versions = [sh(one, ". /etc/os-release; echo $VERSION_ID").strip() for one in gateways]
    assert versions == ["11", "13"]
    sh(mixed.sessions.a, answered_pings("192.0.2.2"))
