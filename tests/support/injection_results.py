"""Counts of the injection test's tests, written for the table of docs/security.md."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from app.domain.hosts import Side
from app.domain.injection import InjectionReport, TrialKind
from suite.injections import REFERENCE, REPLAY, WITH, Counted

RESULTS = "TUNNELMARK_INJECTION_RESULTS"
"""The environment's variable that names the file; without it nothing is written."""


def write(counted: Counted) -> None:
    """Add a line to the file, where one is named."""
    if path := os.environ.get(RESULTS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(counted)) + "\n")


def write_forged(
    solution: str, hosts: Sequence[str], case: str, counts: Sequence[Mapping[str, int]], copies: int
) -> None:
    """Write down what forged packets came to.

    Args:
        solution: The VPN.
        hosts: Platforms of A and B.
        case: See `suite.injections`.
        counts: Frames that came out on A and on B, by kind.
        copies: How many packets of each kind were sent.
    """
    for host, one in zip(hosts, counts, strict=True):
        write(Counted(solution, host, case, len(one), len(one) * copies, sum(one.values())))


def write_report(solution: str, hosts: Sequence[str], report: InjectionReport, *, is_reference: bool = False) -> None:
    """Write down what the program's own injection test came to: forged and replayed packets."""
    for host, side in zip(hosts, Side, strict=True):
        found = report.hosts[side.value]
        for case, kind in ((REFERENCE if is_reference else WITH, TrialKind.FORGED), (REPLAY, TrialKind.REPLAYED)):
            trials = found.of(kind)
            write(Counted(solution, host, case, len(trials), sum(one.sent for one in trials), found.entered(kind)))
