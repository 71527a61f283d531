"""Time to build and remove the tunnel of every solution.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_deploy.py NAME`. The limit is for set-up and
clean-up together, on a lab without anything else on the computer; the load of the computer is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.cancel import CancelToken
from app.tunnel import ActiveTunnel, temporary_tunnel
from support.lab_deploy import Bench, find_out
from support.lab_sessions import connected
from support.running_lab import lab_option, running_lab
from vpn_adapters.registry import ADAPTERS

LIMIT_S = 6.0
WAITS_S = {"macsec": 4.0}
"""Time that a protocol's own timers add: MKA speaks every 2 s (MKA Hello Time); an agreement takes two rounds."""


def up_and_down(bench: Bench, solution: str) -> ActiveTunnel:
    """Build a tunnel and remove it again."""
    with temporary_tunnel(
        bench.sessions, bench.request(solution), token=CancelToken(), on_stage=lambda *_: None, lease_s=60
    ) as tunnel:
        pass
    return tunnel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--solutions", default=",".join(ADAPTERS))
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    is_slow = False
    with tempfile.TemporaryDirectory() as folder, connected(lab, Path(folder)) as sessions:
        bench = Bench(lab.pair, sessions, find_out(sessions))
        for solution in options.solutions.split(","):
            if not ADAPTERS[solution].suites(*bench.facts):
                print(f"{solution:12} is not there on both gateways")
                continue
            tunnels = [up_and_down(bench, solution) for _ in range(options.rounds)]
            totals = [tunnel.setup_s + tunnel.cleanup_s for tunnel in tunnels]
            phases = {
                phase: statistics.median(tunnel.timings_s[phase] for tunnel in tunnels if phase in tunnel.timings_s)
                for phase in tunnels[0].timings_s
            }
            median = statistics.median(totals)
            limit_s = LIMIT_S + WAITS_S.get(solution, 0.0)
            is_slow = is_slow or median > limit_s
            print(
                f"{solution:12} median {median:5.2f} s  {min(totals):5.2f} to {max(totals):5.2f} s  limit {limit_s:g} s"
            )
            print("             " + ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in phases.items()))
    print(f"load of this computer now: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    sys.exit(1 if is_slow else 0)


if __name__ == "__main__":
    main()
