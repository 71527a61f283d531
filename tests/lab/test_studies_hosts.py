"""Published studies of comparisons on hosts made of namespaces: the bare link and one VPN of each, in every run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.discovery.candidates import find_candidates
from app.domain.results import CampaignStatus, Candidate
from app.domain.verdicts import Verdict
from app.host.snapshots import SnapshotDepth
from app.measurement.comparison import plan_campaign
from app.policy.overview import OVERVIEW
from app.probes.workloads import transactions
from app.ranking.comparison_study import StudyPart, comparison_studies
from app.ranking.own_study_figures import own_figures
from app.storage import Store
from support.lab_campaign import find_out, run
from support.lab_deploy import wait_until_as_before
from support.lab_sessions import wait_until_clean
from support.net_bench import NetBench
from support.tunnel_checks import USER_SPACE
from vpn_adapters.registry import ADAPTERS

SHORT = StudyPart("short", 20.0, pings=20, seconds=1, rounds=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "tunnelmark.db") as store:
        yield store


@pytest.mark.parametrize("name", comparison_studies())
def test_bare_link_and_one_vpn_of_each_study(
    net: NetBench, store: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(transactions, "_SECONDS", 1)
    found, before = find_out(net.pair, net.sessions), net.inspect(SnapshotDepth.QUICK)
    offered, _ = find_candidates(ADAPTERS, *found.facts.values())
    possible = {(one.solution, one.suite) for one in offered}
    bare, *others = comparison_studies()[name].candidate
    vpn = next(one for one in others if one.solution in USER_SPACE and (one.solution, one.suite) in possible)
    study = replace(comparison_studies()[name], candidate=(bare, vpn), part=(SHORT,))
    candidates = [Candidate(one.solution, one.suite, one.published, Verdict.INSECURE) for one in study.candidate]
    plan = plan_campaign(net.pair, candidates, SHORT.amounts, seed=study.seed, workloads=study.workloads)
    record = run(plan, net.sessions, found, store, capture=name == OVERVIEW)  # it has the overhead of its candidates

    assert record.status is CampaignStatus.COMPLETED
    own = own_figures(study, record)
    assert set(own) == set(study.cells)
    assert all((figures[study.figure[0].name] or 0) > 0 for figures in own.values())
    wait_until_clean(net.sessions.a, net.sessions.b, timeout_s=120)
    wait_until_as_before(net.sessions, before)
