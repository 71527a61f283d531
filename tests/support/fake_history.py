"""History of the window's fake services, kept in their own records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fake_census import FakeCensus
from fake_deployments import FakeDeployments

from app.domain.census import CensusRecord, OptionStatus
from app.domain.conditions import name_of
from app.domain.errors import InvalidPlan
from app.domain.history import EntryId, EntryKind, HistoryEntry, Winner, checked_note
from app.domain.results import CampaignRecord, CampaignStatus
from app.domain.solutions import BASELINE
from app.ranking import outcome_of, rank
from app.ranking.history_entries import deployment_entries
from app.ranking.winner import winner_of


@dataclass(kw_only=True)
class FakeHistory(FakeCensus, FakeDeployments):
    """The methods of the services that are about the history.

    Attributes:
        records: Stored comparisons.
        winners: Winners that are known already, by number of the comparison.
        reports: Files that reports were written to.
    """

    records: dict[int, CampaignRecord] = field(default_factory=dict)
    winners: dict[int, Winner] = field(default_factory=dict)
    reports: list[Path] = field(default_factory=list)

    def history(self) -> tuple[HistoryEntry, ...]:
        self._call("history")
        entries = [
            *(self._comparison(one) for one in self.records.values()),
            *(_census(one) for one in self.census_records.values()),
            *deployment_entries(self.deployed),
        ]
        return tuple(sorted(entries, key=lambda one: one.at, reverse=True))

    def winner(self, campaign_id: int) -> Winner:
        self._call("winner")
        self.winners[campaign_id] = winner_of(rank(self.records[campaign_id]), "0.1.0")
        return self.winners[campaign_id]

    def set_note(self, entry: EntryId, note: str) -> None:
        self._call("set_note")
        if entry.kind is EntryKind.CENSUS:
            census = self.census_records[entry.number]
            self.census_records[entry.number] = replace(census, note=checked_note(note))
        else:
            self.records[entry.number] = replace(self.records[entry.number], note=checked_note(note))

    def delete_measured(self, entries: Sequence[EntryId]) -> None:
        self._call("delete_measured")
        for one in entries:
            if one.kind is EntryKind.COMPARISON and self.records[one.number].status is CampaignStatus.RUNNING:
                raise InvalidPlan(f"{one.title} is running and cannot be deleted.", hint="Nothing was deleted.")
        for one in entries:
            del (self.census_records if one.kind is EntryKind.CENSUS else self.records)[one.number]

    def write_report(self, campaign_id: int, path: Path) -> Path:
        self._call("write_report")
        path.write_text("report", "utf-8")
        self.reports.append(path)
        return path

    def default_report_path(self, campaign_id: int) -> Path:
        return Path(f"comparison-{campaign_id}.html")

    def _comparison(self, one: CampaignRecord) -> HistoryEntry:
        outcome = outcome_of(one)
        assert outcome.vpns == sum(each.solution != BASELINE for each in one.plan.candidates)
        return HistoryEntry(
            EntryKind.COMPARISON,
            str(one.campaign_id),
            one.started_at,
            one.plan.pair.name,
            one.status.value,
            one.plan.profile.name.value,
            outcome.vpns,
            outcome.measured,
            outcome.failed,
            self.winners.get(one.campaign_id),
            one.note,
            condition=name_of(one.plan.condition),
        )


def _census(one: CensusRecord) -> HistoryEntry:
    failed = sum(each.status is OptionStatus.FAILS for each in one.results)
    state = "completed" if one.is_complete else "interrupted"
    profile = f"{one.plan.pings} pings"
    whole, tried = len(one.plan.items), len(one.results)
    at, name = one.started_at, one.pair.name
    key = f"c{one.census_id}"
    return HistoryEntry(EntryKind.CENSUS, key, at, name, state, profile, whole, tried, failed, None, one.note)
