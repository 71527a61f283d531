"""Openings whose fate a firewall's rules do not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.discovery.firewall.evaluate import fate
from app.discovery.firewall.read import Firewall
from app.domain.firewall import Fate, Opening


def uncertain(firewall: Firewall, openings: Iterable[Opening], interface: str) -> Mapping[Opening, str]:
    """Return the openings that a rule may drop or not, with that rule."""
    found = {one: fate(firewall.ruleset, one, interface) for one in openings}
    return {one: rule for one, (end, rule) in found.items() if end is Fate.UNKNOWN}
