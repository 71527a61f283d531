"""The effort of a full mesh of sites."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PerSite:
    """Number of things that one site of a full mesh of N sites needs: `factor` x N + `constant`.

    Source: the method of Khanvilkar and Khokhar 2004, Table 5.
    """

    factor: int
    constant: int

    def count(self, sites: int) -> int:
        """Return how many it is for a number of sites."""
        return self.factor * sites + self.constant

    def __str__(self) -> str:
        if self.factor == 0:
            return str(self.constant)
        if self.constant == -self.factor:
            return "N-1" if self.factor == 1 else f"{self.factor}(N-1)"
        first = "N" if self.factor == 1 else f"{self.factor}N"
        return first + (f"{self.constant:+d}" if self.constant else "")


@dataclass(frozen=True, slots=True)
class MeshEffort:
    """Configuration that joins N sites, each with each.

    Attributes:
        files: Configuration files per site.
        routes: Commands or lines per site that make frames find their way (tunnel interfaces, bridges, routes).
        keys: Keys per site, its own and those of its peers.
    """

    files: PerSite
    routes: PerSite
    keys: PerSite

    def total(self, sites: int) -> int:
        """Return how many things it is for all sites together."""
        return sites * sum(part.count(sites) for part in (self.files, self.routes, self.keys))
