"""Durations for people."""

from __future__ import annotations


def duration_text(seconds: float) -> str:
    """Return a duration: `45 s`, `4:12 min` or `2:05 h`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
