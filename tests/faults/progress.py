"""What has been tried already: a file with one JSON object per line, so that a run that was broken off goes on."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faults.cells import CellResult


class Progress:
    """The progress file; its first line holds the seed.

    Args:
        path: Where it is.
        is_fresh: Whether to begin anew.
        seed: The seed of a run that begins anew; None for a random one.
    """

    def __init__(self, path: Path, *, is_fresh: bool, seed: str | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.results: dict[str, Mapping[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [] if is_fresh or not path.exists() else path.read_text(encoding="utf-8").splitlines()
        if lines and seed in (None, json.loads(lines[0])["seed"]):
            self.seed: str = json.loads(lines[0])["seed"]
            for line in lines[1:]:
                row = json.loads(line)
                self.results[row["key"]] = row
            return
        self.seed = seed or str(random.SystemRandom().randrange(10**6))
        path.write_text(json.dumps({"seed": self.seed}) + "\n", encoding="utf-8")

    def add(self, result: CellResult) -> None:
        """Write one result down."""
        row = result.as_data()
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            self.results[result.plan.key] = row

    def is_well(self, key: str) -> bool:
        """Say whether this was done already, and all was well."""
        return key in self.results and self.results[key]["outcome"] != "EXCEPTION"
