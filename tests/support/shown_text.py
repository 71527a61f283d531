"""Texts that a widget shows."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from ui.common.candidate_details import CandidateDetails


def shown_text(details: CandidateDetails) -> str:
    """Return the texts of the details of a candidate from top to bottom, a line each."""
    return "".join(f"{one.text()}\n" for one in details._scroll.content.findChildren(QLabel) if one.text())
