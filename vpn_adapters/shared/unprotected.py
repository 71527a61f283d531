"""What the references without any cryptography share: nothing to choose, no keys, no configuration files."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity
from app.domain.commands import CommandResult
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import CensusOption, SecurityProperties, Suite

NO_SECURITY = SecurityProperties(
    has_confidentiality=False,
    has_integrity=False,
    has_authentication=False,
    has_anti_replay=False,
    has_forward_secrecy=False,
)
NO_PROTECTION = Suite(name="none", title="No protection", is_default=True)


class UnprotectedAdapter:
    """The verbs of an adapter that are about cryptography; the others are its own."""

    __slots__ = ()

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        """Return nothing: there is nothing to choose."""
        del facts_a, facts_b
        return ()

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        """Return an empty recipe: there are no keys."""
        del request, side
        return IdentityRecipe()

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        """Return an empty identity."""
        del outputs
        return PublicIdentity()
