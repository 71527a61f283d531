"""How long it takes to roll out, to come back after faults, and to take back, for every solution.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_lasting.py NAME`. What was broken is over when both
hosts say that the tunnel is up, watched and unchanged; that is asked every half second, which itself takes about one.
The load of the computer is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from platformdirs import user_cache_path, user_state_path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.errors import EnvironmentFault, TunnelmarkError
from app.domain.hosts import Side
from app.domain.rollout import RolloutOptions
from app.lab import LabManager
from support.lab_rollout import Desk, desk_for
from support.lab_sessions import sh
from vpn_adapters.registry import ADAPTERS

OPTIONS = RolloutOptions(legacy_reason="measured on the practice lab")
DAEMONS = "grep -ls TUNNELMARK_TUNNEL= /proc/[0-9]*/environ | sed 's|/proc/||; s|/environ||'"
KILL = f'found=$({DAEMONS}); [ -z "$found" ] || kill -s KILL $found'
CUT_S = 12
RESTART_S = 240.0
LIMIT_S = 180.0


def seconds(work: Callable[[], object]) -> float:
    began_s = time.monotonic()
    work()
    return time.monotonic() - began_s


def wait_for(desk: Desk, limit_s: float) -> None:
    """Wait until all is well again; hosts that are away meanwhile are asked again."""
    until = time.monotonic() + limit_s
    while True:
        try:
            desk.wait_until_healthy(max(1.0, until - time.monotonic()))
        except EnvironmentFault:
            if time.monotonic() >= until:
                raise
        else:
            return


def kill(desk: Desk) -> None:
    """Kill the daemons of A; where the kernel does it all, delete the interface."""
    before = desk.status().a.restarts
    link = desk.services.deployments(desk.pair.name)[0].link
    sh(desk.host(Side.A), f"{KILL}; ip link del {link.names.wireguard_interface} 2> /dev/null; true")
    until = time.monotonic() + LIMIT_S
    while desk.status().a.restarts == before:
        assert time.monotonic() < until, "nobody noticed"
        time.sleep(0.5)
    desk.wait_until_healthy(LIMIT_S)


def flush_firewall(desk: Desk) -> None:
    sh(desk.host(Side.A), "nft list tables | grep tml | sed 's/^/delete /' > /run/nft.del; nft -f /run/nft.del")
    time.sleep(3.0)
    desk.wait_until_healthy(LIMIT_S)


def cut(desk: Desk) -> None:
    sh(desk.host(Side.B), f"ip link set eth1 down; sleep {CUT_S}; ip link set eth1 up")
    desk.wait_until_healthy(LIMIT_S)


def restart(desk: Desk, side: Side) -> None:
    sh(desk.host(side), "(sleep 0.5; systemctl reboot) > /dev/null 2>&1 &")
    time.sleep(8.0)
    wait_for(desk, RESTART_S)


def told(desk: Desk, what: str, work: Callable[[], object]) -> bool:
    """Do it and print how long it took; return whether it went well."""
    try:
        print(f"  {what}: {seconds(work):.1f} s", flush=True)
    except (AssertionError, TunnelmarkError) as error:
        print(f"  {what}: {str(error)[:300]}", flush=True)
        return False
    return True


def try_solution(desk: Desk, solution: str) -> None:
    print(f"{solution}, load {os.getloadavg()[0]:.1f}", flush=True)
    if not told(desk, "deploy", lambda: desk.deploy(solution, OPTIONS)):
        return
    desk.wait_until_healthy(LIMIT_S)
    told(desk, "daemon of A killed", lambda: kill(desk))
    told(desk, "firewall of A emptied", lambda: flush_firewall(desk))
    told(desk, f"underlay away for {CUT_S} s, with these", lambda: cut(desk))
    for side in reversed(Side):
        told(desk, f"restart of {side.upper()}", partial(restart, desk, side))
        ends = desk.status()
        own = ends.a if side is Side.A else ends.b
        other = ends.b if side is Side.A else ends.a
        print(f"    by {side.upper()} itself {own.boot_connect_s} s; the other end missed it for {other.reconnect_s} s")
    told(desk, "undeploy", desk.undeploy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", help="name of a running practice lab")
    parser.add_argument("--solutions", default=",".join(ADAPTERS))
    options = parser.parse_args()
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=user_state_path("tunnelmark") / "labs")
    lab = manager.find(options.lab)
    if lab is None:
        parser.error(f"there is no lab {options.lab}")
    with tempfile.TemporaryDirectory() as folder, desk_for(lab, Path(folder)) as desk:
        for solution in options.solutions.split(","):
            try_solution(desk, solution)


if __name__ == "__main__":
    main()
