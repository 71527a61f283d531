"""Progress of a long job."""

from __future__ import annotations

from collections.abc import Callable

ProgressSink = Callable[[str, float | None], None]
"""Gets a sentence and a fraction (0 to 1, or None while unknown) of a long job."""
