"""Censuses of the window's fake services: output of a real one of OpenVPN on two small gateways, shortened."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.census import CensusItem, CensusPlan, CensusRecord, OptionResult, OptionStatus
from app.domain.events import AttemptEnded, AttemptStarted, CampaignEnded, CampaignStarted, CensusSink, Progress
from app.domain.results import CampaignStatus
from app.domain.solutions import OptionKind
from app.domain.verdicts import Finding, Verdict
from app.measurement.census.stored import CensusOptions, CensusResults
from app.ranking.census import count_census

AT = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)

Row = tuple[str, OptionKind, OptionStatus, float | None, float | None, str, str]
ROWS: tuple[Row, ...] = (
    ("AES-256-GCM", OptionKind.AEAD, OptionStatus.WORKS, 1.7, 15.1, "", ""),
    ("AES-128-CBC", OptionKind.CIPHER, OptionStatus.WORKS, 1.8, 12.3, "", ""),
    ("AES-128-CFB1", OptionKind.CIPHER, OptionStatus.WORKS, 9.4, 0.8, "", ""),
    ("BF-CBC", OptionKind.CIPHER, OptionStatus.WORKS, 1.9, 11.0, "", ""),
    ("none", OptionKind.CIPHER, OptionStatus.UNPROTECTED, 1.6, 18.0, "The mark was seen on the underlay.", ""),
    ("SHA256", OptionKind.MAC, OptionStatus.WORKS, 1.9, 11.2, "", ""),
    ("RSA-SHA256", OptionKind.MAC, OptionStatus.WORKS, 1.9, 11.1, "", "SHA256"),
    ("SHAKE128", OptionKind.MAC, OptionStatus.FAILS, None, None, "openvpn ended with a segmentation fault.", ""),
)

VERDICTS = {
    "AES-256-GCM": Verdict.RECOMMENDED,
    "AES-128-CBC": Verdict.ACCEPTABLE,
    "AES-128-CFB1": Verdict.INSECURE,
    "BF-CBC": Verdict.INSECURE,
    "none": Verdict.UNPROTECTED,
    "SHA256": Verdict.ACCEPTABLE,
    "RSA-SHA256": Verdict.ACCEPTABLE,
    "SHAKE128": Verdict.INSECURE,
}


def items() -> tuple[CensusItem, ...]:
    """Return what is tried."""
    return tuple(
        CensusItem(nth, "openvpn-udp", name, kind, name.lower(), alias, name == "none")
        for nth, (name, kind, _, _, _, _, alias) in enumerate(ROWS)
    )


def result(item: CensusItem) -> OptionResult:
    """Return what came of an option."""
    name, kind, status, latency, rate, reason, alias = ROWS[item.position]
    received = 0 if status is OptionStatus.FAILS else 20
    return OptionResult(
        item.solution,
        name,
        kind,
        item.suite,
        status,
        reason,
        alias,
        name,
        20,
        received,
        latency,
        rate,
        3.1,
        item.position,
    )


@dataclass(kw_only=True)
class FakeCensus:
    """The methods of the services that are about censuses.

    Attributes:
        census_records: Stored censuses.
        census_gate: Options are tried while it is set; tests clear it to inspect that moment.
        census_stops_at: The option at which a host gets lost.
        census_left: What a census leaves on a host.
        written: Files that were written.
    """

    census_records: dict[int, CensusRecord] = field(default_factory=dict)
    census_gate: threading.Event = field(default_factory=threading.Event)
    census_stops_at: str = ""
    census_left: str = ""
    written: list[Path] = field(default_factory=list)

    def _call(self, name: str) -> None:
        raise NotImplementedError(name)

    def plan_census(self, discovery: Discovery, options: CensusOptions) -> CensusPlan:
        self._call("plan_census")
        assert options.has_load_consent
        chosen = tuple(one for one in items() if not options.kinds or one.kind in options.kinds)
        return CensusPlan(discovery.pair, ("openvpn-udp",), chosen, allow_load=True)

    def unfinished_census(self, _discovery: Discovery, plan: CensusPlan) -> int | None:
        unfinished = [number for number, one in self.census_records.items() if not one.is_complete]
        same = [number for number in unfinished if self.census_records[number].plan.items == plan.items]
        return max(same, default=None)

    def run_census(
        self,
        discovery: Discovery,
        plan: CensusPlan,
        *,
        token: CancelToken,
        emit: CensusSink,
        resume_id: int | None = None,
    ) -> CensusRecord:
        self._call("run_census")
        number = resume_id or len(self.census_records) + 1
        done = self.census_records[number].results if resume_id else ()
        facts = {"a": discovery.a.facts, "b": discovery.b.facts}
        record = CensusRecord(number, plan.pair, plan.solutions, False, AT, None, facts, done, "0.2.0", plan)
        message = "The census was cancelled."
        emit(CampaignStarted(number, plan, done))
        for item in plan.items[len(done) :]:
            emit(Progress(item.position / len(plan.items), 5.0, f"openvpn-udp: {item.name}"))
            emit(AttemptStarted(item.key, item.title))
            while not self.census_gate.wait(0.02) and not token.is_cancelled:
                pass
            if token.is_cancelled:
                break
            if item.name == self.census_stops_at:
                self.census_stops_at = ""
                message = "gateway-b stays away."
                break
            record = replace(record, results=(*record.results, result(item)))
            emit(AttemptEnded(record.results[-1]))
        is_complete = len(record.results) == len(plan.items)
        record = replace(record, is_complete=is_complete, ended_at=AT, message="" if is_complete else message)
        self.census_records[number] = record
        status = CampaignStatus.COMPLETED if is_complete else CampaignStatus.INTERRUPTED
        emit(CampaignEnded(number, status, record.message, self.census_left))
        return record

    def census_results(self, census_id: int) -> CensusResults:
        self._call("census_results")
        record = self.census_records[census_id]
        verdicts = {
            (item.solution, item.suite): (
                VERDICTS[item.name],
                (Finding(item.name, VERDICTS[item.name], f"What is known of {item.name}.", "RFC 8221"),),
            )
            for item in record.plan.items
        }
        return CensusResults(record, count_census(record), verdicts)

    def censuses(self) -> tuple[int, ...]:
        return tuple(sorted(self.census_records, reverse=True))

    def write_census(self, _results: CensusResults, path: Path) -> Path:
        self._call("write_census")
        self.written.append(path)
        return path
