"""A pair as a file, for programs of their own that a test kills."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from app.domain.hosts import AuthKind, HostSpec, PairSpec


def save_pair(pair: PairSpec, path: Path) -> Path:
    """Write down how to reach a pair; return where."""
    path.write_text(json.dumps(asdict(pair)))
    return path


def load_pair(path: Path) -> PairSpec:
    """Return what was written down."""
    stored = json.loads(path.read_text())
    hosts = {side: HostSpec(**{**stored[side], "auth": AuthKind(stored[side]["auth"])}) for side in ("a", "b")}
    return PairSpec(**{**stored, **hosts})
