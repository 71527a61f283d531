"""Tunnels built by app.tunnel and tested by app.probes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from app.discovery.firewall import Firewall
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.concurrency import run_both
from app.domain.conditions import Condition
from app.domain.errors import CleanupFailed
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.link import Link
from app.domain.messages import sentences
from app.domain.script_files import bare_script
from app.domain.solutions import Suite
from app.domain.workloads import Listening
from app.measurement.interfaces import GroupStageSink, StageSink, Tunnel, TunnelGroup
from app.policy.file_header import file_header
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest, run_smoke_test
from app.tunnel import DeployRequest, read_firewalls, recover, temporary_group, temporary_tunnel
from app.tunnel.request import PlanExtension
from app.tunnel.temporary_group import FirstTunnels

LEASE_S = 60
"""Lease of a measurement: a host rolls back if it is not renewed for so long, in seconds."""

_CRASHES_SCRIPT = bare_script("probes/crashes.sh")


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
        minds_firewalls: Whether what a firewall blocks is an obstacle, or opened where the user agreed.
        shaping: Condition of the link that the hosts make themselves while a tunnel is up, in a group by steps of its
            last member; None for none.
        shaped_networks: Networks behind a side, packets to which are under that condition as well.
        listening: Ports that workloads listen on, by side.
    """

    pair: PairSpec
    sessions: SessionPair
    link: Link
    facts: Mapping[str, HostFacts]
    header: tuple[str, ...]
    audit: Callable[[AuditEntry], None]
    minds_firewalls: bool = True
    shaping: Condition | None = None
    shaped_networks: Mapping[Side, tuple[str, ...]] = field(default_factory=dict)
    listening: Mapping[Side, Listening] = field(default_factory=dict)

    @classmethod
    def of_study(
        cls, discovery: Discovery, sessions: SessionPair, audit: Callable[[AuditEntry], None]
    ) -> DeployedTunnels:
        """Return what builds the tunnels of a study on hosts that have been inspected."""
        return cls(discovery.pair, sessions, discovery.link, discovery.facts, file_header(), audit)

    def open(
        self, adapter: Adapter, suite: Suite, *, token: CancelToken, on_stage: StageSink
    ) -> AbstractContextManager[Tunnel]:
        """Return a context in which the tunnel is up."""
        firewalls = read_firewalls(self.sessions, token=token) if self.minds_firewalls else {}
        request = self._request(adapter, suite, self.link, firewalls)
        return temporary_tunnel(
            self.sessions, request, token=token, on_stage=on_stage, audit=self.audit, lease_s=LEASE_S
        )

    def open_group(
        self,
        choices: Sequence[tuple[Adapter, Suite]],
        *,
        token: CancelToken,
        on_stage: GroupStageSink,
        extensions: Sequence[PlanExtension] = (),
        first: FirstTunnels | None = None,
        busy_s: float = 0.0,
    ) -> AbstractContextManager[TunnelGroup]:
        """Return a context in which several tunnels are up side by side."""
        firewalls = read_firewalls(self.sessions, token=token) if self.minds_firewalls else {}
        requests = [self._request(adapter, suite, self.link, firewalls) for adapter, suite in choices]
        requests = [*(replace(one, shaping=None) for one in requests[:-1]), *requests[-1:]]
        if extensions:
            requests = [replace(one, extension=each) for one, each in zip(requests, extensions, strict=True)]
        return temporary_group(
            self.sessions,
            requests,
            token=token,
            on_stage=on_stage,
            audit=self.audit,
            lease_s=LEASE_S,
            busy_s=busy_s,
            first=first,
        )

    def _request(self, adapter: Adapter, suite: Suite, link: Link, firewalls: Mapping[Side, Firewall]) -> DeployRequest:
        return DeployRequest(
            pair=self.pair,
            adapter=adapter,
            suite=suite,
            link=link,
            facts_a=self.facts[Side.A.value],
            facts_b=self.facts[Side.B.value],
            header=self.header,
            firewalls=firewalls,
            opens_firewalls=self.pair.may_open_firewall,
            shaping=self.shaping,
            shaped_networks=self.shaped_networks,
            listening=self.listening,
        )

    def smoke_test(self, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
        """Send traffic through the running tunnel."""
        return run_smoke_test(self.sessions, request, token=token)

    def kernel_words(self, since_s: float, *, token: CancelToken) -> str:
        """Return both kernels' messages about crashes within the last seconds."""
        command = Command(shell_step_argv(_CRASHES_SCRIPT, str(round(since_s))), timeout_s=5.0, is_root=True)
        a, b = run_both(
            lambda: self.sessions.a.run(command, token=token), lambda: self.sessions.b.run(command, token=token)
        )
        return f"{a.stdout}\n{b.stdout}".strip()

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        """Roll back both hosts after a run that died.

        Raises:
            CleanupFailed: A host is not as it was, or another instance works on it.
            Cancelled: The token was cancelled.
        """
        report = recover(self.sessions, token=token, audit=self.audit, pair=self.pair.name)
        if not report.is_clean:
            raise CleanupFailed(sentences(report.sentences()))
        return report.sentences()
