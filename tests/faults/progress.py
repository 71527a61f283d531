"""Record of trials: a file with one JSON object per line, so that a run that was broken off goes on.

Results are those of the code that was tried, and of how it was tried: after a change of it, all is begun anew. What
went wrong once is kept beside what came of it later, because a fault that is seen at every other try is one.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import app
from faults.cells import EXCEPTION, CellResult

CODE = ("app", "vpn_adapters", "resources", "tests/faults")
"""Folders with what is tried (Tunnelmark itself, its adapters, and the scripts for hosts), and with what judges it."""


def code_digest(root: Path | None = None) -> str:
    """Return a digest of all that is tried.

    Args:
        root: The folder that holds the code's folders; None for that of the code which runs here.
    """
    root = root or Path(app.__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(path for name in CODE for path in (root / name).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(root)} {content}\n".encode())
    return digest.hexdigest()[:16]


class Progress:
    """The progress file; its first line holds the seed and what code was tried.

    Args:
        path: Where it is.
        is_fresh: Whether to begin anew.
        seed: The seed of a run that begins anew; None for a random one.
        digest: Of the code that is tried; results of other code are begun anew.
    """

    def __init__(self, path: Path, *, is_fresh: bool, seed: str | None, digest: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.results: dict[str, Mapping[str, Any]] = {}
        """The last result of each plan, by its key."""
        path.parent.mkdir(parents=True, exist_ok=True)
        header, *rows = [{}] if is_fresh or not path.exists() else _whole_lines(path) or [{}]
        self.is_outdated = bool(header) and header.get("digest") != digest
        """Whether there were results, of other code."""
        if self.is_outdated:
            rows = []
        self.exceptions = [row for row in rows if row["outcome"] == EXCEPTION]
        """Failures with this code, also with other seeds, in the order of trials."""
        if header and not self.is_outdated and seed in (None, header["seed"]):
            self.seed: str = header["seed"]
            self.results = {row["key"]: row for row in rows}
        else:
            self.seed = seed or str(random.SystemRandom().randrange(10**6))
            rows = self.exceptions
        # Written anew, because who ends this program in the midst of a line leaves half of it.
        _write(path, [{"seed": self.seed, "digest": digest}, *rows])

    def add(self, result: CellResult) -> None:
        """Write one result down."""
        row = result.as_data()
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            self.results[result.plan.key] = row
            if not result.is_well:
                self.exceptions.append(row)

    def is_well(self, key: str) -> bool:
        """Return whether this was done already, and all was well."""
        return key in self.results and self.results[key]["outcome"] != EXCEPTION


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)
