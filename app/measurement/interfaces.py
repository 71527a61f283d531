"""Parts that a campaign drives, as it sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord, OptionResult
from app.domain.events import Stage
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, CampaignStatus, PlannedItem
from app.domain.solutions import Suite
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest

StageSink = Callable[[Stage, str], None]
"""Gets the stage that begins, and more about it in words."""


class CampaignStore(Protocol):
    """Where campaigns are kept; `app.storage.Store` is one."""

    def create_campaign(self, plan: CampaignPlan | CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        """Store a campaign that begins now; return its number."""
        ...

    def claim_campaign(self, campaign_id: int, kind: EntryKind) -> None:
        """Make this process the one that runs a campaign again."""
        ...

    def save_attempt(self, campaign_id: int, attempt: Attempt | OptionResult) -> None:
        """Store an attempt that ended, in place of one at the same position."""
        ...

    def finish_campaign(self, campaign_id: int, status: CampaignStatus, message: str, kind: EntryKind) -> None:
        """Store that a campaign ended."""
        ...

    def load_campaign(self, campaign_id: int) -> CampaignRecord:
        """Return a comparison with its attempts."""
        ...

    def load_census(self, census_id: int) -> CensusRecord:
        """Return a census with every result."""
        ...

    def audit(self, entry: AuditEntry) -> None:
        """Write down a command that changed a host."""
        ...


class Tunnel(Protocol):
    """A tunnel that stands; `app.tunnel` builds it."""

    @property
    def plan(self) -> TunnelPlan:
        """What was built."""
        ...

    @property
    def setup_s(self) -> float:
        """Seconds it took to build."""
        ...

    @property
    def cleanup_s(self) -> float:
        """Seconds it took to remove; 0 until then."""
        ...

    @property
    def negotiated(self) -> str:
        """What the programs said they agreed on."""
        ...

    @property
    def configuration(self) -> tuple[PlannedItem, ...]:
        """What was configured, without secrets."""
        ...

    @property
    def lost(self) -> Mapping[Side, str]:
        """Which host has put itself back although the tunnel was still wanted, with a sentence that says why."""
        ...

    @property
    def differences(self) -> tuple[str, ...]:
        """What was not as before after clean-up, though it does not concern this tunnel, as sentences."""
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
    """Builds tunnels between the two hosts of a campaign, looks at them, and puts the hosts back."""

    def open(
        self, adapter: Adapter, suite: Suite, *, token: CancelToken, on_stage: StageSink
    ) -> AbstractContextManager[Tunnel]:
        """Return a context in which the tunnel stands; both hosts are put back when it ends, however it does."""
        ...

    def look(self, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
        """Send traffic through the standing tunnel."""
        ...

    def kernel_words(self, since_s: float, *, token: CancelToken) -> str:
        """Return what both kernels said of crashes within the last seconds."""
        ...

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        """Put both hosts back after a run that died; return sentences that say what was done."""
        ...
