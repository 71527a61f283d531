"""Published transfer times over satellite links, and the study's comparisons of them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from app.domain.transfers import TransferCell

STUDY = "Guilloteau, Pradas, Pelat, Kuhn: Recommendations on using VPN over SATCOM, 2021, Fig. 2"

TRANSFER_BYTES = 30_000_000
"""Size of the study's transfers. Source: the study, section III."""

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
