"""Duration and figures of probes, against the same commands run by hand on the same hosts.

By hand against by hand is measured as well: the noise of the comparison.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_probes.py NAME`. What is compared: see by_hand.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.profiles import FRAME_BYTES
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
    found = compare(lab, rounds=options.rounds, pings=options.pings, seconds=options.seconds)
    print(f"{options.rounds} rounds, {options.pings} requests per size, {options.seconds} s of TCP per direction")
    print("Ratios are medians over rounds, each to ping by hand in the same round; control: ping by hand once more.")
    for what in ("latency_s", "throughput_s", "total_s"):
        bare = [getattr(one, what) for one in found.by_hand]
        ours, control = (
            [getattr(one, what) / b for one, b in zip(way, bare, strict=True)] for way in (found.ours, found.control)
        )
        least = min(getattr(one, what) for one in found.ours) / min(bare)
        print(
            f"{what:13} by hand {statistics.median(bare):6.2f} s  Tunnelmark {statistics.median(ours):.3f}  "
            f"control {statistics.median(control):.3f}  least over least {least:.3f}"
        )
    for index, size in enumerate(FRAME_BYTES):
        bare = [one.medians_ms[index] for one in found.by_hand]
        ours, control = (
            statistics.median(one.medians_ms[index] / b for one, b in zip(way, bare, strict=True)) - 1
            for way in (found.ours, found.control)
        )
        print(
            f"median RTT {size:5} B  by hand {statistics.median(bare):.3f} ms  Tunnelmark {ours * 100:+.1f} %  "
            f"control {control * 100:+.1f} %"
        )
    ready = statistics.median(one.ready_s for one in found.ours)
    print(f"Preparations before the latency phase (server of TCP, counters): {ready:.2f} s")


if __name__ == "__main__":
    main()
