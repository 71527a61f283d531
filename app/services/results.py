"""Stored comparisons, censuses and deployments: read, noted, deleted, written as reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.domain.history import EntryId, HistoryEntry, Winner
from app.domain.ranking import Ranking
from app.domain.results import CampaignPlan, CampaignRecord
from app.ranking.history_entries import find_winner, list_history
from app.ranking.repeated_study import StudyRun, study_runs
from app.reports.archive import Archive
from app.storage import Store


class ResultOperations:
    """Implements what `app.services.interfaces.ComparisonServices` says of results.

    Attributes:
        archive: Stored comparisons with what can be made of them.
        store: Its database.
    """

    archive: Archive
    store: Store

    def unfinished(self, pair_name: str) -> int | None:
        """Return the number of an interrupted comparison of this pair that can be resumed."""
        return self.store.unfinished_campaign(pair_name)

    def unfinished_like(self, plan: CampaignPlan) -> tuple[int, ...]:
        """Return the numbers of interrupted comparisons of the same on a plan's pair, newest first."""
        return self.store.unfinished_like(plan)

    def record(self, campaign_id: int) -> CampaignRecord:
        """Return a stored comparison without its ranking, which takes a while."""
        return self.store.load_campaign(campaign_id)

    def results(self, campaign_id: int) -> tuple[CampaignRecord, Ranking]:
        """Return a stored comparison with its ranking."""
        return self.archive.results(campaign_id)

    def history(self) -> tuple[HistoryEntry, ...]:
        """Return comparisons, censuses and deployments, newest first; winners that are not known yet are missing."""
        return list_history(self.store)

    def study_runs(self) -> Mapping[str, tuple[StudyRun, ...]]:
        """Return the stored comparisons that repeat a study, newest first, by its name."""
        return study_runs(self.store)

    def winner(self, campaign_id: int) -> Winner:
        """Return which VPN a comparison recommends; the history has it from now on."""
        return find_winner(self.store, campaign_id)

    def set_note(self, entry: EntryId, note: str) -> None:
        """Store the user's note on a comparison or census; an empty one removes it."""
        self.store.set_note(entry, note)

    def delete_measured(self, entries: Sequence[EntryId]) -> None:
        """Delete comparisons and censuses with all that was measured in them: all of them, or none."""
        self.store.delete_measured(entries)

    def write_report(self, campaign_id: int, path: Path) -> Path:
        """Write a report; the kind follows from the ending: .html, .pdf, .json or .csv."""
        return self.archive.write_report(campaign_id, path)

    def default_report_path(self, campaign_id: int) -> Path:
        """Return the default file of a report."""
        return self.archive.default_report_path(campaign_id)
