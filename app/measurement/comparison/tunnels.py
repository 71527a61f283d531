"""Tunnels as app.tunnel builds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from app.domain.adapters import Adapter
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.errors import CleanupFailed
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.link import Link
from app.domain.solutions import Suite
from app.measurement.comparison.interfaces import StageSink, Tunnel
from app.tunnel import DeployRequest, read_firewalls, recover, temporary_tunnel, with_firewalls

LEASE_S = 60
"""A host puts itself back if nobody has renewed its lease for so long, in seconds."""


@dataclass(frozen=True, slots=True)
class DeployedTunnels:
    """Implements `Tunnels`.

    Attributes:
        pair: The pair.
        sessions: Connections to both hosts.
        link: What tunnels are built on.
        facts: What was found on the hosts, by `a` and `b`.
        header: Comment lines for every file on the hosts.
        audit: Writes down every command that changes a host.
    """

    pair: PairSpec
    sessions: SessionPair
    link: Link
    facts: Mapping[str, HostFacts]
    header: tuple[str, ...]
    audit: Callable[[AuditEntry], None]

    def open(
        self, adapter: Adapter, suite: Suite, *, token: CancelToken, on_stage: StageSink
    ) -> AbstractContextManager[Tunnel]:
        """Return a context in which the tunnel stands."""
        request = DeployRequest(
            pair=self.pair,
            adapter=adapter,
            suite=suite,
            link=self.link,
            facts_a=self.facts[Side.A.value],
            facts_b=self.facts[Side.B.value],
            header=self.header,
        )
        firewalls = read_firewalls(self.sessions, token=token)
        request = with_firewalls(request, firewalls, may_open=self.pair.may_open_firewall)
        return temporary_tunnel(
            self.sessions, request, token=token, on_stage=on_stage, audit=self.audit, lease_s=LEASE_S
        )

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        """Put both hosts back after a run that died.

        Raises:
            CleanupFailed: A host is not as it was, or somebody else works on it.
            Cancelled: The token was cancelled.
        """
        report = recover(self.sessions, token=token, audit=self.audit, pair=self.pair.name)
        if not report.is_clean:
            raise CleanupFailed(" ".join(report.sentences()))
        return report.sentences()
