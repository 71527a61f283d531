"""The store: everything that outlives the program, in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from app.domain.audit import AuditCheck, AuditEntry
from app.domain.census import CensusPlan, CensusRecord, OptionResult
from app.domain.conditions import MeasuredCondition
from app.domain.deployment import Deployment
from app.domain.history import EntryId, EntryKind, Winner, checked_note
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.pairs import Saving
from app.domain.profiles import Profile
from app.domain.results import Attempt, CampaignPlan, CampaignRecord, CampaignStatus
from app.domain.user import this_user
from app.storage import attempts, audit, campaigns, censuses, comparisons, deployments, pairs, renaming
from app.storage.database import Database
from app.storage.summaries import CampaignSummary, CensusSummary, MeanDurations, PlanSummary


class Store:
    """Pairs, campaigns, attempts, censuses, deployments, snapshots and the audit log.

    All methods may be called from any thread; each blocks until its work is done in the thread that owns the
    connection. Each raises StorageFault, or DiskFull where there is no space left.

    Args:
        database: An open database; use `Store.open` to get a store.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a store, or make one for this user alone; campaigns whose process is gone become INTERRUPTED.

        Args:
            path: The database file; its folder is made as well.

        Returns:
            The store; close it when done.

        Raises:
            StorageFault: The file cannot be used: it is no database, damaged, locked, not ours, or a newer
                Tunnelmark made it.
            DiskFull: There is no space to make it.
        """
        store = cls(Database(path))
        try:
            store.mark_interrupted()
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the store and end its thread. May be called twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    # --- pairs --------------------------------------------------------------------------------------------------------

    def save_pair(self, pair: PairSpec, how: Saving = Saving.REPLACE) -> None:
        """Store a pair.

        Raises:
            NotFound: One is to be changed, and there is none of that name.
            InvalidOption: The name of a new one is taken, by a pair or by what a removed pair left.
        """
        self._database.write(lambda c: pairs.save_pair(c, pair, how))

    def check_saving(self, pair: PairSpec, how: Saving) -> None:
        """Refuse what `save_pair` would refuse; raises the same errors."""
        self._database.read(lambda c: pairs.check_saving(c, pair, how))

    def get_pair(self, name: str) -> PairSpec:
        """Return a stored pair.

        Raises:
            NotFound: There is none of that name; the hint names the known ones.
        """
        return self._database.read(lambda c: pairs.get_pair(c, name))

    def list_pairs(self) -> tuple[PairSpec, ...]:
        """Return all stored pairs by name."""
        return self._database.read(pairs.list_pairs)

    def delete_pair(self, name: str) -> None:
        """Delete a pair and what was found on its hosts; its campaigns remain.

        Raises:
            NotFound: There is none of that name.
            InvalidOption: Something is being done on it, or a deployment of it is active.
        """
        self._database.write(lambda c: renaming.remove_pair(c, name))

    def rename_pair(self, old: str, new: str) -> None:
        """Rename a pair together with its comparisons, censuses, deployments and what was found on its hosts.

        Raises:
            NotFound: There is no pair of the old name.
            InvalidOption: There is a pair, or anything stored, of the new name.
        """
        self._database.write(lambda c: renaming.rename_pair(c, old, new))

    def measured_pairs(self) -> tuple[PairSpec, ...]:
        """Return the pair of each comparison and census that a living process runs."""
        return self._database.read(renaming.measured_pairs)

    def save_snapshot(self, pair: str, side: Side, facts: HostFacts) -> None:
        """Store what was found on a host."""
        self._database.write(lambda c: pairs.save_snapshot(c, pair, side, facts))

    def latest_snapshot(self, pair: str, side: Side) -> HostFacts | None:
        """Return what was last found on a host; None where nothing is stored."""
        return self._database.read(lambda c: pairs.latest_snapshot(c, pair, side))

    # --- campaigns ----------------------------------------------------------------------------------------------------

    def create_campaign(self, plan: CampaignPlan | CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        """Store a comparison or census that begins now in this process.

        Args:
            plan: What will be done.
            facts: What was found on the hosts, by `a` and `b`.

        Returns:
            Its number.

        Raises:
            NotFound: Its pair was renamed or removed; labs are not stored.
        """
        return self._database.write(lambda c: campaigns.create_campaign(c, plan, facts, version))

    def claim_campaign(self, campaign_id: int, kind: EntryKind = EntryKind.COMPARISON) -> None:
        """Make this process the one that runs a comparison or census again, in order to resume it.

        Raises:
            NotFound: There is none of that number.
            InvalidPlan: It is still running in another process.
        """
        self._database.write(lambda c: campaigns.claim_campaign(c, EntryId(kind, campaign_id)))

    def save_attempt(self, campaign_id: int, attempt: Attempt | OptionResult) -> None:
        """Store an attempt that ended; once this returns, it survives kill -9 and a power cut.

        An earlier attempt at the same position of the plan is replaced.

        Raises:
            NotFound: There is no such comparison or census.
        """
        self._database.write(lambda c: attempts.save_attempt(c, campaign_id, attempt))

    def save_condition(self, campaign_id: int, found: MeasuredCondition) -> None:
        """Store the condition of a comparison's link as it was measured, beside earlier ones.

        Raises:
            NotFound: There is no such comparison.
        """
        self._database.write(lambda c: campaigns.save_condition(c, campaign_id, found))

    def finish_campaign(
        self, campaign_id: int, status: CampaignStatus, message: str = "", kind: EntryKind = EntryKind.COMPARISON
    ) -> None:
        """Store that a comparison or census ended, and what happened where it did not complete.

        Raises:
            NotFound: There is none of that number.
        """
        self._database.write(lambda c: campaigns.finish_campaign(c, EntryId(kind, campaign_id), status, message))

    def mark_interrupted(self) -> int:
        """Mark what says RUNNING but whose process is gone as INTERRUPTED; return how many there were."""
        return self._database.write(campaigns.mark_interrupted)

    def load_campaign(self, campaign_id: int) -> CampaignRecord:
        """Return a campaign with all its attempts and samples.

        Raises:
            NotFound: There is no such campaign.
        """
        return self._database.read(lambda c: attempts.load_campaign(c, campaign_id))

    def campaign_summary(self, campaign_id: int) -> CampaignSummary:
        """Return one campaign without its samples.

        Raises:
            NotFound: There is no such campaign.
        """
        return self._database.read(lambda c: comparisons.get_summary(c, campaign_id))

    def list_campaigns(self, pair: str | None = None, limit: int = 100) -> tuple[CampaignSummary, ...]:
        """Return campaigns, newest first: of one pair, or of all."""
        return self._database.read(lambda c: comparisons.list_campaigns(c, pair, limit))

    def list_plans(self) -> tuple[PlanSummary, ...]:
        """Return what each comparison was planned to measure, newest first."""
        return self._database.read(comparisons.list_plans)

    def latest_campaign(self, pair: str | None = None) -> int | None:
        """Return the number of the newest campaign in which an attempt was made: of one pair, or of all."""
        return self._database.read(lambda c: comparisons.latest_campaign(c, pair))

    def unfinished_campaign(self, pair: str) -> int | None:
        """Return the number of the pair's newest campaign if it was interrupted and something is left to do."""
        return self._database.read(lambda c: comparisons.unfinished_campaign(c, pair))

    def durations(self, pair: str, profile: Profile | None = None) -> Mapping[str, MeanDurations]:
        """Return how long completed attempts on a pair took on the average, for predictions.

        Args:
            pair: Name of the pair.
            profile: Only attempts with as many echo requests, seconds and the same frame sizes; None means all.

        Returns:
            By solution; solutions without a completed attempt are left out.
        """
        return self._database.read(lambda c: comparisons.durations(c, pair, profile))

    # --- censuses -----------------------------------------------------------------------------------------------------

    def load_census(self, census_id: int) -> CensusRecord:
        """Return a census with every result.

        Raises:
            NotFound: There is no such census.
        """
        return self._database.read(lambda c: attempts.load_census(c, census_id))

    def list_censuses(self, pair: str | None = None, limit: int = 100) -> tuple[int, ...]:
        """Return the numbers of censuses, newest first: of one pair, or of all."""
        return self._database.read(lambda c: censuses.list_censuses(c, pair, limit))

    def unfinished_censuses(self, pair: str, limit: int = 20) -> tuple[int, ...]:
        """Return the numbers of a pair's censuses that no process runs and that are not complete, newest first."""
        return self._database.read(lambda c: censuses.unfinished_censuses(c, pair, limit))

    def census_summaries(self, limit: int = 100) -> tuple[CensusSummary, ...]:
        """Return censuses without their results, newest first."""
        return self._database.read(lambda c: censuses.census_summaries(c, limit))

    # --- notes, winners, deleting -------------------------------------------------------------------------------------

    def set_note(self, entry: EntryId, note: str) -> None:
        """Store the user's note on a comparison or census; an empty one removes it.

        Raises:
            NotFound: There is no such comparison or census.
            InvalidOption: The note is too long, or has control characters in it.
        """
        self._database.write(lambda c: campaigns.set_note(c, entry, checked_note(note)))

    def save_winner(self, campaign_id: int, winner: Winner) -> None:
        """Store which VPN a campaign recommends, for lists; nothing is stored while it runs."""
        self._database.write(lambda c: comparisons.save_winner(c, campaign_id, winner))

    def delete_measured(self, entries: Iterable[EntryId]) -> None:
        """Delete comparisons and censuses with all that was measured in them: all of them, or none.

        The audit log and deployments remain.

        Raises:
            NotFound: One of them is not there.
            InvalidPlan: One of them is running.
        """
        chosen = list(dict.fromkeys(entries))
        self._database.write(lambda c: campaigns.delete_campaigns(c, chosen))

    # --- deployments --------------------------------------------------------------------------------------------------

    def save_deployment(self, deployment: Deployment) -> None:
        """Store a deployment, in place of what was known of it; it survives kill -9 and a power cut.

        One that is stored already remains with its pair, also where that has another name now.

        Raises:
            NotFound: It is a new one, and its pair was renamed or removed; labs are not stored.
        """
        self._database.write(lambda c: deployments.save_deployment(c, deployment))

    def get_deployment(self, deployment_id: str) -> Deployment:
        """Return the deployment whose id begins with these digits.

        Raises:
            NotFound: There is none, or more than one.
        """
        return self._database.read(lambda c: deployments.get_deployment(c, deployment_id))

    def list_deployments(self, pair: str | None = None, limit: int = 100) -> tuple[Deployment, ...]:
        """Return deployments, newest first: of one pair, or of all."""
        return self._database.read(lambda c: deployments.list_deployments(c, pair, limit))

    # --- audit --------------------------------------------------------------------------------------------------------

    def audit(self, entry: AuditEntry) -> None:
        """Write down a command that changed a host, by the user of this computer unless the entry names another.

        That an entry is changed or removed later is noticed.
        """
        named = entry if entry.who else replace(entry, who=this_user())
        self._database.write(lambda c: audit.add_audit(c, named))

    def list_audit(self, limit: int | None = 1000) -> tuple[AuditEntry, ...]:
        """Return the newest entries, newest first; without a limit all of them."""
        return self._database.read(lambda c: audit.list_audit(c, limit))

    def check_audit(self) -> AuditCheck:
        """Find out whether the audit log is what was written."""
        return self._database.read(audit.check_audit)
