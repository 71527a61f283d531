"""Workloads that run on a hub: built when the candidate's tunnel has been removed, on practice labs only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import NoReturn

import pytest
import sample_records as sample
from campaign_stage import Stage
from fake_pair import ADAPTERS_BY_SUITE, FakeAdapter

from app.domain.errors import InvalidPlan, PairLocked, ProbeFailed, TunnelDown
from app.domain.hosts import Tool, ToolFlavour
from app.domain.hub_study import HubBound, HubWindow
from app.domain.results import Attempt, AttemptStatus, CampaignStatus, CpuUsage
from app.measurement import on_hub
from app.measurement.comparison.workload_needs import refuse_lacking
from app.measurement.messages import HUB_LACKS_SUITE, WORKLOAD_DISTURBED, WORKLOADS_NEED_LAB
from app.probes.hub_rate import HubRate
from app.probes.messages import NO_HUB, NO_HUB_RATE
from app.probes.workloads import TUNNEL_WORKLOADS, WORKLOADS, key_exchanges
from support.message_checks import has_message

NAME = "key-exchanges"
HALF = CpuUsage(50.0, 50.0, 0.0, 0.0, 0.0, 1.0)
FOUND = HubRate((), HubWindow(19.7, 10, 197, 197, 198, duration_s=0.25, hub=HALF, clients=HALF), HubBound.CLIENTS)


@dataclass
class Hubs:
    """A hub of WireGuard, and what its search finds.

    Attributes:
        found: Outcome of a search, or what it raises.
        up: Tunnels that were up during each search.
        tunnels_up: Tunnels that are up now.
    """

    found: HubRate | Exception = FOUND
    up: list[Sequence[str]] = field(default_factory=list)
    tunnels_up: Sequence[str] = ()


@pytest.fixture
def hubs() -> Hubs:
    return Hubs()


def run(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, suite: str = sample.WIREGUARD.suite
) -> tuple[Stage, list[Attempt]]:
    """Run a comparison with that workload; return its attempts in the order of candidates."""
    adapter = FakeAdapter(suite)
    monkeypatch.setitem(ADAPTERS_BY_SUITE, id(adapter), "hub")
    hub = SimpleNamespace(solution="wireguard", adapter=lambda _clients: adapter)
    stage = Stage(workloads=("voice", NAME), hubs={"wireguard": hub})
    hubs.tunnels_up = stage.tunnels.tunnels_up

    class Search:
        def __init__(self, *_: object) -> None:
            pass

        def found(self) -> HubRate:
            hubs.up.append(tuple(stage.tunnels.tunnels_up))
            if isinstance(hubs.found, Exception):
                raise hubs.found
            return hubs.found

    monkeypatch.setattr(key_exchanges, "RateSearch", Search)
    record = stage.run()
    assert record.status is CampaignStatus.COMPLETED
    assert {one.status for one in record.attempts} == {AttemptStatus.COMPLETED}
    return stage, sorted(record.attempts, key=lambda one: one.key.solution)


def outcome(attempt: Attempt) -> tuple[dict[str, float], str]:
    """Return figures and message of the workload, which comes after those that run over the tunnel."""
    assert [one.workload for one in attempt.workloads] == ["voice", NAME]
    return attempt.workloads[1].figures, attempt.workloads[1].message


def test_the_hub_is_up_alone_and_candidates_without_one_say_so(hubs: Hubs, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, (*others, wireguard) = run(hubs, monkeypatch)
    assert hubs.up == [("hub",)]
    assert outcome(wireguard) == ({"rate": 19.7, "duration": 250.0, "hub-cpu": 50.0, "clients-cpu": 50.0}, "")
    assert {one.key.solution for one in others} == {"baseline", "openvpn-udp"}
    assert all(outcome(one) == ({}, NO_HUB()) for one in others)
    assert stage.tunnels.tunnels_up == []


def test_of_its_figures_only_the_rate_is_better_or_worse() -> None:
    directions = {one.name: one.is_lower_better for one in WORKLOADS[NAME].figures}
    assert directions == {"rate": False, "duration": None, "hub-cpu": None, "clients-cpu": None}


def test_a_hub_without_the_suite_is_not_built(hubs: Hubs, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, (*_, wireguard) = run(hubs, monkeypatch, suite="another")
    expected = HUB_LACKS_SUITE(suite=sample.WIREGUARD.suite, offered=("another",))
    assert outcome(wireguard) == ({}, expected)
    assert "hub" not in stage.tunnels.opened


@pytest.mark.parametrize(
    ("found", "message"),
    [(HubRate((), message=NO_HUB_RATE()), NO_HUB_RATE()), (ProbeFailed("No line."), "No line.")],
)
def test_a_search_without_a_rate_is_a_result(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, found: HubRate | Exception, message: str
) -> None:
    hubs.found = found
    assert outcome(run(hubs, monkeypatch)[1][-1]) == ({}, message)


def test_a_hub_that_does_not_come_up_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = FakeAdapter(sample.WIREGUARD.suite)
    monkeypatch.setitem(ADAPTERS_BY_SUITE, id(adapter), "hub")
    hub = SimpleNamespace(solution="wireguard", adapter=lambda _clients: adapter)
    stage = Stage(workloads=(NAME,), hubs={"wireguard": hub})
    stage.tunnels.faults = {"hub": TunnelDown("no module")}
    (wireguard,) = (one for one in stage.run().attempts if one.key.solution == "wireguard")
    assert (wireguard.status, wireguard.workloads[0].message) == (AttemptStatus.COMPLETED, "no module")


def test_a_host_that_refuses_the_hub_takes_nothing_from_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = SimpleNamespace(solution="wireguard", adapter=lambda _clients: FakeAdapter(sample.WIREGUARD.suite))
    stage = Stage(workloads=(NAME,), hubs={"wireguard": hub})

    def open_group(*_: object, **__: object) -> NoReturn:
        raise PairLocked("Another Tunnelmark works on gateway-a.")

    monkeypatch.setattr(stage.tunnels, "open_group", open_group)
    (wireguard,) = (one for one in stage.run().attempts if one.key.solution == "wireguard")
    assert (wireguard.status, wireguard.workloads[0].figures) == (AttemptStatus.COMPLETED, {})
    assert wireguard.workloads[0].message == "Another Tunnelmark works on gateway-a."
    assert wireguard.latency


def test_other_work_of_the_computer_while_the_hub_is_up_is_a_doubt(hubs: Hubs, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[str]] = []

    def cores() -> float:
        seen.append(tuple(hubs.tunnels_up))
        return 0.9

    load = SimpleNamespace(start=lambda: seen.append(tuple(hubs.tunnels_up)), cores=cores)
    monkeypatch.setattr(on_hub, "OwnLoad", lambda _guests: load)
    *others, wireguard = run(hubs, monkeypatch)[1]
    assert seen == [("hub",), ("hub",)]
    expected = WORKLOAD_DISTURBED(workload=WORKLOADS[NAME].title, cores=0.9)
    assert wireguard.workloads[1].doubt == expected
    assert expected not in wireguard.doubts  # its latency was measured before: what disturbed the hub did not touch it
    assert not any(result.doubt for one in others for result in one.workloads)


@pytest.mark.parametrize(
    ("bound", "hub_busy_pct", "is_lower_bound"),
    [
        (HubBound.CLIENTS, 50.0, True),
        (HubBound.NONE, 50.0, True),
        (HubBound.NONE, 95.0, False),
        (HubBound.HUB, 50.0, False),
        (HubBound.LIMITER, 50.0, False),
    ],
)
def test_a_rate_is_a_lower_bound_where_the_hub_has_cpu_left_and_was_not_the_limit(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, bound: HubBound, hub_busy_pct: float, *, is_lower_bound: bool
) -> None:
    window = FOUND.window
    assert window is not None
    cpu = replace(HALF, busy_pct=hub_busy_pct)
    hubs.found = replace(FOUND, bound=bound, window=replace(window, hub=cpu))
    *_, wireguard = run(hubs, monkeypatch)[1]
    assert wireguard.workloads[1].lower_bounds == (("rate",) if is_lower_bound else ())


def test_it_is_refused_on_hosts_of_the_users_own() -> None:
    facts = sample.facts()
    with pytest.raises(InvalidPlan, check=has_message(WORKLOADS_NEED_LAB, pair=sample.pair(is_lab=False).name)):
        refuse_lacking(sample.pair(is_lab=False), {"a": facts, "b": facts}, [NAME])
    assert NAME not in TUNNEL_WORKLOADS
    perl = Tool("perl", ToolFlavour.UNKNOWN, "5.40", "/usr/bin/perl")
    facts.tools["perl"] = perl
    refuse_lacking(sample.pair(is_lab=True), {"a": facts, "b": facts}, [NAME])
