"""Widths of the columns of the studies page's tables."""

from __future__ import annotations

from collections.abc import Iterable

from ui.common.data_table import DataTable

_ROOM_PX = 24
"""Around a cell's text."""


def fit_columns(table: DataTable, columns: Iterable[int]) -> None:
    """Make columns as wide as their longest text and their header; the stretched one gets the rest."""
    header, letters = table.horizontalHeader(), table.fontMetrics()
    for column in columns:
        texts = (table.cell(row, column).text() for row in range(table.rowCount()))
        longest_px = max(map(letters.horizontalAdvance, texts), default=0) + _ROOM_PX
        header.resizeSection(column, max(longest_px, header.sectionSizeFromContents(column).width()))
    table.share_width()
