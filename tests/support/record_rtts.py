"""Recording of round-trip times on a practice lab: the noise of simulated comparisons.

Needs a running practice lab: `PYTHONPATH=.:tests python tests/support/record_rtts.py LAB FILE`. In each round all
tunnels are set up anew and are up side by side; then cycles of interleaved blocks are measured as an adaptive
comparison does. With `--busy` something else keeps one CPU of this computer busy meanwhile. Recordings of other
conditions in the same file are kept.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.discovery import discover_pair, find_link
from app.domain.adapters import Adapter
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts
from app.domain.link import Link
from app.domain.profiles import BLOCK_PINGS, FRAME_BYTES
from app.domain.results import LOST_RTT_US
from app.domain.solutions import Suite
from app.lab import Lab
from app.probes.blocks import BlockTarget, CycleRequest, TargetBlock, measure_cycle, warm_up
from app.tunnel import DeployRequest, temporary_group
from support.lab_sessions import connected
from support.recorded_rtts import LOST
from support.running_lab import lab_option, running_lab
from vpn_adapters.registry import ADAPTERS

SOLUTIONS = ("baseline", "wireguard", "openvpn-udp", "openvpn-tcp", "tinc")
BUSY_LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100_000))\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("file", type=Path)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--cycles", type=int, default=10)
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    with _load(is_busy=options.busy):
        recorded = record(lab, options.rounds, options.cycles)
    kept = dict(np.load(options.file)) if options.file.exists() else {}
    np.savez_compressed(options.file, **{**kept, "busy" if options.busy else "quiet": recorded})


def record(lab: Lab, rounds: int, cycles: int) -> npt.NDArray[np.uint16]:
    """Return round-trip times in µs, shape (rounds, cycles, targets, requests of a block), `LOST` without a reply."""
    with tempfile.TemporaryDirectory() as folder, connected(lab, Path(folder)) as sessions:
        facts = discover_pair(sessions, ADAPTERS, token=CancelToken())
        link = find_link(*facts, lab.pair.underlay_a, lab.pair.underlay_b)
        made = []
        for number in range(rounds):
            made.append(_round(lab, sessions, facts, link, cycles, random.Random(number)))  # noqa: S311 - an order, not a secret
            print(f"round {number + 1}: medians {np.median(made[-1], axis=(0, 2))} µs", flush=True)
        return np.array(made)


def _round(
    lab: Lab,
    sessions: SessionPair,
    facts: tuple[HostFacts, HostFacts],
    link: Link,
    cycles: int,
    order: random.Random,
) -> npt.NDArray[np.uint16]:
    requests = [
        DeployRequest(lab.pair, one, _suite(one, facts), link, *facts) for one in (ADAPTERS[name] for name in SOLUTIONS)
    ]
    token = CancelToken()
    with temporary_group(sessions, requests, token=token, on_stage=lambda *_: None, lease_s=120) as group:
        assert group.failures == {}, group.failures
        plans = [group.tunnels[position].plan for position in range(len(SOLUTIONS))]
        targets = [BlockTarget(plan.probe_address_b, plan.probe_address_a) for plan in plans]
        for target in targets:
            warm_up(sessions.a, target, token=token)
        return np.array([_cycle(sessions, targets, order, number) for number in range(cycles)])


def _cycle(
    sessions: SessionPair, targets: Sequence[BlockTarget], order: random.Random, number: int
) -> npt.NDArray[np.uint16]:
    places = order.sample(range(len(targets)), len(targets))
    request = CycleRequest(
        tuple(targets[place] for place in places), FRAME_BYTES, BLOCK_PINGS, number % len(FRAME_BYTES)
    )
    blocks = measure_cycle(sessions.a, request, token=CancelToken())
    by_place = dict(zip(places, blocks, strict=True))
    return np.array([_recorded(by_place[place]) for place in range(len(targets))])


def _recorded(block: TargetBlock) -> npt.NDArray[np.uint16]:
    rtt_us = np.concatenate(block.rtt_us)
    return np.where(rtt_us == LOST_RTT_US, LOST, np.minimum(rtt_us, LOST - 1)).astype(np.uint16)


def _suite(adapter: Adapter, facts: tuple[HostFacts, HostFacts]) -> Suite:
    return next(one for one in adapter.suites(*facts) if one.is_default)


@contextmanager
def _load(*, is_busy: bool) -> Iterator[None]:
    if not is_busy:
        yield
        return
    loop = subprocess.Popen([sys.executable, "-I", "-c", BUSY_LOOP])
    try:
        yield
    finally:
        loop.kill()
        loop.wait()


if __name__ == "__main__":
    main()
