"""The installed program, as end-to-end tests start it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).parent / "tunnelmark"
Run = Callable[..., Any]
"""Runs the program with some words and gives the finished process."""


def load(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))
