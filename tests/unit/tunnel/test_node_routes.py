"""Routes to a peer's node: whatever ends a script, its undo removes the route that it made, and no other one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import bare_script

NETWORK = "198.19.0.128/25"
SCRIPTS = {
    "routed-lan.sh": ("eth2", "198.19.0.1/25", NETWORK, "192.0.2.2", "", "notes/node"),
    "routed-machine.sh": ("eth2", "198.19.0.2/25", "198.19.0.1/25", "1400", NETWORK, "notes/node"),
}
SHELLS = [shell for shell in ("dash", "busybox sh", "bash --posix") if shutil.which(shell.split()[0])]
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="network namespaces need root"),
    pytest.mark.parametrize("shell", SHELLS),
    pytest.mark.parametrize("name", SCRIPTS),
]

_SETUP = """
set -e
mount --make-rprivate / && mount -t sysfs sysfs /sys
ip link set lo up
for name in eth1 eth2; do
  ip link add $name type veth peer name far-$name
  ip link set $name up; ip link set far-$name up
done
ip addr add 192.0.2.1/24 dev eth1
set +e
routes() { ip route show exact "$1" | sed 's/ linkdown//'; }
"""
_KILLING = """#!/bin/sh
# Ends the script right after it has added the route.
%s "$@"
status=$?
case "$*" in "route add "*) kill -9 "$PPID" ;; esac
exit "$status"
"""
_MADE = 'env -i PATH="$PWD/bin:$PATH" SSH_CONNECTION="192.0.2.9 50000 192.0.2.1 22" $shell make.sh "$@"'
_UNDONE = "$shell undo.sh notes/node"


def printed(folder: Path, name: str, shell: str, lines: str) -> list[str]:
    """Return what lines print in namespaces of their own; `bin` comes before other programs while the script runs."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "make.sh").write_text(bare_script(f"nodes/{name}"), encoding="utf-8")
    (folder / "undo.sh").write_text(bare_script("nodes/machine-remove.sh"), encoding="utf-8")
    argv = ["unshare", "-n", "-m", "-p", "-f", "--mount-proc", "sh", "-c", f"{_SETUP}\n{lines}", "sh", *SCRIPTS[name]]
    env = {"PATH": os.environ["PATH"], "shell": shell, "network": NETWORK}
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_script_that_is_killed_right_after_it_added_the_route_leaves_none(
    tmp_path: Path, name: str, shell: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ip").write_text(_KILLING % shutil.which("ip"))
    (tmp_path / "bin/ip").chmod(0o755)
    lines = f'{_MADE}; echo $?; routes "$network" | grep -c via; {_UNDONE}; echo $?; routes "$network"; ls notes'
    assert printed(tmp_path, name, shell, lines) == ["137", "1", "0"]


def test_a_route_of_the_users_own_is_refused_and_remains(tmp_path: Path, name: str, shell: str) -> None:
    theirs = f"{NETWORK} via 192.0.2.3 dev eth1 metric 50"
    lines = f'ip route add {theirs}; {_MADE} 2>&1; echo $?; {_UNDONE}; echo $?; routes "$network"'
    assert [one.strip() for one in printed(tmp_path, name, shell, lines)] == [
        f"There is a route to {NETWORK} already.",
        "1",
        "0",
        theirs,
    ]


def test_a_route_that_was_made_meanwhile_remains(tmp_path: Path, name: str, shell: str) -> None:
    theirs = f"{NETWORK} via 192.0.2.3 dev eth1 metric 50"
    gone = 'read -r network via device < notes/node/route; ip route del "$network" via "$via" dev "$device"'
    lines = f'{_MADE}; echo $?; ip route add {theirs}; ({gone}); {_UNDONE}; echo $?; routes "$network"'
    assert [one.strip() for one in printed(tmp_path, name, shell, lines)] == ["0", "0", theirs]


def test_a_route_that_cannot_be_removed_is_reported_and_its_note_kept(tmp_path: Path, name: str, shell: str) -> None:
    (tmp_path / "stuck").mkdir()
    (tmp_path / "stuck/ip").write_text(
        f'#!/bin/sh\ncase "$*" in "route del "*) exit 2 ;; esac\nexec {shutil.which("ip")} "$@"\n'
    )
    (tmp_path / "stuck/ip").chmod(0o755)
    lines = f'{_MADE}; echo $?; PATH="$PWD/stuck:$PATH" {_UNDONE}; echo $?; {_UNDONE}; echo $?; routes "$network"'
    assert printed(tmp_path, name, shell, lines) == ["0", "1", "0"]
