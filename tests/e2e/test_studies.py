"""Published studies measured again on a practice lab: one cell in every run, the quick parts in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from program import Run, load

from app.domain.cancel import CancelToken
from app.domain.hub_study import HubKind
from app.domain.paths import Paths
from app.domain.results import CampaignStatus
from app.domain.transfers import TransferCell, TransferResult
from app.lab import Lab
from app.measurement import application_run, application_studies, hub_studies, node_studies, studies, transfers
from app.measurement.control import CampaignControl
from app.measurement.hub_studies import HubPart
from app.measurement.lab_studies import LAB_STUDIES, WantedLabStudy
from app.measurement.node_studies import NodePart
from app.measurement.planned_study import plan_study
from app.measurement.studies import StudyRequest
from app.policy.overview import OVERVIEW
from app.probes.workloads import transactions
from app.ranking.application_study import published_flows
from app.ranking.comparison_study import StudyPart, comparison_studies
from app.ranking.hub_study import hub_cells
from app.ranking.node_study import node_settings
from app.ranking.own_study_figures import own_figures
from app.ranking.study_parts import SATCOM
from app.services.wiring import Services

BYTES = 2_000_000
STATE = (
    "ip -br link | cut -d' ' -f1 | sort; ip netns list; nft list ruleset; tc qdisc show;"
    " sysctl net.ipv4.tcp_congestion_control net.ipv4.ip_forward net.ipv4.tcp_no_metrics_save; pgrep -c perl"
)
"""Lists all that nodes, proxies, conditions and tunnels change on a gateway."""


def states(on_host: Callable[[str, str], str]) -> dict[str, str]:
    return {side: on_host(side, f"{STATE}; true") for side in "AB"}


@pytest.fixture
def services(newest_lab: Lab, tmp_path: Path) -> Services:
    return Services(prompts=None, paths=Paths(tmp_path, newest_lab.folder.parent, tmp_path / "cache"))


@pytest.mark.timeout(600)
def test_one_cell_of_the_satellite_study(
    services: Services,
    newest_lab: Lab,
    on_host: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(studies, "TRANSFER_BYTES", BYTES)
    monkeypatch.setattr(transfers, "MOST_TRIES", 1)  # other tests run beside it
    before = states(on_host)
    cell = TransferCell("leo", "cubic-hystart", "wireguard", "none")
    results: list[TransferResult] = []
    try:
        pair = services.known_pair(newest_lab.pair.name)
        found = services.discover(pair, token=CancelToken(), on_progress=lambda *_: None)
        kept = services.run_study(
            found,
            StudyRequest(SATCOM, (cell,)),
            token=CancelToken(),
            report=lambda _text: None,
            on_result=results.append,
        )
        stored = services.study_results(SATCOM, pair.name)
    finally:
        services.close()
    (result,) = results
    # The link has 10 Mbit/s; a busy computer is slower.
    assert 8 * BYTES / 10e6 < (result.seconds or 0) < 60, result.message
    assert result.received_bytes >= BYTES  # iperf3 ends with a whole block
    assert result.congestion == "cubic"
    assert stored == kept
    assert (kept.rtt_ms or {})["leo"] > 20
    assert states(on_host) == before


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", comparison_studies())
def test_two_candidates_of_each_study_of_comparisons(
    services: Services,
    newest_lab: Lab,
    on_host: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(transactions, "_SECONDS", 1)
    before, study = states(on_host), comparison_studies()[name]
    found = services.discover(
        services.known_pair(newest_lab.pair.name), token=CancelToken(), on_progress=lambda *_: None
    )
    possible = {(one.solution, one.suite) for one in found.candidates}
    bare, *others = [one for one in study.candidate if (one.solution, one.suite) in possible]
    short = StudyPart("short", 20.0, pings=20, seconds=1, rounds=1)
    small = replace(study, candidate=(bare, others[0]), part=(short,))
    try:
        planned = plan_study(services, found, small, "short", is_fresh=True)
        record = services.run(found, planned.plan, control=CampaignControl(), emit=lambda _: None)
    finally:
        services.close()
    assert record.status is CampaignStatus.COMPLETED
    own = own_figures(small, record)
    assert set(own) == set(small.cells)
    assert all((figures[small.figure[0].name] or 0) > 0 for figures in own.values())
    assert states(on_host) == before


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", LAB_STUDIES)
def test_one_cell_of_each_lab_study(
    services: Services,
    newest_lab: Lab,
    on_host: Callable[[str, str], str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    hub_part = HubPart(try_s=2, window_s=4, precision=1.5, recovery=(2,), tcp_s=1, is_quick=True)
    monkeypatch.setattr(hub_studies, "HUB_PARTS", {"quick": hub_part})
    monkeypatch.setattr(node_studies, "NODE_PARTS", {"quick": NodePart(rounds=1, pings=20, seconds=1)})
    (setting, *_), cells = node_settings(), hub_cells(is_quick=True)
    cell = next(one for one in cells if one.kind is HubKind.THROUGHPUT)
    short = replace(published_flows(), first_s=20, later_s=4, second_s=12)
    transfer = TransferCell("leo", "cubic-hystart", "wireguard", "none")
    monkeypatch.setattr(application_run, "published_flows", lambda: short)
    monkeypatch.setattr(application_studies, "application_cells", lambda _part: (transfer,))
    monkeypatch.setattr(node_studies, "node_settings", lambda: (setting,))
    monkeypatch.setattr(hub_studies, "hub_cells", lambda **_: (cell,))
    study, before = LAB_STUDIES[name], states(on_host)
    results: list[Any] = []
    try:
        pair = services.known_pair(newest_lab.pair.name)
        found = services.discover(pair, token=CancelToken(), on_progress=lambda *_: None)
        services.run_lab_study(
            found,
            WantedLabStudy(study, "quick", pair),
            token=CancelToken(),
            report=lambda _text: None,
            on_result=results.append,
        )
        state = study.state("quick", services.lab_results(study.name, pair.name, "quick"))
    finally:
        services.close()
    assert results
    assert not any(one.message for one in results), [one.message for one in results]
    assert (state.measured, state.total) == (1, 1)
    assert states(on_host) == before


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
    assert len(own) >= (3 if study == OVERVIEW else 8)  # most systems of 2004 need a platform of their own
    assert None not in own
    assert "</html>" in page.read_text(encoding="utf-8")
    assert states(on_host) == before


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("study", LAB_STUDIES)
def test_the_quick_part_of_each_lab_study_is_measured_and_leaves_the_gateways_as_before(
    study: str, tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str], tmp_path: Path
) -> None:
    before, out, page = states(on_host), tmp_path / "study.json", tmp_path / "study.html"
    words = ("--part", "quick", "--json", str(out), "--report", str(page))
    tunnelmark("study", "run", study, f"lab:{lab_name}", *words, timeout_s=3000)
    results = load(out)["results"]
    assert len(results) == LAB_STUDIES[study].state("quick", None).total
    assert "</html>" in page.read_text(encoding="utf-8")
    assert states(on_host) == before
