"""Parts that a campaign drives, as it sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from app.domain.adapters import Adapter, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord, OptionResult
from app.domain.conditions import Condition, MeasuredCondition
from app.domain.errors import TunnelmarkError
from app.domain.events import Stage
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, CampaignStatus, PlannedItem
from app.domain.solutions import Suite
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest
from app.tunnel.request import PlanExtension
from app.tunnel.temporary_group import FirstTunnels

StageSink = Callable[[Stage, str], None]
"""Gets the stage that begins, and more about it in words."""

GroupStageSink = Callable[[int, Stage, str], None]
"""Gets the position of a tunnel in its group, the stage that begins, and more about it in words."""


class CampaignStore(Protocol):
    """Store of campaigns; `app.storage.Store` implements it."""

    def create_campaign(self, plan: CampaignPlan | CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        """Store a campaign that begins now; return its number."""
        ...

    def claim_campaign(self, campaign_id: int, kind: EntryKind) -> None:
        """Make this process the one that runs a campaign again."""
        ...

    def save_attempt(self, campaign_id: int, attempt: Attempt | OptionResult) -> None:
        """Store an attempt that ended, in place of one at the same position."""
        ...

    def save_condition(self, campaign_id: int, found: MeasuredCondition) -> None:
        """Store the condition of a comparison's link as it was measured."""
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


class ConditionedLink(Protocol):
    """The link between the two hosts, where a condition can be emulated on it."""

    def hold(self, condition: Condition | None) -> None:
        """Emulate a condition, or none, until `release`, or until this process ends."""
        ...

    def release(self) -> None:
        """Leave the link as it was before. Raises nothing: what was measured remains."""
        ...

    def deviation(self, condition: Condition) -> str:
        """Return why the link is not under a condition that was set, as a sentence; empty where it is."""
        ...


class Tunnel(Protocol):
    """A running tunnel; `app.tunnel` builds it."""

    @property
    def plan(self) -> TunnelPlan:
        """The plan that was built."""
        ...

    @property
    def link(self) -> Link:
        """Link that it is built on: its inner addresses, ports and folder."""
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
        """Algorithms that the programs report as negotiated."""
        ...

    @property
    def configuration(self) -> tuple[PlannedItem, ...]:
        """Configuration without secrets."""
        ...

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that rolled back although the tunnel was still in use, with the reason as a sentence."""
        ...

    @property
    def differences(self) -> tuple[str, ...]:
        """Differences after clean-up that do not concern this tunnel, as sentences."""
        ...

    def can_switch(self, suite: Suite) -> bool:
        """Whether it can be given that suite."""
        ...

    def switch(self, suite: Suite, *, token: CancelToken, up_timeout_s: float | None = None) -> None:
        """Change the suite of the running tunnel."""
        ...

    def restart(self, side: Side, *, token: CancelToken) -> None:
        """End the VPN on one host and start it again, while that of the other host keeps running."""
        ...

    def restart_both(self, *, token: CancelToken) -> None:
        """End the VPN on both hosts, start it again, and wait until frames cross."""
        ...

    def collect_logs(self, token: CancelToken) -> str:
        """Return the daemons' own words."""
        ...

    def daemon_pids(self, side: Side) -> tuple[int, ...]:
        """Return the numbers of the tunnel's processes on one host; none where the kernel carries its frames."""
        ...


class TunnelGroup(Protocol):
    """Tunnels that are up side by side on one pair."""

    @property
    def tunnels(self) -> Mapping[int, Tunnel]:
        """Those that are up, by position in the choices."""
        ...

    @property
    def failures(self) -> Mapping[int, TunnelmarkError]:
        """Why the others did not come up, by position; both hosts have rolled back all that concerned them."""
        ...

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that rolled back all tunnels although they were still in use, with the reason as a sentence."""
        ...


class Tunnels(Protocol):
    """Builds tunnels between the two hosts of a campaign, tests them, and rolls the hosts back."""

    def open(
        self, adapter: Adapter, suite: Suite, *, token: CancelToken, on_stage: StageSink
    ) -> AbstractContextManager[Tunnel]:
        """Return a context in which the tunnel is up; both hosts are rolled back when it ends, for whatever reason."""
        ...

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
        """Return a context in which several tunnels are up side by side, each on a link of its own.

        A tunnel that does not come up is rolled back alone and found in `failures`. At the end, however it comes, all
        are rolled back together: each tunnel's `cleanup_s` and `differences` are then those of the whole group. What
        concerns all tunnels is reported to `on_stage` once for each.

        Args:
            choices: What may be up together, see `app.domain.side_by_side`.
            on_stage: Gets each stage as it begins, one call at a time, from any thread.
            extensions: What is added to the plan of each; empty for nothing.
            first: Those that are up before the others are built; None for all at once.
            busy_s: For how long, in seconds, what is built may keep a host too busy to answer; lease and rollback take
                longer by it.

        Raises:
            PairLocked, ConnectionLost, Cancelled: Nothing could be built, or no more of it; both hosts are rolled back.
            CleanupFailed: A host is not as it was before.
        """
        ...

    def smoke_test(self, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
        """Send traffic through the running tunnel."""
        ...

    def kernel_words(self, since_s: float, *, token: CancelToken) -> str:
        """Return both kernels' messages about crashes within the last seconds."""
        ...

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        """Roll back both hosts after a run that died; return sentences that say what was done."""
        ...
