"""What a census needs from the parts that it drives."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, CensusPlan, CensusRecord, OptionResult
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import Suite
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest


class CensusStore(Protocol):
    """Where censuses are kept; `app.storage.Store` is one."""

    def create_census(self, plan: CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        """Store a census that begins now; return its number."""
        ...

    def claim_census(self, census_id: int) -> None:
        """Make this process the one that runs a census again."""
        ...

    def save_option(self, census_id: int, item: CensusItem, result: OptionResult) -> None:
        """Store what became of an option, in place of an earlier result."""
        ...

    def finish_census(self, census_id: int, message: str = "") -> None:
        """Store that a census ended."""
        ...

    def load_census(self, census_id: int) -> CensusRecord:
        """Return a census with every result."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Write down a command that changed a host."""
        ...


class SwitchableTunnel(Protocol):
    """A tunnel that stands and may be given another suite; `app.tunnel` builds it."""

    @property
    def plan(self) -> TunnelPlan:
        """What stands."""
        ...

    @property
    def negotiated(self) -> str:
        """What the programs said they agreed on."""
        ...

    @property
    def lost(self) -> Mapping[Side, str]:
        """Which host has put itself back although the tunnel was still wanted, with a sentence that says why."""
        ...

    def can_switch(self, suite: Suite) -> bool:
        """Whether it can be given that suite."""
        ...

    def switch(self, suite: Suite, *, token: CancelToken, up_timeout_s: float | None = None) -> None:
        """Give it another suite."""
        ...

    def collect_logs(self, token: CancelToken) -> str:
        """Return the daemons' own words."""
        ...


class Tunnels(Protocol):
    """Builds tunnels between the two hosts of a census, and looks at them."""

    def open(self, adapter: Adapter, suite: Suite, *, token: CancelToken) -> AbstractContextManager[SwitchableTunnel]:
        """Return a context in which the tunnel stands; both hosts are put back when it ends, however it does."""
        ...

    def look(self, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
        """Send traffic through the standing tunnel."""
        ...

    def kernel_words(self, since_s: float, *, token: CancelToken) -> str:
        """Return what both kernels said of crashes within the last seconds."""
        ...

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        """Connect again where that is needed, put both hosts back; return sentences that say what was done."""
        ...
