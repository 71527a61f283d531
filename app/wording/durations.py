"""Durations for people."""

from __future__ import annotations


def duration_text(seconds: float) -> str:
    """Return a duration: `45 s`, `4 min 12 s` or `2 h 5 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _both(whole // 60, "min", whole % 60, "s")
    return _both(whole // 3600, "h", whole % 3600 // 60, "min")


def _both(large: int, unit: str, small: int, smaller_unit: str) -> str:
    return f"{large} {unit} {small} {smaller_unit}" if small else f"{large} {unit}"
