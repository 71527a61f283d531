"""A census of a made-up VPN, of which everything is false but the census itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan, CensusRecord
from app.domain.events import CensusEvent
from app.domain.hosts import Tool, ToolFlavour
from app.domain.link import Link, LinkHealer
from app.domain.solutions import CensusOption, OptionKind
from app.measurement.census import Census as CensusWork
from app.measurement.census import plan_census
from app.measurement.control import CampaignControl
from app.measurement.engine import CampaignHosts, run_campaign
from support import sample_records as sample
from support.census_world import FakeCensusAdapter, FakeCensusStore, FakeCensusTunnels, option
from support.fake_pair import FakePair

TOOLS = {
    name: Tool(name, ToolFlavour.IPUTILS if name == "ping" else ToolFlavour.STANDARD)
    for name in ("ping", "tcpdump", "iperf3")
}
FACTS = {side: replace(sample.facts(f"gw-{side}"), tools=dict(TOOLS)) for side in "ab"}
PAIR = sample.pair()
LINK = Link(PAIR.underlay_a, PAIR.underlay_b)

CBC, BF, SHAKE = option("AES-128-CBC"), option("BF-CBC"), option("SHAKE128", OptionKind.MAC)
NONE = option("none", is_unprotected=True)
SHA256 = option("SHA256", OptionKind.MAC)
ALIAS = option("RSA-SHA256", OptionKind.MAC, alias_of="SHA256")


class Census:
    """One census of a made-up VPN, run as often as a test wants."""

    def __init__(self, *options: CensusOption, tunnels: FakeCensusTunnels | None = None) -> None:
        self.adapters = {"vpn": FakeCensusAdapter("vpn", options)}
        self.tunnels = tunnels or FakeCensusTunnels()
        self.store = FakeCensusStore()
        self.events: list[CensusEvent] = []
        self.token = CancelToken()
        self.pair = FakePair()
        self.healer: LinkHealer | None = None
        self.control = CampaignControl()
        self.on_event: Callable[[CensusEvent], None] = lambda _event: None

    def plan(self, **changes: object) -> CensusPlan:
        return replace(plan_census(PAIR, self.adapters, FACTS), **changes)  # type: ignore[arg-type]

    def run(self, resume_id: int | None = None, plan: CensusPlan | None = None) -> CensusRecord:
        self.control = CampaignControl(token=self.token)

        def emit(event: CensusEvent) -> None:
            self.events.append(event)
            self.on_event(event)

        return run_campaign(
            CensusWork,
            plan or self.plan(),
            CampaignHosts(
                self.pair.sessions(), self.adapters, LINK, FACTS, (), tunnels=self.tunnels, healer=self.healer
            ),
            store=self.store,
            control=self.control,
            emit=emit,
            version="0.1.0",
            resume_id=resume_id,
        )

    def statuses(self, record: CensusRecord) -> dict[str, str]:
        return {result.name: result.status.value for result in record.results}
