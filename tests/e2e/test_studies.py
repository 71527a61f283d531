"""Published studies measured again on a practice lab: one cell in every run, the quick parts in full.

Those that are comparisons have their cells in every run on hosts made of namespaces: tests/lab/test_studies_hosts.py.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_path
from program import Run, load

from app.discovery.pair_discovery import Discovery
from app.domain import application_study, hub_study, node_study
from app.domain import transfers as domain_transfers
from app.domain.cancel import CancelToken
from app.domain.conditions import Quantity
from app.domain.hosts import PairSpec
from app.domain.hub_study import HubKind
from app.domain.paths import Paths
from app.domain.transfers import TransferCell, TransferResult
from app.lab import Lab, LabManager, LabSpec
from app.measurement import (
    application_run,
    application_studies,
    cell_run,
    hub_studies,
    node_studies,
    studies,
    transfers,
)
from app.measurement.hub_studies import HubPart
from app.measurement.lab_studies import LAB_STUDIES, WantedLabStudy
from app.measurement.node_studies import NodePart
from app.measurement.studies import StudyRequest
from app.policy.overview import OVERVIEW
from app.probes.hub_rate import RateAmounts
from app.probes.workloads import voice
from app.ranking.application_study import published_flows
from app.ranking.comparison_study import comparison_studies
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY, node_settings
from app.ranking.study_parts import SATCOM
from app.services.wiring import Services
from app.storage.lab_results import NodeResults
from app.storage.study_results import results_file
from support.adapter_cases import FORMER, LEGACY_PLATFORM, LIBRESWAN_PLATFORM, OWN_PLATFORMS
from support.node_order import printed_against, rounds_against
from support.waiting import wait_until

BYTES = 1_000_000
STATE = (
    "ip -br link | cut -d' ' -f1 | sort; ip netns list; nft list ruleset; tc qdisc show;"
    " sysctl net.ipv4.tcp_congestion_control net.ipv4.ip_forward net.ipv4.tcp_no_metrics_save; pgrep -c perl"
)
"""Lists all that nodes, proxies, conditions and tunnels change on a gateway."""


ON_EACH_PLATFORM = {"baseline", "openvpn-udp", "tinc"}
"""Systems of 2004 that each platform of the practice lab has, and the bare link."""
ON_ITS_OWN_PLATFORM = {LEGACY_PLATFORM: FORMER, LIBRESWAN_PLATFORM: {"libreswan"}}
"""Those that a platform alone has."""


def systems_with_figures(found: Any) -> set[str]:
    """Return the systems of 2004 that have a latency and a throughput of their own."""
    figures = {one["solution"]: one["own"] or {} for one in found["rows"]}
    return {name for name, own in figures.items() if own.get("weighted_latency_ms") and own.get("throughput_mbit_s")}


def states(on_host: Callable[[str, str], str]) -> dict[str, str]:
    return {side: on_host(side, f"{STATE}; true") for side in "AB"}


@pytest.fixture
def beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let figures count that other tests disturb: what is measured beside them is not the subject here."""
    for module in (application_study, hub_study, node_study, domain_transfers):
        monkeypatch.setattr(module, "DISTURBED_CORES", math.inf)
    monkeypatch.setattr(cell_run, "why_not_met", lambda _found: "")
    monkeypatch.setattr(transfers, "MOST_TRIES", 1)


@dataclass(frozen=True)
class Inspected:
    """The lab's pair as the program's services see it.

    Attributes:
        services: They keep what they measure in a folder of their own.
        found: What they found on the pair.
    """

    services: Services
    found: Discovery

    @property
    def pair(self) -> PairSpec:
        """The pair."""
        return self.found.pair


@pytest.fixture(scope="module")
def inspected(newest_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inspected]:
    folder = tmp_path_factory.mktemp("studies")
    services = Services(prompts=None, paths=Paths(folder, newest_lab.folder.parent, folder / "cache"))
    try:
        pair = services.known_pair(newest_lab.pair.name)
        yield Inspected(services, services.discover(pair, token=CancelToken(), on_progress=lambda *_: None))
    finally:
        services.close()


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("beside_others")
def test_one_cell_of_the_satellite_study(
    inspected: Inspected, on_host: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "TRANSFER_BYTES", BYTES)
    before = states(on_host)
    cell = TransferCell("leo", "cubic-hystart", "wireguard", "none")
    results: list[TransferResult] = []
    kept = inspected.services.run_study(
        inspected.found,
        StudyRequest(SATCOM, (cell,)),
        token=CancelToken(),
        report=lambda _text: None,
        on_result=results.append,
    )
    stored = inspected.services.study_results(SATCOM, inspected.pair.name)
    (result,) = results
    # The link has 10 Mbit/s; a busy computer is slower.
    assert 8 * BYTES / 10e6 < (result.seconds or 0) < 300, result.message
    assert result.received_bytes >= BYTES  # iperf3 ends with a whole block
    assert result.congestion == "cubic"
    assert stored == kept
    found = result.measured_condition
    assert found is not None
    (rtt_ms,) = (one.measured for one in found.checks if one.quantity is Quantity.RTT)
    assert rtt_ms > 20
    # A busy computer may miss the link's rate or delay; then no round-trip time is claimed for the condition.
    assert (kept.rtt_ms or {}) == ({"leo": rtt_ms} if found.is_met else {})
    wait_until(lambda: states(on_host) == before, "both gateways as before")


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("beside_others")
@pytest.mark.parametrize("name", LAB_STUDIES)
def test_one_cell_of_each_lab_study(
    inspected: Inspected, on_host: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    hub_part = HubPart(RateAmounts(try_s=2, window_s=4, precision=1.5), recovery=(2,), tcp_s=1, is_quick=True)
    monkeypatch.setattr(hub_studies, "HUB_PARTS", {"quick": hub_part})
    monkeypatch.setattr(node_studies, "NODE_PARTS", {"quick": NodePart(rounds=1, pings=20, seconds=1)})
    (setting, *_), cells = node_settings(), hub_cells(is_quick=True)
    cell = next(one for one in cells if one.kind is HubKind.THROUGHPUT)
    short = replace(published_flows(), first_s=10, later_s=2, second_s=6)
    monkeypatch.setattr(voice, "_COUNT", 150)
    transfer = TransferCell("leo", "cubic-hystart", "wireguard", "none")
    monkeypatch.setattr(application_run, "published_flows", lambda: short)
    monkeypatch.setattr(application_studies, "application_cells", lambda _part: (transfer,))
    monkeypatch.setattr(node_studies, "node_settings", lambda: (setting,))
    monkeypatch.setattr(hub_studies, "hub_cells", lambda **_: (cell,))
    study, before = LAB_STUDIES[name], states(on_host)
    results: list[Any] = []
    inspected.services.run_lab_study(
        inspected.found,
        WantedLabStudy(study, "quick", inspected.pair),
        token=CancelToken(),
        report=lambda _text: None,
        on_result=results.append,
    )
    state = study.state("quick", inspected.services.lab_results(study.name, inspected.pair.name, "quick"))
    assert results
    assert not any(one.message for one in results), [one.message for one in results]
    assert (state.measured, state.total) == (1, 1)
    wait_until(lambda: states(on_host) == before, "both gateways as before")


@pytest.fixture(scope="module", params=OWN_PLATFORMS)
def own_platform_lab(request: pytest.FixtureRequest, has_qemu: None, home: Path) -> Iterator[Lab]:
    """A lab of a platform for systems that no other one has; the program finds it in its home."""
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=home / "labs")
    name = f"own-{OWN_PLATFORMS.index(request.param)}-{os.getpid()}"
    spec = LabSpec(name, request.param, request.param)
    yield manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    manager.down(name)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("study", "rows"), [(SATCOM, "cells"), *((name, "rows") for name in comparison_studies())])
def test_the_quick_part_of_each_study_is_measured_and_leaves_the_gateways_as_before(
    study: str, rows: str, tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str], tmp_path: Path
) -> None:
    before, out, page = states(on_host), tmp_path / "study.json", tmp_path / "study.html"
    words = ("--part", "quick", "--json", str(out), "--report", str(page))
    tunnelmark("study", "run", study, f"lab:{lab_name}", *words, timeout_s=3000)
    found = load(out)
    left_out = found.get("left_out", [])
    measured = [one for one in found[rows] if [one["solution"], one.get("suite")] not in left_out]
    own = [one.get("own", one.get("seconds")) for one in measured]
    if study == OVERVIEW:
        assert systems_with_figures(found) == ON_EACH_PLATFORM
    else:
        assert len(own) >= 8
    assert None not in own
    assert "</html>" in page.read_text(encoding="utf-8")
    assert states(on_host) == before


@pytest.mark.full
@pytest.mark.timeout(5400)
def test_the_systems_of_2004_that_a_platform_alone_has_are_measured_and_leave_the_gateways_as_before(
    tunnelmark: Run, own_platform_lab: Lab, tmp_path: Path
) -> None:
    spec, out = own_platform_lab.spec, tmp_path / "study.json"

    def on_host(side: str, line: str) -> str:
        shown: str = tunnelmark("lab", "ssh", side, "--name", spec.name, "--", line).stdout
        return shown

    before = states(on_host)
    words = ("--part", "quick", "--json", str(out))
    tunnelmark("study", "run", OVERVIEW, f"lab:{spec.name}", *words, timeout_s=3000)
    assert systems_with_figures(load(out)) == ON_EACH_PLATFORM | ON_ITS_OWN_PLATFORM[spec.platform_a]
    assert states(on_host) == before


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("study", LAB_STUDIES)
def test_the_quick_part_of_each_lab_study_is_measured_and_leaves_the_gateways_as_before(
    study: str, tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str], home: Path, tmp_path: Path
) -> None:
    before, out, page = states(on_host), tmp_path / "study.json", tmp_path / "study.html"
    words = ("--part", "quick", "--json", str(out), "--report", str(page))
    time = ("--within", "40") if study == HUB_STUDY else ()
    tunnelmark("study", "run", study, f"lab:{lab_name}", *words, *time, timeout_s=3000)
    found = load(out)
    assert len(found["results"]) == LAB_STUDIES[study].state("quick", None).total
    if study == HUB_STUDY:
        restarts = [one for one in found["results"] if one["cell"]["kind"] == HubKind.RECOVERY]
        assert {one["cell"]["within_s"] for one in restarts} == {40}
        assert "clients back within 40 s after a restart of the hub" in page.read_text(encoding="utf-8")
    if study == NODE_STUDY:
        kept = NodeResults.read(results_file(home / "studies", f"{study}-quick", f"lab:{lab_name}"))
        assert kept is not None
        assert len(kept.results) == len(found["results"])
        assert (printed_against(found["order"]), rounds_against(kept.results)) == ([], []), found["figures"]
    assert "</html>" in page.read_text(encoding="utf-8")
    assert states(on_host) == before
