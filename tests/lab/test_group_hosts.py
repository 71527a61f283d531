"""Tunnels of four VPNs side by side on hosts made of namespaces; afterwards both hosts are as before, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.tunnel import ActiveTunnel, temporary_group
from support.bare_tunnel import ping
from support.killing import kill_tunnelmark, wait_until_back
from support.lab_deploy import Altered, shell_step
from support.lab_sessions import sh
from support.net_bench import NetBench
from support.tunnel_state import still_up
from support.waiting import wait_until
from vpn_adapters.registry import ADAPTERS

pytestmark = pytest.mark.usefixtures("net_unchanged")

SOLUTIONS = ("openvpn-udp", "openvpn-tcp", "tinc", "ssh")
PROGRAMS = {"openvpn-udp": "openvpn", "openvpn-tcp": "openvpn", "tinc": "tincd", "ssh": "ssh"}
LEASE_S = 60
"""So long that no renewal is too late on a busy computer; its end is moved to now, not waited for."""
BACK_S = 240.0
"""Time limit for a busy computer until both hosts are as before, in seconds."""


def _check_crossing(net: NetBench, tunnel: ActiveTunnel) -> None:
    """See that large frames cross, and by this tunnel's own interface."""
    name = tunnel.plan.a.interface
    assert name == tunnel.link.names.ethernet_interface
    before = _sent(net, name)
    assert ping(net.sessions.a, tunnel.plan.probe_address(Side.B), frame_bytes=1514, count=10) >= 10
    assert _sent(net, name) - before >= 10


def _sent(net: NetBench, interface: str) -> int:
    return int(sh(net.sessions.a, f"cat /sys/class/net/{interface}/statistics/tx_packets"))


def _check_processes(net: NetBench, tunnel: ActiveTunnel) -> set[int]:
    """See that the processes on A are those of the tunnel's own program; return them."""
    own: dict[int, str] = {}

    def are_its_own() -> bool:
        own.clear()
        for pid in tunnel.daemon_pids(Side.A):
            if name := sh(net.sessions.a, f"cat /proc/{pid}/comm 2> /dev/null || :").strip():
                own[pid] = name
        # What sshd runs for the tunnel's user is among them.
        others = {name for name in own.values() if not name.startswith(PROGRAMS[tunnel.plan.solution])}
        return bool(own) and others <= {"cat"}

    wait_until(are_its_own, f"no other processes than those of {tunnel.plan.solution}; a helper ends soon")
    return set(own)


def test_four_tunnels_carry_frames_side_by_side_and_one_fails_alone(net: NetBench) -> None:
    failing = Altered(ADAPTERS["tinc"], Side.B, shell_step("Go wrong", "echo no such luck >&2; exit 3"))
    requests = [*(net.request(one) for one in SOLUTIONS), net.request("tinc", failing), net.request("baseline")]
    with temporary_group(net.sessions, requests, token=CancelToken(), on_stage=lambda *_: None, lease_s=120) as group:
        assert {position: str(error) for position, error in group.failures.items() if position != 4} == {}
        assert isinstance(group.failures[4], CommandFailed)
        assert "no such luck" in group.failures[4].context["output"]
        assert sorted(group.tunnels) == [0, 1, 2, 3, 5]
        tunnels = [group.tunnels[position] for position in range(len(SOLUTIONS))]
        for tunnel in tunnels:
            assert still_up(tunnel)
            _check_crossing(net, tunnel)
        processes = [_check_processes(net, tunnel) for tunnel in tunnels]
        assert len(set().union(*processes)) == sum(len(one) for one in processes)
        for host in (net.sessions.a, net.sessions.b):
            assert "tmk5" not in sh(host, "ip -o link")
            assert sh(host, f"ls -d {STATE_DIR}/tunnel-5 2> /dev/null || :") == ""
            done = sh(host, f"cd {STATE_DIR}/journal && grep -lx '# done' * || :").split()
            assert done
            assert all(number.startswith("5") for number in done)


def test_killed_with_four_tunnels_up_the_hosts_roll_back_when_the_lease_ends(net: NetBench, tmp_path: Path) -> None:
    kill_tunnelmark(net, tmp_path, "standing", ",".join(SOLUTIONS), LEASE_S)
    assert all(f"tmk{number}" in sh(net.sessions.a, "ip -o link") for number in range(len(SOLUTIONS)))
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)


@pytest.mark.parametrize("stage", ["identity", "apply", "verify"])
def test_killed_while_four_tunnels_are_built_the_hosts_roll_back(net: NetBench, tmp_path: Path, stage: str) -> None:
    kill_tunnelmark(net, tmp_path, stage, ",".join(SOLUTIONS), LEASE_S)
    wait_until_back(net.sessions, timeout_s=BACK_S, ends_leases=True)
