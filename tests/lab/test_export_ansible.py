"""What is taken along, run by Ansible on real gateways. It leads to what `deploy` leads to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.compose.services import Services
from app.deploy import HostSnapshot, SnapshotDepth, take_snapshot
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.rollout import DeploymentState, RolloutOptions
from app.lab import Lab
from app.wizard import Discovery
from support.lab_deploy import differences
from support.lab_export import check_frames_cross, exported, quiet, services_in
from support.lab_pairs import LabPair
from support.lab_sessions import sh

PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")


@pytest.fixture(scope="module")
def sessions(lab_pair: LabPair) -> SessionPair:
    return lab_pair.sessions


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with services_in(tmp_path_factory.mktemp("home")) as services:
        yield services


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
    folder = exported(services, lab.pair, "wireguard", tmp_path / "out")
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
