"""An export, installed by hand on hosts made of namespaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite, HostSession
from app.domain.deployment import DeploymentOptions
from app.domain.hosts import Side
from app.host.snapshots import SnapshotDepth
from app.services.wiring import Services
from support.export_attack import attacked
from support.lab_deploy import wait_until_as_before
from support.lab_export import CLAMP, check_frames_cross, exported, fitted_or_not, quiet, services_in
from support.lab_sessions import sh
from support.net_bench import NetBench

BY_HAND = "/run/tunnelmark-by-hand"
RUN = f"sh {BY_HAND}/tunnel.sh"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    (tmp_path / "home").mkdir()
    with services_in(tmp_path / "home") as services:
        yield services


def carry(folder: Path, host: HostSession, side: Side) -> None:
    """Put one host's folder where only root can read it."""
    root = folder / "files" / f"host-{side.value}"
    files = [path for path in root.rglob("*") if path.is_file()]
    folders = sorted({f"{BY_HAND}/{path.parent.relative_to(root)}" for path in files})
    sh(host, f"umask 077; mkdir -p {' '.join(folders)}")
    host.write_files(
        [FileToWrite(f"{BY_HAND}/{path.relative_to(root)}", path.read_bytes(), 0o600) for path in files],
        token=CancelToken(),
    )


def install(folder: Path, hosts: dict[Side, HostSession]) -> None:
    """Do what the list of steps says, on both hosts."""
    for side, host in hosts.items():
        carry(folder, host, side)
        sh(host, f"{RUN} keys")
    assert "is missing" in sh(hosts[Side.A], f"{RUN} install 2>&1 || true")
    for side, host in hosts.items():
        name = f"public-of-{side.value}/fingerprint-of-{side.value}"
        value = sh(host, f"cat {BY_HAND}/{name}")
        other = hosts[side.other]
        sh(other, f"mkdir {BY_HAND}/public-of-{side.value}")
        other.write_files([FileToWrite(f"{BY_HAND}/{name}", value.encode())], token=CancelToken())
    for host in hosts.values():
        sh(host, f"{RUN} install")


def verify(hosts: dict[Side, HostSession]) -> None:
    for host in hosts.values():
        assert "answers through it" in sh(host, f"{RUN} verify 240", timeout_s=300)


def check_clamped(folder: Path, hosts: dict[Side, HostSession]) -> None:
    """Do what README.txt says, and see that a table which cannot be made is noticed."""
    readme = (folder / "README.txt").read_text(encoding="utf-8")
    sizes = re.findall(r"maxseg size set (\d+) for IPv4, (\d+) for IPv6", readme)
    answered = re.findall(r"ping -M do .*", readme)
    for host, (ipv4, ipv6), pings in zip(hosts.values(), sizes, (answered[:2], answered[2:]), strict=True):
        listed = sh(host, f"nft list table inet {CLAMP}")
        assert re.findall(r"maxseg size set (\d+)", listed) == [ipv4, ipv6, ipv4, ipv6]
        assert [sh(host, f"{ping} > /dev/null 2>&1; echo $?").strip() for ping in pings] == ["0", "1"]
    # An nft that refuses everything, as one whose kernel has no such tables.
    refusing = f"{BY_HAND}/refusing"
    host = hosts[Side.A]
    sh(host, f"mkdir {refusing} && printf '#!/bin/sh\\nexit 1\\n' > {refusing}/nft && chmod 700 {refusing}/nft")
    assert "TCP is not fitted to the path" in sh(host, f"PATH={refusing}:$PATH {RUN} verify 1 2>&1 || true")


@fitted_or_not
def test_by_hand_it_works_as_the_list_of_steps_says_and_lets_no_attacker_in(
    net: NetBench, services: Services, tmp_path: Path, options: DeploymentOptions
) -> None:
    before = net.inspect(SnapshotDepth.THOROUGH)
    services.discover(net.pair, token=CancelToken(), on_progress=quiet)
    folder = exported(services, net.pair, "openvpn-udp", tmp_path / "out", options)
    hosts = {Side.A: net.sessions.a, Side.B: net.sessions.b}
    with attacked(net) as attack:
        try:
            install(folder, hosts)
            verify(hosts)
            check_frames_cross(net.sessions)
            if options.fits_path_mtu:
                check_clamped(folder, hosts)
            attack.check_up()
            attack.check_without_daemons()
            verify(hosts)
        finally:
            for host in hosts.values():
                sh(host, f"{RUN} undo && rm -r {BY_HAND}")
                assert CLAMP not in sh(host, "nft list tables")
    wait_until_as_before(net.sessions, before)
