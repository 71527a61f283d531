"""How long probes take, and what they measure, against the same commands run by hand on the same hosts.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_probes.py NAME`. What is compared: see by_hand.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.results import FRAME_BYTES
from support.by_hand import compare
from support.running_lab import lab_option, running_lab


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--pings", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    ours, bare = compare(lab, rounds=options.rounds, pings=options.pings, seconds=options.seconds)
    print(f"{options.rounds} rounds, {options.pings} requests per size, {options.seconds} s of TCP per direction")
    for what in ("latency_s", "throughput_s", "total_s"):
        mine = [getattr(one, what) for one in ours]
        theirs = [getattr(one, what) for one in bare]
        ratio = sum(mine) / sum(theirs)
        best = min(mine) / min(theirs)
        each = ", ".join(f"{a / b:.2f}" for a, b in zip(mine, theirs, strict=True))
        means = statistics.mean(mine), statistics.mean(theirs)
        print(f"{what:13} Tunnelmark {means[0]:6.2f}  by hand {means[1]:6.2f}  ratio {ratio:.3f}")
        print(
            f"{'':13} least      {min(mine):6.2f}          {min(theirs):6.2f}  ratio {best:.3f}  (each round: {each})"
        )
    for index, size in enumerate(FRAME_BYTES):
        mine = [one.medians_ms[index] for one in ours]
        theirs = [one.medians_ms[index] for one in bare]
        difference = statistics.median(mine) / statistics.median(theirs) - 1
        print(
            f"median RTT {size:5} B  Tunnelmark {statistics.median(mine):.3f} ms  "
            f"by hand {statistics.median(theirs):.3f} ms  {difference * 100:+.1f} %"
        )


if __name__ == "__main__":
    main()
