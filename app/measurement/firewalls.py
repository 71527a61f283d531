"""Firewalls of a pair: what they block of each solution, and whether Tunnelmark may open them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from app.discovery.firewall import Firewall
from app.domain.adapters import Adapter, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import NotFound, PrivilegeMissing
from app.domain.firewall import Opening, words_of
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.link import Link
from app.domain.pairs import Saving
from app.lab.practice_labs import Labs
from app.measurement.messages import BLOCKED_BY_FIREWALL
from app.storage import Store
from app.tunnel import DeployRequest, blocked_openings, read_firewalls

_LAB_CONSENT = "may-open-firewall"
"""A file in a lab's folder, which goes with the lab."""


@dataclass(frozen=True, slots=True)
class FirewallConsents:
    """Whether the user agreed that the firewalls of a pair are opened, remembered per pair.

    Attributes:
        labs: This user's practice labs; a lab's consent ends with it.
        store: Keeps the user's own pairs.
    """

    labs: Labs
    store: Store

    def apply(self, pair: PairSpec) -> PairSpec:
        """Return a lab's pair with its consent; other pairs are stored with theirs."""
        lab = self.labs.find(pair) if pair.is_lab else None
        if lab is None:
            return pair
        return replace(pair, may_open_firewall=(lab.folder / _LAB_CONSENT).exists())

    def change(self, pair: PairSpec, *, may_open: bool) -> PairSpec:
        """Remember the user's answer, and return the pair with it."""
        changed = replace(pair, may_open_firewall=may_open)
        lab = self.labs.find(pair) if pair.is_lab else None
        if lab is None:
            if not pair.is_lab:
                with suppress(NotFound):  # a pair that is not stored yet, or not any more
                    stored = replace(self.store.get_pair(pair.name), may_open_firewall=may_open)
                    self.store.save_pair(stored, Saving.UPDATE)
        elif may_open:
            (lab.folder / _LAB_CONSENT).touch()
        else:
            (lab.folder / _LAB_CONSENT).unlink(missing_ok=True)
        return changed

    def take(self, pair: PairSpec, *, is_needed: bool) -> None:
        """Remember the consent that a pair comes with, where the work that is to begin needs one."""
        if is_needed:
            self.change(pair, may_open=pair.may_open_firewall)


def blocked_solutions(
    adapters: Mapping[str, Adapter],
    pair: PairSpec,
    link: Link,
    facts: Mapping[Side, HostFacts],
    firewalls: Mapping[Side, Firewall],
) -> dict[str, tuple[str, ...]]:
    """Return what firewalls block of each solution, but for iperf3 inside its tunnel, as sentences by solution.

    Args:
        adapters: By solution.
        link: What tunnels are built on.
        facts: What was found on the hosts.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, adapter in adapters.items():
        suites = adapter.suites(facts[Side.A], facts[Side.B])
        if not suites:
            continue
        request = DeployRequest(pair, adapter, suites[0], link, facts[Side.A], facts[Side.B], firewalls=firewalls)
        plan = adapter.plan(request.plan_request())
        closed = {
            side: [one.opening for one in blocked_openings(request, plan, side) if not _is_inside(one.opening, plan)]
            for side in Side
        }
        found[name] = tuple(
            BLOCKED_BY_FIREWALL(host=pair.host(side).label, openings=words_of(openings))
            for side, openings in closed.items()
            if openings
        )
    return {name: sentences for name, sentences in found.items() if sentences}


def _is_inside(opening: Opening, plan: TunnelPlan) -> bool:
    """Whether an opening is for what measures a tunnel, and for nothing on the underlay."""
    return opening.protocol == "tcp" and opening.interface in {plan.a.interface, plan.b.interface} - {""}


def read_if_allowed(sessions: SessionPair, *, token: CancelToken) -> dict[Side, Firewall]:
    """Read the rules of both firewalls; nothing where the user may not.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    try:
        return read_firewalls(sessions, token=token)
    except PrivilegeMissing:
        return {}
