"""A solution with options, and tunnels that do with them what a test says; no network, no waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from app.domain.adapters import EndpointPlan, TunnelPlan
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord, OptionResult
from app.domain.conditions import MeasuredCondition
from app.domain.errors import CommandFailed, NotFound
from app.domain.history import EntryKind
from app.domain.hosts import HostFacts, Side
from app.domain.profiles import FRAME_BYTES
from app.domain.results import CampaignStatus
from app.domain.solutions import Carrier, CensusOption, OptionKind, SecurityProperties, SolutionInfo, Space, Suite
from app.probes.smoke_test import SmokeTestOutcome, SmokeTestRequest

SAFE = Suite("aes-256-gcm", "AES-256-GCM", ("AES-256-GCM",), is_default=True)

WELL = SmokeTestOutcome(
    sent=20,
    received=20,
    captured=40,
    clear_marks=0,
    control_marks=2,
    mean_ms_by_frame=dict.fromkeys(FRAME_BYTES, 2.0),
    throughput_mbit_s=10.0,
)
SILENT = replace(WELL, received=0, captured=20, mean_ms_by_frame={}, throughput_mbit_s=None)
READABLE = replace(WELL, clear_marks=40)


def option(
    name: str, kind: OptionKind = OptionKind.CIPHER, *, alias_of: str = "", is_unprotected: bool = False
) -> CensusOption:
    return CensusOption(name, kind, Suite(f"{kind}-{name.lower()}", name, (name,)), alias_of, is_unprotected)


@dataclass(frozen=True)
class FakeCensusAdapter:
    """Offers a safe default, and options."""

    name: str
    options: tuple[CensusOption, ...]
    default: Suite | None = SAFE

    @property
    def info(self) -> SolutionInfo:
        security = SecurityProperties(True, True, True, True, True)
        return SolutionInfo(self.name, self.name, "A VPN of a test.", Space.USER, Carrier.UDP, security, 1, 1)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        return (self.default,) if self.default is not None else ()

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        return self.options


class FakeTunnel:
    """A running tunnel that takes one suite after the other."""

    def __init__(self, tunnels: FakeCensusTunnels, suite: Suite) -> None:
        self._tunnels = tunnels
        end = EndpointPlan((), (), "tmk0")
        self.plan = TunnelPlan(
            "", suite, end, end, "198.18.0.1", "198.18.0.2", 1500, None, "", outer_filter="udp port 21194"
        )
        self.negotiated = suite.title
        self.lost: Mapping[Side, str] = {}

    def can_switch(self, suite: Suite) -> bool:
        return self._tunnels.is_switchable

    def switch(self, suite: Suite, *, token: CancelToken, up_timeout_s: float | None = None) -> None:
        self._tunnels.did.append(f"switch {suite.title}")
        self._tunnels.up_timeouts_s.append(up_timeout_s)
        self._tunnels.remain_up(suite, token)
        self.plan, self.negotiated = replace(self.plan, suite=suite), suite.title

    def collect_logs(self, token: CancelToken) -> str:
        return self._tunnels.log


@dataclass
class FakeCensusTunnels:
    """Implements the census's Tunnels.

    Attributes:
        faults: What bringing up raises, by title of the suite: each time the next one, None for none; the last repeats.
        outcomes: What is seen, likewise; else all is well.
        on_smoke_test: Called with the suite's title before it is tested.
    """

    faults: dict[str, list[BaseException | None]] = field(default_factory=dict)
    outcomes: dict[str, list[SmokeTestOutcome]] = field(default_factory=dict)
    on_smoke_test: Callable[[str], None] = lambda _title: None
    is_switchable: bool = True
    log: str = ""
    kernel: str = ""
    did: list[str] = field(default_factory=list)
    requests: list[SmokeTestRequest] = field(default_factory=list)
    up_timeouts_s: list[float | None] = field(default_factory=list)
    tunnels_up: int = 0
    recovered: int = 0
    _title: str = ""

    @contextmanager
    def open(
        self, adapter: FakeCensusAdapter, suite: Suite, *, token: CancelToken, on_stage: object
    ) -> Iterator[FakeTunnel]:
        self.did.append(f"open {suite.title}")
        token.raise_if_cancelled()
        self.remain_up(suite, token)
        self.tunnels_up += 1
        try:
            yield FakeTunnel(self, suite)
        finally:
            self.tunnels_up -= 1
            self.did.append("close")

    def remain_up(self, suite: Suite, token: CancelToken) -> None:
        token.raise_if_cancelled()
        self._title = suite.title
        fault = _next(self.faults.get(suite.title, []))
        if fault is not None:
            raise fault

    def smoke_test(self, request: SmokeTestRequest, *, token: CancelToken) -> SmokeTestOutcome:
        self.requests.append(request)
        self.on_smoke_test(self._title)
        token.raise_if_cancelled()
        return _next(self.outcomes.get(self._title, [])) or WELL

    def kernel_words(self, since_s: float, *, token: CancelToken) -> str:
        return self.kernel

    def recover(self, *, token: CancelToken) -> tuple[str, ...]:
        self.recovered += 1
        return ("gateway-a was put back.",)


def _next(answers: list) -> object:  # type: ignore[type-arg]
    if len(answers) > 1:
        return answers.pop(0)
    return answers[0] if answers else None


def broken(words: str = "") -> CommandFailed:
    """Return what a step that does not work raises."""
    return CommandFailed("A step failed on gateway-a.", context={"output": words})


class FakeCensusStore:
    """Implements CensusStore in memory."""

    def __init__(self) -> None:
        self.plans: dict[int, CensusPlan] = {}
        self.facts: dict[int, Mapping[str, HostFacts]] = {}
        self.results: dict[int, dict[int, OptionResult]] = {}
        self.messages: dict[int, str] = {}
        self.versions: dict[int, str] = {}
        self.claimed: list[int] = []

    def create_campaign(self, plan: CensusPlan, facts: Mapping[str, HostFacts], version: str) -> int:
        number = len(self.plans) + 1
        self.plans[number], self.facts[number], self.results[number] = plan, facts, {}
        self.versions[number] = version
        return number

    def claim_campaign(self, census_id: int, _kind: EntryKind) -> None:
        self.claimed.append(census_id)

    def save_condition(self, census_id: int, found: MeasuredCondition) -> None:
        raise AssertionError(f"Census {census_id} is under no condition, and stored {found}.")

    def save_attempt(self, census_id: int, result: OptionResult) -> None:
        self.results[census_id].pop(result.position, None)
        self.results[census_id][result.position] = result

    def finish_campaign(self, census_id: int, _status: CampaignStatus, message: str, _kind: EntryKind) -> None:
        self.messages[census_id] = message

    def unfinished_censuses(self, pair: str, limit: int = 20) -> tuple[int, ...]:
        return tuple(number for number in self.plans if not self.load_census(number).is_complete)

    def load_census(self, census_id: int) -> CensusRecord:
        if census_id not in self.plans:
            raise NotFound("There is no such census.")
        plan, results = self.plans[census_id], tuple(self.results[census_id].values())
        is_complete = sum(result.status != "not-run" for result in results) == len(plan.items)
        return CensusRecord(
            census_id=census_id,
            pair=plan.pair,
            solutions=plan.solutions,
            is_complete=is_complete,
            started_at=datetime(2026, 3, 4, tzinfo=UTC),
            ended_at=None,
            facts=self.facts[census_id],
            results=results,
            tunnelmark_version=self.versions[census_id],
            plan=plan,
            message=self.messages.get(census_id, ""),
        )

    def audit(self, entry: AuditEntry) -> None:
        pass
