"""An export, run by Ansible on two hosts. It leads to what `deploy` leads to.

On hosts made of namespaces, which start services as System V and BusyBox do; in `make test-full` on the practice lab's
gateways as well, which have systemd.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.host.snapshots import SnapshotDepth
from app.services.wiring import Services
from support.export_attack import attacked
from support.lab_deploy import Bench, wait_until_as_before
from support.lab_export import CLAMP, check_frames_cross, exported, fitted_or_not, quiet, services_in
from support.lab_sessions import sh
from support.net_bench import NetBench

PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
PUBLIC = re.compile(
    r"[A-Za-z0-9+/]{43}="  # a public key of WireGuard
    r"|(?:[0-9A-F]{2}:){31}[0-9A-F]{2}"  # the fingerprint of a certificate
    r"|-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----"
)
EXPORTED = {"openvpn-udp": "", "wireguard": "chacha20-poly1305"}
"""Default suites of exports; an empty one is that of deployments."""
KEYS = {"openvpn-udp": "kept/openvpn.key", "wireguard": "kept/wireguard.key"}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    (tmp_path / "home").mkdir()
    with services_in(tmp_path / "home") as services:
        yield services


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
        timeout=600,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = re.findall(r"^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=0 +failed=0", ran.stdout, re.MULTILINE)
    return {host: int(changed) for host, changed in found}


def place_of(host: HostSession) -> dict[str, str]:
    """Return what lies in the tunnel's place and starts it: path, mode and owner, with the content but for keys.

    What differs from one deployment to the next is replaced: its id and mark, the random id of its L2TPv3 session, the
    public values of both hosts.
    """
    script = r"""
cd /etc
places=$(ls -d tunnelmark systemd/system init.d rc?.d 2> /dev/null)
for path in $(find $places -path '*tunnelmark*' ! -name 'tunnelmark-lab*' | sort); do
  printf '\001%s %s\n' "$path" "$(stat -c '%A %U:%G %N' "$path")"
  case $path in *.key | */sums | */times/*) ;; *) [ ! -f "$path" ] || cat "$path" ;; esac
done
"""
    own = sh(host, "cat /etc/tunnelmark/*/current").strip()
    sessions = re.findall(r"^Session (\d+) in tunnel", sh(host, "ip l2tp show session 2> /dev/null || :"), re.MULTILINE)
    text = sh(host, script).replace(own, "ID")
    for session in sessions:
        text = re.sub(rf"\b{session}\b", "SESSION", text)
    text = PUBLIC.sub("PUBLIC", re.sub(r"(?m)^mark=.*$", "mark=MARK", text))
    found = {}
    for part in text.split("\1")[1:]:
        head, _, content = part.partition("\n")
        found[head.partition(" ")[0]] = head + "\n" + content
    return found


@fitted_or_not
@pytest.mark.timeout(900)
def test_the_role_leads_to_what_deploy_leads_to_and_its_undo_leaves_nothing(
    hosts_or_gateways: Bench, services: Services, tmp_path: Path, options: DeploymentOptions
) -> None:
    bench = hosts_or_gateways
    sessions, solution = bench.sessions, bench.any_solution
    discovery = services.discover(bench.pair, token=CancelToken(), on_progress=quiet)
    before = bench.inspect(SnapshotDepth.THOROUGH)
    folder = exported(services, bench.pair, solution, tmp_path / "out", options)
    with attacked(bench) if isinstance(bench, NetBench) else nullcontext() as attack:
        changed = play(folder, "site.yml")
        assert len(changed) == 2
        assert all(changed.values())
        check_frames_cross(sessions)
        if attack is not None:
            attack.check_up()
        assert list(play(folder, "site.yml").values()) == [0, 0]
        by_ansible = place_of(sessions.a), place_of(sessions.b)
        tables = sh(sessions.a, "nft list tables")
        assert (CLAMP in tables) == options.fits_path_mtu
        assert all(play(folder, "undo.yml").values())
        assert CLAMP not in sh(sessions.a, "nft list tables")
    assert list(play(folder, "undo.yml").values()) == [0, 0]
    wait_until_as_before(sessions, before)
    deployment = services.deploy(
        discovery, (solution, EXPORTED[solution]), options, token=CancelToken(), emit=lambda _event: None
    )
    assert deployment.state is DeploymentState.CONFIRMED
    by_deploy = place_of(sessions.a), place_of(sessions.b)
    services.undeploy(bench.pair, token=CancelToken(), emit=lambda _event: None)
    for ours, theirs in zip(by_ansible, by_deploy, strict=True):
        assert {path: text.splitlines() for path, text in ours.items()} == {
            path: text.splitlines() for path, text in theirs.items()
        }
    for files in by_ansible:
        assert any(path.endswith(KEYS[solution]) for path in files), sorted(files)
        assert any("tunnelmark-" in path for path in files if not path.startswith("tunnelmark/")), sorted(files)
