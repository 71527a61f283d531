"""Pairs of running labs, logged in to and inspected once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.discovery import discover_pair
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts
from app.domain.link import Link
from app.lab import Lab
from support.adapter_cases import LEGACY_PLATFORM, LIBRESWAN_PLATFORM
from support.lab_sessions import connected
from vpn_adapters.registry import ADAPTERS

UNDERLAY = "192.0.2.1", "192.0.2.2"
NEWEST = "debian-13", "debian-13"
OLD = "debian-11", "debian-11"
LEGACY = LEGACY_PLATFORM, LEGACY_PLATFORM
LIBRESWAN = LIBRESWAN_PLATFORM, LIBRESWAN_PLATFORM
"""Images of these two are made for `make test-full` alone."""
MIXED = "debian-11", "debian-13"
"""Pair of every run: the programs of both platforms at once."""


@dataclass(frozen=True)
class Platforms:
    """Pair of gateways that a test is for.

    Attributes:
        of_lab: Platforms of the lab's A and B.
        is_swapped: Whether the lab's B is the pair's A.
    """

    of_lab: tuple[str, str]
    is_swapped: bool = False

    def __str__(self) -> str:
        names = self.of_lab[::-1] if self.is_swapped else self.of_lab
        return "-and-".join(dict.fromkeys(names))


ALL = Platforms(MIXED), Platforms(MIXED, is_swapped=True), Platforms(NEWEST), Platforms(OLD)


def each_pair(in_every_run: Platforms, pairs: Iterable[Platforms] = ALL) -> list[object]:
    """Return parameters for tests of tunnels: one pair in every run, all others in `make test-full`."""
    return [pytest.param(one, id=str(one), marks=() if one == in_every_run else pytest.mark.full) for one in pairs]


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

    def of(self, platforms: Platforms) -> LabPair:
        """Return the pair that a test is for."""
        return self.get(*platforms.of_lab, is_swapped=platforms.is_swapped)

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
        """Log out everywhere; a pair that is asked for afterwards is logged in to anew."""
        self._opened.clear()
        self._stack.close()
