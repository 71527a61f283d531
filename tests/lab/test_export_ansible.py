"""What is taken along, run on real gateways: by Ansible, and by hand. It leads to what `deploy` leads to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.compose.export import ExportOptions, export_config
from app.compose.paths import Paths
from app.compose.services import Services
from app.deploy import HostSnapshot, SnapshotDepth, take_snapshot
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.hosts import Side
from app.domain.rollout import DeploymentState, RolloutOptions
from app.lab import Lab
from app.wizard import Discovery
from support.lab_deploy import differences
from support.lab_sessions import connected, sh

PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
BY_HAND = "/run/tunnelmark-by-hand"


def quiet(_text: str, _fraction: float | None) -> None:
    """Take progress and drop it."""


@pytest.fixture(scope="module")
def sessions(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionPair]:
    with connected(lab, tmp_path_factory.mktemp("ssh")) as pair:
        yield pair


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("home")
    services = Services(prompts=None, paths=Paths(folder, folder / "labs", folder / "cache"))
    yield services
    services.close()


@pytest.fixture(scope="module")
def discovery(lab: Lab, services: Services) -> Discovery:
    return services.discover(lab.pair, token=CancelToken(), on_progress=quiet)


def look(sessions: SessionPair) -> tuple[HostSnapshot, HostSnapshot]:
    return run_both(
        lambda: take_snapshot(sessions.a, token=CancelToken(), depth=SnapshotDepth.THOROUGH),
        lambda: take_snapshot(sessions.b, token=CancelToken(), depth=SnapshotDepth.THOROUGH),
    )


@pytest.fixture(scope="module")
def before(sessions: SessionPair) -> tuple[HostSnapshot, HostSnapshot]:
    """Both gateways before anything was done; each test leaves them like that."""
    return look(sessions)


def exported(services: Services, lab: Lab, solution: str, place: Path) -> Path:
    """Take a solution along from what is stored."""
    options = ExportOptions(solution, "", RolloutOptions(), place)
    done = export_config(services, lab.pair, options, token=CancelToken(), on_progress=quiet)
    assert "they were not asked again" in done.facts_from
    return done.place


def play(folder: Path, name: str, *options: str) -> dict[str, int]:
    """Run a playbook and return how much it changed on each host."""
    ran = subprocess.run(
        [PLAYBOOK, name, *options],
        cwd=folder / "ansible",
        env={
            **os.environ,
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_HOME": str(folder.parent / "ansible-home"),
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=0", ran.stdout, re.MULTILINE)
    return {host: int(changed) for host, changed in found}


def check_frames_cross(sessions: SessionPair) -> None:
    for host, address in ((sessions.a, "198.19.0.2"), (sessions.b, "198.19.0.1")):
        assert " 0% packet loss" in sh(host, f"ping -c 3 -i 0.2 -W 2 -I tml0 {address}")


def place_of(host: HostSession) -> dict[str, str]:
    """Return what lies in the tunnel's place and starts it: path, mode and owner, with the content but for keys.

    What differs from one deployment to the next is replaced: its id and mark, the two public keys.
    """
    script = r"""
cd /etc
for path in $(find tunnelmark systemd/system -path '*tunnelmark*' ! -name 'tunnelmark-lab*' | sort); do
  printf '\001%s %s\n' "$path" "$(stat -c '%A %U:%G %N' "$path")"
  case $path in *.key | */sums | */times/*) ;; *) [ ! -f "$path" ] || cat "$path" ;; esac
done
"""
    own = sh(host, "cat /etc/tunnelmark/*/current").strip()
    text = sh(host, script).replace(own, "ID")
    text = re.sub(r"(?m)^mark=.*$", "mark=MARK", text)
    text = re.sub(r"[A-Za-z0-9+/]{43}=", "KEY", text)
    found = {}
    for part in text.split("\1")[1:]:
        head, _, content = part.partition("\n")
        found[head.partition(" ")[0]] = head + "\n" + content
    return found


@pytest.mark.timeout(600)
def test_the_role_leads_to_what_deploy_leads_to_and_its_undo_leaves_nothing(
    lab: Lab,
    services: Services,
    discovery: Discovery,
    sessions: SessionPair,
    before: tuple[HostSnapshot, HostSnapshot],
    tmp_path: Path,
) -> None:
    folder = exported(services, lab, "wireguard", tmp_path / "out")
    changed = play(folder, "site.yml")
    assert len(changed) == 2
    assert all(changed.values())
    check_frames_cross(sessions)
    assert list(play(folder, "site.yml").values()) == [0, 0]
    by_ansible = place_of(sessions.a), place_of(sessions.b)
    assert all(play(folder, "undo.yml").values())
    assert list(play(folder, "undo.yml").values()) == [0, 0]
    assert differences(before, look(sessions)) == []
    deployment = services.deploy(
        discovery, ("wireguard", ""), RolloutOptions(), token=CancelToken(), emit=lambda _event: None
    )
    assert deployment.state is DeploymentState.CONFIRMED
    by_deploy = place_of(sessions.a), place_of(sessions.b)
    services.undeploy(lab.pair, token=CancelToken(), emit=lambda _event: None)
    for ours, theirs in zip(by_ansible, by_deploy, strict=True):
        assert {path: text.splitlines() for path, text in ours.items()} == {
            path: text.splitlines() for path, text in theirs.items()
        }
    assert any(path.endswith("/kept/wireguard.key") for path in by_ansible[0])


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


@pytest.mark.timeout(600)
def test_by_hand_it_works_as_the_list_of_steps_says(
    lab: Lab,
    services: Services,
    discovery: Discovery,
    sessions: SessionPair,
    before: tuple[HostSnapshot, HostSnapshot],
    tmp_path: Path,
) -> None:
    del discovery  # has been stored
    folder = exported(services, lab, "openvpn-udp", tmp_path / "out")
    hosts = {Side.A: sessions.a, Side.B: sessions.b}
    run = f"sh {BY_HAND}/tunnel.sh"
    try:
        for side, host in hosts.items():
            carry(folder, host, side)
            sh(host, f"{run} keys")
        assert "is missing" in sh(hosts[Side.A], f"{run} install 2>&1 || true")
        for side, host in hosts.items():
            name = f"public-of-{side.value}/fingerprint-of-{side.value}"
            value = sh(host, f"cat {BY_HAND}/{name}")
            other = hosts[side.other]
            sh(other, f"mkdir {BY_HAND}/public-of-{side.value}")
            other.write_files([FileToWrite(f"{BY_HAND}/{name}", value.encode())], token=CancelToken())
        for host in hosts.values():
            sh(host, f"{run} install")
        for host in hosts.values():
            assert "answers through it" in sh(host, f"{run} verify 60", timeout_s=70)
        check_frames_cross(sessions)
    finally:
        for host in hosts.values():
            sh(host, f"{run} undo && rm -r {BY_HAND}")
    assert differences(before, look(sessions)) == []
