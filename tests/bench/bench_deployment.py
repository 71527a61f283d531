"""Time to deploy, to recover after faults, and to remove, for every solution.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_deployment.py NAME`. What was broken is over when
both hosts say that the tunnel is up, supervised and unchanged; that is asked every half second, which itself takes
about one. The load of the computer is printed beside it.
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidOption, TunnelmarkError
from app.domain.hosts import Side
from support.lab_deployment import Desk, desk_for
from support.lab_sessions import sh
from support.running_lab import lab_option, running_lab
from vpn_adapters.registry import ADAPTERS

OPTIONS = DeploymentOptions(legacy_reason="measured on the practice lab")
TAGGED = "grep -ls TUNNELMARK_TUNNEL= /proc/[0-9]*/environ | sed 's|/proc/||; s|/environ||'"
KILL = f"kill -s KILL $({TAGGED}; pgrep -f '[/]run/tunnelmark-') 2> /dev/null"
"""sshd writes its title over its environment, and has our folder in its command line."""
CUT_S = 12
RESTART_S = 240.0
LIMIT_S = 180.0


def seconds(work: Callable[[], object]) -> float:
    began_s = time.monotonic()
    work()
    return time.monotonic() - began_s


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
    """Delete the table that holds back unprotected frames, where there is one; it has to come back."""
    table = desk.services.deployments(desk.pair.name)[0].link.names.guard_table
    there = f"nft list tables | grep -c -w {table} || true"
    if sh(desk.host(Side.A), there).strip() == "0":
        raise InvalidOption("there is no such table")
    sh(desk.host(Side.A), f"nft delete table inet {table}")
    until = time.monotonic() + LIMIT_S
    while sh(desk.host(Side.A), there).strip() == "0":
        assert time.monotonic() < until, "nobody noticed"
        time.sleep(0.5)
    desk.wait_until_healthy(LIMIT_S)


def cut(desk: Desk) -> None:
    sh(desk.host(Side.B), f"ip link set eth1 down; sleep {CUT_S}; ip link set eth1 up")
    desk.wait_until_healthy(LIMIT_S)


def restart(desk: Desk, side: Side) -> None:
    sh(desk.host(side), "(sleep 0.5; systemctl reboot) > /dev/null 2>&1 &")
    time.sleep(8.0)
    desk.wait_until_healthy(RESTART_S)


def reported(what: str, work: Callable[[], object]) -> bool:
    """Do it and print how long it took; return whether it went well."""
    try:
        print(f"  {what}: {seconds(work):.1f} s", flush=True)
    except (AssertionError, TunnelmarkError) as error:
        print(f"  {what}: {str(error)[:300]}", flush=True)
        return False
    return True


def try_solution(desk: Desk, solution: str) -> None:
    print(f"{solution}, load {os.getloadavg()[0]:.1f}", flush=True)
    if not reported("deploy", lambda: desk.deploy(solution, OPTIONS)):
        return
    try:
        if reported("healthy after that", lambda: desk.wait_until_healthy(LIMIT_S)):
            break_in_every_way(desk)
    finally:
        reported("undeploy", desk.undeploy)


def break_in_every_way(desk: Desk) -> None:
    reported("daemon of A killed", lambda: kill(desk))
    reported("firewall table of A deleted", lambda: flush_firewall(desk))
    reported(f"underlay away for {CUT_S} s, with these", lambda: cut(desk))
    for side in reversed(Side):
        if reported(f"restart of {side.upper()}", partial(restart, desk, side)):
            ends = desk.status()
            own, other = (ends.a, ends.b) if side is Side.A else (ends.b, ends.a)
            print(f"    by {side.upper()} itself {own.boot_connect_s} s; missed by the other for {other.reconnect_s} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("--solutions", default=",".join(ADAPTERS))
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    with tempfile.TemporaryDirectory() as folder, desk_for(lab, Path(folder)) as desk:
        for solution in options.solutions.split(","):
            try_solution(desk, solution)


if __name__ == "__main__":
    main()
