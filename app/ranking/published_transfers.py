"""Published transfer times over satellite links, the study's comparisons of them, and how well own ones agree."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from types import MappingProxyType

import numpy as np

from app.domain.transfers import Agreement, TransferCell

STUDY = "Guilloteau, Pradas, Pelat, Kuhn: Recommendations on using VPN over SATCOM, 2021, Fig. 2"

TRANSFER_BYTES = 30_000_000
"""Size of the study's transfers. Source: the study, section III."""

ALIKE = 0.05
"""Published times that differ by no more than this share are not compared. Source: our choice."""

_ORBITS = {("GEO", "no"): "geo", ("GEO", "yes"): "geo-loss", ("LEO", "no"): "leo", ("LEO", "yes"): "leo-loss"}


@cache
def published_transfers() -> Mapping[TransferCell, float]:
    """Return the study's transfer times in s by cell.

    Source: resources/reference/satcom_transfer_s.csv, where the study is named.
    """
    text = (files("resources") / "reference" / "satcom_transfer_s.csv").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        cell = TransferCell(_ORBITS[row["orbit"], row["loss"]], row["transport"], row["vpn"], row["pep"])
        found[cell] = float(row["seconds"])
    return MappingProxyType(found)


def difference_pct(row_s: float, column_s: float) -> int:
    """Return by how much the column is faster than the row, in whole percent of the row; negative where it is slower.

    Source: the study, Fig. 3 to 6, which print (row - column) / row.
    """
    return round(100.0 * (row_s - column_s) / row_s)


def agreement(own_s: Mapping[TransferCell, float], published_s: Mapping[TransferCell, float]) -> Agreement:
    """Compare the order of own transfer times with the published one.

    Args:
        own_s: Own times in s.
        published_s: Published ones.

    Returns:
        Over the cells that both have, pairs within one condition and across them alike.
    """
    shared = sorted(own_s.keys() & published_s.keys())
    apart = [
        (one, other)
        for one, other in combinations(shared, 2)
        if abs(published_s[one] - published_s[other]) > ALIKE * min(published_s[one], published_s[other])
    ]
    against = [
        (one, other)
        for one, other in apart
        if (published_s[one] - published_s[other]) * (own_s[one] - own_s[other]) <= 0
    ]
    against.sort(key=lambda pair: -abs(np.log(published_s[pair[0]] / published_s[pair[1]])))
    return Agreement(len(apart), len(apart) - len(against), _spearman(own_s, published_s, shared), tuple(against))


def _spearman(
    own_s: Mapping[TransferCell, float], published_s: Mapping[TransferCell, float], cells: Sequence[TransferCell]
) -> float | None:
    """Return Spearman's rank correlation; None with fewer than three cells, or where one side is all alike."""
    if len(cells) < 3:
        return None
    from scipy.stats import spearmanr

    value = float(spearmanr([own_s[one] for one in cells], [published_s[one] for one in cells]).statistic)
    return None if np.isnan(value) else value
