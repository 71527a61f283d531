"""Published studies measured again on a practice lab: one cell in every run, the quick parts in full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from program import Run, load

from app.domain.cancel import CancelToken
from app.domain.paths import Paths
from app.domain.transfers import TransferCell, TransferResult
from app.lab import Lab
from app.measurement import studies, transfers
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.studies import StudyRequest
from app.ranking.comparison_study import comparison_studies
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
    assert len(own) >= 8
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
