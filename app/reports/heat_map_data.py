"""Heat maps as data for programs: those that window and reports show."""

from __future__ import annotations

from collections.abc import Iterable

from app.ranking.heat_maps import HeatMap, HeatRows


def heat_map_data(maps: Iterable[HeatMap]) -> list[dict[str, object]]:
    """Return maps as data; docs/data-format.md explains the keys.

    Args:
        maps: The maps, with texts as they are to be written: they are made within `source_language`.
    """
    return [
        {
            "title": found.title,
            "rows": list(found.names),
            "columns": list(found.names),
            "own": _rows(found.own),
            "published": _rows(found.published),
            "pairs": found.agreement.pairs,
            "same": found.agreement.same,
            "rank_correlation": found.agreement.correlation,
            "against": [list(pair) for pair in found.agreement.against],
            "missing": list(found.missing),
            "failed": list(found.failed),
            "notes": list(found.notes),
        }
        for found in maps
    ]


def _rows(rows: HeatRows) -> list[list[dict[str, int | None] | None]]:
    return [
        [None if value is None else {"order": value.order, "percent": value.percent} for value in row] for row in rows
    ]
