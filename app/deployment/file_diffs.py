"""Differences of files on hosts, as deployment asks for them."""

from __future__ import annotations

from typing import Protocol


class FileDiffs(Protocol):
    """Shows how files on hosts differ, with secrets masked.

    Which words of a file are secret is known to the readers of the VPNs' configuration files, which lie above.
    """

    def changed_by_hand(self, known: str, found: str, path: str) -> str:
        """Return how a file on a host differs from what was deployed."""
        ...

    def would_change(self, found: str | None, wanted: str, path: str) -> str:
        """Return what a deployment would change in a file on a host; None stands for a file that is not there."""
        ...
