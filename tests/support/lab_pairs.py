"""Pairs of running labs that are logged in to and looked at, once each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from app.discovery import discover_pair
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts
from app.domain.link import Link
from app.lab import Lab
from support.lab_sessions import connected
from vpn_adapters.registry import ADAPTERS

UNDERLAY = "192.0.2.1", "192.0.2.2"


@dataclass(frozen=True)
class LabPair:
    """Two gateways.

    Attributes:
        sessions: Connections as root.
        facts: What was found on A and B.
        link: Their underlay.
    """

    sessions: SessionPair
    facts: tuple[HostFacts, HostFacts]
    link: Link


class LabPairs:
    """The pairs of a run of tests.

    Args:
        lab_of: Gives the lab of two platforms.
        make_folder: Gives an empty folder for a connection's own files.
    """

    def __init__(self, lab_of: Callable[[str, str], Lab], make_folder: Callable[[], Path]) -> None:
        self._lab_of = lab_of
        self._make_folder = make_folder
        self._stack = ExitStack()
        self._opened: dict[tuple[str, str], tuple[SessionPair, tuple[HostFacts, HostFacts]]] = {}

    def get(self, platform_a: str, platform_b: str, *, is_swapped: bool = False) -> LabPair:
        """Return the pair of two platforms.

        Args:
            platform_a: Platform of the lab's A.
            platform_b: Platform of the lab's B.
            is_swapped: Whether the lab's B is to be the pair's A.
        """
        key = platform_a, platform_b
        if key not in self._opened:
            sessions = self._stack.enter_context(connected(self._lab_of(*key), self._make_folder()))
            self._opened[key] = sessions, discover_pair(sessions, ADAPTERS, token=CancelToken())
        sessions, (facts_a, facts_b) = self._opened[key]
        for host in (sessions.a, sessions.b):
            if not host.is_connected:
                host.reconnect(token=CancelToken())
        if is_swapped:
            return LabPair(SessionPair(sessions.b, sessions.a), (facts_b, facts_a), Link(*UNDERLAY[::-1]))
        return LabPair(sessions, (facts_a, facts_b), Link(*UNDERLAY))

    def close(self) -> None:
        """Log out everywhere; whoever asks for a pair afterwards is logged in anew."""
        self._opened.clear()
        self._stack.close()
