"""Figures that earlier studies printed, to be shown beside a user's own results."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files

from app.wording.language import mark

STUDY_2011 = mark(
    "Kotuliak, Rybár, Trúchly: Performance Comparison of IPsec and TLS Based VPN Technologies, 2011, Table I. Other "
    "hosts, old versions, and tunnels of which some carry packets rather than frames: read the order, not the figures."
)


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One line of a study, as ratios to its own unprotected link.

    Attributes:
        solution: As the study calls it.
        cipher: As the study calls it.
        latency_vs_baseline: Mean response time divided by that of the bare link, mean of both directions.
        throughput_vs_baseline: The same for throughput.
    """

    solution: str
    cipher: str
    latency_vs_baseline: float
    throughput_vs_baseline: float


def published_2011() -> tuple[PublishedResult, ...]:
    """Return the results of 2011, the fastest response first.

    Source: resources/reference/ipsec_tls_2011.csv, where the study is named.
    """
    text = (files("resources") / "reference" / "ipsec_tls_2011.csv").read_text(encoding="utf-8")
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        both = sums[row["solution"], row["cipher"]]
        both[0] += float(row["response_avg_s"])
        both[1] += float(row["throughput_mbit_s"])
    bare_s, bare_mbit_s = sums.pop(("Ethernet", "none"))
    found = [
        PublishedResult(solution, cipher, response_s / bare_s, mbit_s / bare_mbit_s)
        for (solution, cipher), (response_s, mbit_s) in sums.items()
    ]
    return tuple(sorted(found, key=lambda one: one.latency_vs_baseline))
