"""Checks of `tunnel.sh` on a LAN port, in a network of its own: no user may be locked out."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from app.domain.deployment import DeploymentOptions
from app.domain.hosts import Side
from app.export.bundle import make_bundle
from app.export.script import tunnel_script
from support.export_cases import export_request

_IN_NAMESPACES = ("unshare", "-n", "-m", "-p", "-f", "--mount-proc")
_NETWORK = """
mount --make-rprivate / && mount -t sysfs sysfs /sys || exit 9
ip link set lo up
for name in eth1 eth2; do ip link add $name type veth peer name far-$name; done
ip addr add 192.0.2.1/24 dev eth1
for name in eth1 far-eth1 eth2 far-eth2; do ip link set $name up; done
"""
_SSH = "198.51.100.7 50000 198.51.100.1 22"
_SUDO = 'env -i PATH="$PATH"'
_WITH_ADDRESS = "ip addr add 198.51.100.1/24 dev eth2\n"
_ABOVE = """
ip link add link eth2 name above0 type macvlan && ip addr add 198.51.100.1/24 dev above0 && ip link set above0 up
"""
_BRIDGE = "ip link add br0 type bridge && ip link set eth2 master br0 && ip link set br0 up\n"
_BRIDGE_WITH_ADDRESS = f"{_BRIDGE}ip addr add 198.51.100.1/24 dev br0\n"

SHELLS = [
    pytest.param(shell, marks=marks)
    for shell, marks in (("dash", ()), ("busybox sh", ()), ("bash --posix", pytest.mark.full))
    if shutil.which(shell.split()[0])
]
needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="network namespaces need root"
)


@cache
def script_text() -> str:
    """Return A's script, which checks the LAN port and does nothing else."""
    bundle = make_bundle(export_request("wireguard", options=DeploymentOptions(bridge_a="eth2")))
    text = tunnel_script(bundle, Side.A)
    call = "    is_at_console=no\n"
    assert text.count(call) == 1
    end = text.index("    case $verb in", text.index(call))
    return text[:end] + '    check_lan_port\n    echo free\n}\n\nmain "$@"\n'


def printed(
    tmp_path: Path, network: str, *, ssh: str = "", before: str = "", word: str = "", shell: str = "dash"
) -> str:
    """Return what it says, as a program that a login over SSH has started."""
    script = tmp_path / "tunnel.sh"
    script.write_text(script_text(), encoding="utf-8")
    # The shell remains between the connection and what it runs, as a login's own shell does.
    line = f"{before} {shell} {script} install {word}; exit $?"
    login = (
        ["env", f"SSH_CONNECTION={ssh}", "sh", "-c", line] if ssh else ["env", "-u", "SSH_CONNECTION", "sh", "-c", line]
    )
    ran = subprocess.run(
        [*_IN_NAMESPACES, "sh", "-c", f'{_NETWORK}{network}"$@"', "sh", *login],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode in (0, 1), ran.stderr
    return (ran.stdout + ran.stderr).strip()


@needs_namespaces
@pytest.mark.parametrize("before", ["", _SUDO], ids=["root", "sudo"])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_port_over_which_one_is_logged_in_is_not_joined(tmp_path: Path, shell: str, before: str) -> None:
    assert "You are logged in over eth2" in printed(tmp_path, _WITH_ADDRESS, ssh=_SSH, before=before, shell=shell)
    assert "You are logged in over eth2" in printed(
        tmp_path, _WITH_ADDRESS, ssh=_SSH, before=before, shell=shell, word="console"
    )


@needs_namespaces
@pytest.mark.parametrize(
    ("network", "ssh"),
    [
        (_BRIDGE_WITH_ADDRESS, _SSH),
        (_ABOVE, _SSH),
        # Answers leave over the port, whatever address was called.
        ("ip route add 203.0.113.0/24 dev eth2\n", "203.0.113.7 50000 192.0.2.1 22"),
        (_WITH_ADDRESS, "::ffff:198.51.100.7 50000 ::ffff:198.51.100.1 22"),
        ("ip addr add fe80::5/64 dev eth2 nodad\n", "fe80::9%eth2 50000 fe80::5%eth2 22"),
    ],
    ids=["bridge", "above", "route", "mapped", "link-local"],
)
def test_what_the_connection_runs_over_is_not_joined(tmp_path: Path, network: str, ssh: str) -> None:
    assert "You are logged in over eth2" in printed(tmp_path, network, ssh=ssh, before=_SUDO)


@needs_namespaces
@pytest.mark.parametrize("shell", SHELLS)
def test_a_port_with_an_address_is_joined_only_where_the_way_in_is_known(tmp_path: Path, shell: str) -> None:
    elsewhere = "192.0.2.9 50000 192.0.2.1 22"
    assert printed(tmp_path, _WITH_ADDRESS, ssh=elsewhere, before=_SUDO, shell=shell) == "free"
    unknown = printed(tmp_path, _WITH_ADDRESS, shell=shell)
    assert "It cannot be seen over which interface you are logged in, and eth2 has an address" in unknown
    assert "sh tunnel.sh install console" in unknown
    assert printed(tmp_path, _WITH_ADDRESS, shell=shell, word="console") == "free"
    assert "and above0 has an address" in printed(tmp_path, _ABOVE, shell=shell)
    assert printed(tmp_path, "", shell=shell) == "free"


@needs_namespaces
def test_a_connection_by_the_host_itself_says_nothing_of_the_way_in(tmp_path: Path) -> None:
    assert "It cannot be seen" in printed(tmp_path, _WITH_ADDRESS, ssh="127.0.0.1 50000 127.0.0.1 22")


@needs_namespaces
def test_a_port_of_a_bridge_and_the_port_of_the_tunnel_itself_are_not_joined(tmp_path: Path) -> None:
    assert "eth2 belongs to a bridge" in printed(tmp_path, _BRIDGE, word="console")
    moved = "ip addr del 192.0.2.1/24 dev eth1\nip addr add 192.0.2.1/24 dev eth2\n"
    assert "The tunnel itself runs over eth2 (192.0.2.1)" in printed(tmp_path, moved, word="console")
