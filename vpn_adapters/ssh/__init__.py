"""OpenSSH with a tap device at both ends: Ethernet frames in one SSH connection, between an sshd of our own and ssh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.solutions import CensusOption, SolutionInfo, Suite
from vpn_adapters.ssh import census, discovery, identity, info, plan, suites


@dataclass(frozen=True, slots=True)
class SshAdapter:
    """Puts the verbs together; each has a module of its own."""

    @property
    def info(self) -> SolutionInfo:
        """What is always true of it."""
        return info.INFO

    def discovery(self) -> Mapping[str, Command]:
        """Return questions for ssh, sshd, `ip` and the kernel."""
        return discovery.COMMANDS

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        """Translate the answers."""
        return discovery.parse(outputs)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        """Return authenticated ciphers that both hosts list, best for their CPUs first."""
        return suites.offered(facts_a, facts_b)

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return every cipher and MAC that `ssh -Q` lists on both hosts."""
        return census.options(facts_a, facts_b)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return how the host key of A or the client key of B is made."""
        return identity.recipe(request.link, side)

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Read the public key."""
        return identity.parse(outputs)

    def plan(self, request: PlanRequest) -> TunnelPlan:
        """Return files and steps for both ends."""
        return plan.make(request)


adapter = SshAdapter()
