"""Duration and figures of probes, against the same commands run by hand on the same hosts.

By hand against by hand is measured as well: the noise of the comparison. Whether medians are within 2 % of those by
hand follows from pairs: what Tunnelmark and ping by hand found in the same round, of many rounds (`--rounds 20`).

With `--latency-only`, latency is measured alone, by hand before and after each time, so that a lab whose speed changes
from minute to minute tells smaller differences.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_probes.py NAME`. What is compared: see by_hand.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.profiles import FRAME_BYTES, FRAME_WEIGHTS
from support.by_hand import Chain, Outcome, Rounds, alternate, compare
from support.paired import PairedEstimate, estimate, paired, weighted_logs
from support.running_lab import lab_option, running_lab

MARGIN = 0.02
"""Share by which medians may differ from those by hand."""


def print_pairs(found: Rounds) -> None:
    """Print the paired estimates of each size, and weighted over the sizes."""

    def by_size(one: list[Outcome], index: int) -> list[float]:
        return [each.medians_ms[index] for each in one]

    def weighted(one: list[Outcome]) -> PairedEstimate:
        pairs = ([each.medians_ms for each in way] for way in (one, found.by_hand))
        return estimate(weighted_logs(*pairs, FRAME_WEIGHTS))

    print(f"Medians in pairs with ping by hand, 95 % interval; claim: within {100 * MARGIN:.0f} %")
    for index, size in enumerate(FRAME_BYTES):
        bare = by_size(found.by_hand, index)
        ours, control = (paired(by_size(one, index), bare) for one in (found.ours, found.control))
        print(f"{size:8} B  Tunnelmark {_text(ours)}  control {_text(control)}")
    print(f"weighted    Tunnelmark {_text(weighted(found.ours))}  control {_text(weighted(found.control))}")


def print_chain(found: Chain) -> None:
    """Print what latency alone has, against what was measured by hand before and after it."""
    ways = {"Tunnelmark": (found.ours, found.beside()), "control": found.control()}
    for index, size in enumerate(FRAME_BYTES):
        texts = [
            f"{name} {_text(paired([each[index] for each in one], [each[index] for each in other]))}"
            for name, (one, other) in ways.items()
        ]
        print(f"{size:8} B  {'  '.join(texts)}")
    texts = [f"{name} {_text(estimate(weighted_logs(*way, FRAME_WEIGHTS)))}" for name, way in ways.items()]
    print(f"weighted    {'  '.join(texts)}")


def _text(found: PairedEstimate) -> str:
    median, low, high = found.percent
    return f"{median:+.1f} % ({low:+.1f} to {high:+.1f}), {found.claim(MARGIN)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--pings", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--latency-only", action="store_true")
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    if options.latency_only:
        print(f"{options.rounds} times, {options.pings} requests per size; medians to those by hand before and after")
        print_chain(alternate(lab, rounds=options.rounds, pings=options.pings))
        return
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
    print_pairs(found)
    ready = statistics.median(one.ready_s for one in found.ours)
    print(f"Preparations before the latency phase (server of TCP, counters): {ready:.2f} s")


if __name__ == "__main__":
    main()
