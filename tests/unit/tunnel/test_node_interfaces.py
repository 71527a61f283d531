"""Interfaces and routes of nodes that are machines: none that SSH or the default route needs is taken."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.script_files import bare_script

_IN_NAMESPACES = ("unshare", "-n", "-m", "-p", "-f", "--mount-proc")
_NETWORK = """
mount --make-rprivate / && mount -t sysfs sysfs /sys || exit 9
ip link set lo up
for name in eth1 eth2; do ip link add $name type veth peer name far-$name; done
ip addr add 192.0.2.1/24 dev eth1
for name in eth1 far-eth1 far-eth2; do ip link set $name up; done
"""
_STATE = (
    "ip -o -4 addr show; cat /sys/class/net/eth2/mtu /sys/class/net/eth2/address /sys/class/net/eth2/flags; "
    "ip -4 route show | sed 's/ linkdown//'"
)
"""Without what the kernel adds itself a moment after an interface is up."""
_ELSEWHERE = "192.0.2.9 50000 192.0.2.1 22"
_HERE = "198.51.100.7 50000 198.51.100.1 22"
_WITH_ADDRESS = "ip link set eth2 up; ip addr add 198.51.100.1/24 dev eth2"
_ABOVE = (
    "ip link set eth2 up; ip link add link eth2 name above0 type macvlan; ip addr add 198.51.100.1/24 dev above0; "
    "ip link set above0 up"
)
_ROUTE = f"{_WITH_ADDRESS}; ip route add default via 198.51.100.254 dev eth2"
_ROUTE_OF_IPV6 = "ip link set eth2 up; ip -6 route add default via fe80::1 dev eth2"

SCRIPTS = {
    "lan-on.sh": ("folder", "user", "eth2", "0"),
    "routed-machine.sh": ("eth2", "198.18.0.2/30", "198.18.0.1/30", "1400", "198.18.0.4/30", "notes/node"),
    "bridged-machine.sh": ("eth2", "198.18.0.2/24", "1400", "02:00:00:00:00:0a", "notes/node"),
}
SHELLS = [shell for shell in ("dash", "busybox sh", "bash --posix") if shutil.which(shell.split()[0])]
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="network namespaces need root"
)


def ran(
    folder: Path, name: str, network: str, *, ssh: str, words: tuple[str, ...] = (), shell: str = "dash"
) -> tuple[int, str, list[str]]:
    """Return exit status, output, and state before and after, of a script that sudo runs for a login over SSH."""
    script = folder / "script.sh"
    script.write_text(bare_script(f"nodes/{name}"), encoding="utf-8")
    # The shell remains between the connection and sudo, which takes the variable away, as the shell of a login does.
    line = f'env -i PATH="$PATH" {shell} {script} "$@"; exit $?'
    login = f'env SSH_CONNECTION="{ssh}" sh -c "$line" sh "$@"'
    run = f"({_STATE}) > before\n{login}\nstatus=$?\n({_STATE}) > after\nexit $status"
    whole = f"{_NETWORK}{network}\n{run}"
    done = subprocess.run(
        [*_IN_NAMESPACES, "sh", "-c", whole, "sh", *words],
        cwd=folder,
        env={**os.environ, "line": line},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode != 9, done.stderr
    return done.returncode, done.stdout + done.stderr, [(folder / one).read_text() for one in ("before", "after")]


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize(
    ("network", "ssh", "words"),
    [
        (_WITH_ADDRESS, _HERE, "The SSH connection to this host runs over eth2"),
        (_ABOVE, _HERE, "The SSH connection to this host runs over eth2"),
        (_ROUTE, _ELSEWHERE, "The default route of this host leaves by eth2"),
        (_ROUTE_OF_IPV6, _ELSEWHERE, "The default route of this host leaves by eth2"),
        (_WITH_ADDRESS, "", "It cannot be seen whether this host needs eth2"),
        (_ABOVE, "", "It cannot be seen whether this host needs eth2"),
    ],
    ids=["ssh", "above", "route", "ipv6", "unknown", "unknown-above"],
)
def test_an_interface_that_the_machine_needs_is_refused_before_anything_is_changed(
    tmp_path: Path, script: str, network: str, ssh: str, words: str
) -> None:
    status, output, (before, after) = ran(tmp_path, script, network, ssh=ssh, words=SCRIPTS[script])
    assert (status, words in output) == (1, True), output
    assert after == before
    assert not {"folder", "notes"} & {one.name for one in tmp_path.iterdir()}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_an_interface_that_nothing_needs_is_taken(tmp_path: Path, script: str, shell: str) -> None:
    network = "" if script == "lan-on.sh" else "ip link set eth2 up"
    status, output, (before, after) = ran(tmp_path, script, network, ssh=_ELSEWHERE, words=SCRIPTS[script], shell=shell)
    assert status == 0, output
    assert after != before


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("peer", "status", "words"),
    [
        ("192.0.2.2", 0, ""),
        ("203.0.113.7", 1, "203.0.113.7 is reached through the router 192.0.2.254, which has no route to the nodes"),
    ],
)
def test_nodes_without_a_vpn_are_routed_to_a_peer_in_the_gateways_own_network_alone(
    tmp_path: Path, peer: str, status: int, words: str, shell: str
) -> None:
    network = "ip route add 203.0.113.0/24 via 192.0.2.254; ip link set eth2 up"
    arguments = ("eth2", "198.19.0.1/25", "198.19.0.128/25", peer, "", "notes/node")
    ended, output, (_, after) = ran(tmp_path, "routed-lan.sh", network, ssh=_ELSEWHERE, words=arguments, shell=shell)
    assert (ended, words in output) == (status, True), output
    assert (f"198.19.0.128/25 via {peer} dev eth1" in after) is (status == 0)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("network", "ssh", "printed"),
    [
        ("", _ELSEWHERE, ""),
        (_WITH_ADDRESS, _HERE, "ssh"),
        (_ROUTE, _ELSEWHERE, "route"),
        (_WITH_ADDRESS, "", "unknown"),
    ],
    ids=["free", "ssh", "route", "unknown"],
)
def test_a_machine_says_what_an_interface_is_needed_for(
    tmp_path: Path, shell: str, network: str, ssh: str, printed: str
) -> None:
    status, output, (before, after) = ran(tmp_path, "needed-for.sh", network, ssh=ssh, words=("eth2",), shell=shell)
    assert (status, output.strip()) == (0, printed)
    assert after == before


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("was", ["0", "1"])
def test_gro_is_off_until_the_last_tunnel_that_needs_the_interface_is_gone(
    tmp_path: Path, shell: str, was: str
) -> None:
    for name in ("lan-on.sh", "lan-off.sh"):
        (tmp_path / name).write_text(bare_script(f"nodes/{name}"), encoding="utf-8")
    show = "gro eth2; cat /sys/class/net/eth2/flags"
    lines = (
        *(_NETWORK, bare_script("nodes/gro.sh"), "set -e", f"gro eth2 {was}", show),
        *(f"{shell} lan-on.sh folder one eth2 0 single", show, f"{shell} lan-on.sh folder two eth2 0 single"),
        *(f"{shell} lan-off.sh folder one eth2", show, f"{shell} lan-off.sh folder two eth2", show),
        *(f"{shell} lan-off.sh folder two eth2", f"{shell} lan-on.sh folder one eth2 0", show, "ls folder"),
    )
    done = subprocess.run(
        [*_IN_NAMESPACES, "sh", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    down, up = "0x1002", "0x1003"
    as_before, taken = [was, down], ["0", up]
    words = done.stdout.split()
    states, kept = [words[nth : nth + 2] for nth in range(0, 10, 2)], words[10:]
    assert states == [as_before, taken, taken, as_before, [was, up]], "without the last word GRO remains as it is"
    assert not any(name.endswith((".gro", ".new")) for name in kept)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_host_without_perl_names_the_package_that_sets_gro(tmp_path: Path, shell: str) -> None:
    program, *words = shell.split()
    done = subprocess.run(
        [str(shutil.which(program)), *words, "-c", f"{bare_script('nodes/gro.sh')}\nset -e\ngro eth2 0\necho on"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "perl is missing: install perl-base.\n")
