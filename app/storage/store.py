"""The store: everything that outlives the program, in one SQLite file."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

from app.domain.audit import AuditEntry
from app.domain.history import EntryId, EntryKind
from app.domain.results import CampaignStatus
from app.domain.user import this_user
from app.storage import attempts, campaigns, censuses, comparisons, deployments, pairs, renaming
from app.storage import audit as audit_log
from app.storage.database import Database

P = ParamSpec("P")
T = TypeVar("T")


def _reads(work: Callable[Concatenate[sqlite3.Connection, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return a method of the store that runs a function which only reads."""

    @functools.wraps(work)
    def read(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._database.read(lambda connection: work(connection, *args, **kwargs))

    return read


def _writes(work: Callable[Concatenate[sqlite3.Connection, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Return a method of the store that runs a function which writes: all that it does, or nothing."""

    @functools.wraps(work)
    def write(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._database.write(lambda connection: work(connection, *args, **kwargs))

    return write


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

    def __exit__(self, *outcome: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The database file."""
        return self._database.path

    # --- pairs --------------------------------------------------------------------------------------------------------

    save_pair = _writes(pairs.save_pair)
    check_saving = _reads(pairs.check_saving)
    get_pair = _reads(pairs.get_pair)
    list_pairs = _reads(pairs.list_pairs)
    delete_pair = _writes(renaming.remove_pair)
    rename_pair = _writes(renaming.rename_pair)
    measured_pairs = _reads(renaming.measured_pairs)
    save_snapshot = _writes(pairs.save_snapshot)
    latest_snapshot = _reads(pairs.latest_snapshot)

    # --- campaigns ----------------------------------------------------------------------------------------------------

    create_campaign = _writes(campaigns.create_campaign)
    save_attempt = _writes(attempts.save_attempt)
    save_condition = _writes(campaigns.save_condition)
    mark_interrupted = _writes(campaigns.mark_interrupted)
    load_campaign = _reads(attempts.load_campaign)
    campaign_summary = _reads(comparisons.get_summary)
    list_campaigns = _reads(comparisons.list_campaigns)
    list_plans = _reads(comparisons.list_plans)
    latest_campaign = _reads(comparisons.latest_campaign)
    unfinished_campaign = _reads(comparisons.unfinished_campaign)
    unfinished_like = _reads(comparisons.unfinished_like)
    durations = _reads(comparisons.durations)

    def claim_campaign(self, campaign_id: int, kind: EntryKind = EntryKind.COMPARISON) -> None:
        """Make this process the one that runs a comparison or census again, in order to resume it.

        Raises:
            NotFound: There is none of that number.
            InvalidPlan: It is still running in another process.
        """
        self._database.write(lambda c: campaigns.claim_campaign(c, EntryId(kind, campaign_id)))

    def finish_campaign(
        self, campaign_id: int, status: CampaignStatus, message: str = "", kind: EntryKind = EntryKind.COMPARISON
    ) -> None:
        """Store that a comparison or census ended, and what happened where it did not complete.

        Raises:
            NotFound: There is none of that number.
        """
        self._database.write(lambda c: campaigns.finish_campaign(c, EntryId(kind, campaign_id), status, message))

    # --- censuses -----------------------------------------------------------------------------------------------------

    load_census = _reads(attempts.load_census)
    list_censuses = _reads(censuses.list_censuses)
    unfinished_censuses = _reads(censuses.unfinished_censuses)
    census_summaries = _reads(censuses.census_summaries)

    # --- notes, winners, deleting -------------------------------------------------------------------------------------

    set_note = _writes(campaigns.set_note)
    save_winner = _writes(comparisons.save_winner)
    delete_measured = _writes(campaigns.delete_campaigns)

    # --- deployments --------------------------------------------------------------------------------------------------

    save_deployment = _writes(deployments.save_deployment)
    get_deployment = _reads(deployments.get_deployment)
    list_deployments = _reads(deployments.list_deployments)

    # --- audit --------------------------------------------------------------------------------------------------------

    list_audit = _reads(audit_log.list_audit)
    check_audit = _reads(audit_log.check_audit)
    may_have_changed = _reads(audit_log.may_have_changed)

    def audit(self, entry: AuditEntry) -> None:
        """Write down a command that changed a host, by the user of this computer unless the entry names another.

        That an entry is changed or removed later is noticed.
        """
        named = entry if entry.who else replace(entry, who=this_user())
        self._database.write(lambda c: audit_log.add_audit(c, named))
