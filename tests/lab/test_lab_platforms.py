"""What is in the gateways of each platform, and that no VPN starts in them by itself."""

from __future__ import annotations

import re
import subprocess

import pytest

from app.domain.hosts import Side
from app.lab import Lab

FIXTURES = {"debian-13": "lab", "debian-11": "lab_debian_11"}
PROGRAMS = {
    "debian-13": {
        "openvpn --version": r"OpenVPN 2\.6",
        "swanctl --version": r"strongSwan 6\.",
        "tincd --version": r"tinc version 1\.0",
        "wpa_supplicant -v": r"wpa_supplicant v2\.1",
        "ssh -V": r"OpenSSH_10\.",
        "command -v freelan || echo none": "none",
    },
    "debian-11": {
        "openvpn --version": r"OpenVPN 2\.5",
        "swanctl --version": r"strongSwan 5\.9",
        "tincd --version": r"tinc version 1\.0",
        "wpa_supplicant -v": r"wpa_supplicant v2\.9",
        "ssh -V": r"OpenSSH_8\.4",
        "freelan --version": r"freelan 2\.2",
    },
}
EVERYWHERE = pytest.mark.parametrize("platform", list(FIXTURES))


def run(lab: Lab, side: Side, script: str, *, user: str = "root") -> str:
    done = subprocess.run(
        [*lab.ssh_argv(side, user), script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{script}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def platform_lab(platform: str, request: pytest.FixtureRequest) -> Lab:
    found = request.getfixturevalue(FIXTURES[platform])
    assert isinstance(found, Lab)
    return found


@EVERYWHERE
def test_each_release_has_its_own_versions(platform: str, platform_lab: Lab) -> None:
    script = "; ".join(f"({command}) 2>&1; echo ---" for command in PROGRAMS[platform])
    shown = run(platform_lab, Side.A, script).split("---\n")
    for pattern, text in zip(PROGRAMS[platform].values(), shown, strict=False):
        assert re.search(pattern, text), text
    assert len(shown) == len(PROGRAMS[platform]) + 1


@EVERYWHERE
@pytest.mark.parametrize("side", list(Side))
def test_nothing_failed_and_no_vpn_runs(platform: str, platform_lab: Lab, side: Side) -> None:
    assert run(platform_lab, side, "systemctl is-system-running").strip() == "running", platform
    assert run(platform_lab, side, "systemctl list-timers --no-legend").strip() == ""
    enabled = run(platform_lab, side, "systemctl list-unit-files --state=enabled --no-legend")
    assert not re.search(r"openvpn|strongswan|tinc|freelan|wpa|iperf", enabled), enabled
    processes = run(platform_lab, side, "ps -e -o comm=").split()
    assert {"charon", "charon-systemd", "tincd", "openvpn", "freelan", "wpa_supplicant"}.isdisjoint(processes)
    assert {line.split()[4].rsplit(":", 1)[1] for line in run(platform_lab, side, "ss -Hlntu").splitlines()} == {"22"}


def test_the_old_release_has_what_the_vpns_and_the_tests_need(lab_debian_11: Lab) -> None:
    modules = "wireguard l2tp_ip l2tp_eth tun macsec xfrm_user esp4"
    run(lab_debian_11, Side.A, f"modprobe -n -a {modules} && test -c /dev/net/tun")
    assert run(lab_debian_11, Side.A, "sudo -n id -u", user="nopass").strip() == "0"
    assert run(lab_debian_11, Side.B, "doas -n id -u", user="doasuser").strip() == "0"
    assert "1 received" in run(lab_debian_11, Side.B, "ping -c 1 192.0.2.1", user="plain")


def test_a_mixed_lab_has_a_platform_on_each_side(lab_mixed: Lab) -> None:
    versions = [run(lab_mixed, side, ". /etc/os-release; echo $VERSION_ID").strip() for side in Side]
    assert versions == ["11", "13"]
    assert "3 received" in run(lab_mixed, Side.A, "ping -c 3 -i 0.2 192.0.2.2")
