"""Time of ranking 1 000 stored attempts of 7 sizes with 200 echo requests each. Figures are synthetic."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sample_records import MODELS, sample_record

from app.domain.results import CampaignRecord, CampaignStatus
from app.ranking import rank
from app.storage import Store

ROUNDS = 200
LIMIT_S = 1.0

CAMPAIGN = sample_record(rounds=ROUNDS, pings=200, models=MODELS[:5])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    with Store.open(folder / "tunnelmark.db") as store:
        store.save_pair(CAMPAIGN.plan.pair)
        number = store.create_campaign(CAMPAIGN.plan, CAMPAIGN.facts, CAMPAIGN.tunnelmark_version)
        for attempt in CAMPAIGN.attempts:
            store.save_attempt(number, attempt)
        store.finish_campaign(number, CampaignStatus.COMPLETED)
    return folder


def fastest(work: Callable[[], object], times: int = 5) -> tuple[float, float]:
    """Return the least wall and CPU time of several runs, in seconds; other work on the machine only adds to it."""
    walls, cpus = [], []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus)


def load(home: Path) -> CampaignRecord:
    with Store.open(home / "tunnelmark.db") as store:
        number = store.latest_campaign()
        assert number is not None
        return store.load_campaign(number)


def test_rank_in_memory() -> None:
    assert len(CAMPAIGN.attempts) == 1001
    wall_s, cpu_s = fastest(lambda: rank(CAMPAIGN))
    print(f"\nrank, 1001 attempts in memory: {wall_s * 1000:.0f} ms wall, {cpu_s * 1000:.0f} ms CPU")
    assert cpu_s < LIMIT_S / 2


def test_load_and_rank(home: Path) -> None:
    wall_s, cpu_s = fastest(lambda: rank(load(home)))
    print(f"\nload and rank, 1001 stored attempts: {wall_s * 1000:.0f} ms wall, {cpu_s * 1000:.0f} ms CPU")
    assert cpu_s < LIMIT_S


def test_the_whole_command(home: Path) -> None:
    environment = {**os.environ, "TUNNELMARK_HOME": str(home)}
    argv = [sys.executable, "-m", "ui.main", "rank"]
    walls, cpus = [], []
    for _ in range(5):
        before, began = os.times(), time.perf_counter()
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
        after = os.times()
        walls.append(time.perf_counter() - began)
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
        assert "WireGuard" in done.stdout
    print(f"\ntunnelmark rank, 1001 stored attempts: {min(walls):.2f} s wall, {min(cpus):.2f} s CPU")
    assert min(cpus) < LIMIT_S
