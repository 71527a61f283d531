"""Size of the database, and how soon a large comparison is loaded."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.domain.results import CampaignStatus, LatencySeries
from app.storage import Store
from support.sample_records import sample_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data" / "tunnelmark.db"


def _large(path: Path, attempts: int, pings: int) -> int:
    """Store a campaign of made-up attempts whose times scatter as under software emulation; return its number."""
    record = sample_record(rounds=1, pings=1)
    template = record.attempts[2]
    rng = np.random.default_rng(5)
    keys = tuple(replace(template.key, position=position) for position in range(attempts))
    with Store.open(path) as store:
        # No power is cut here: what is stored need not be on the disk after each attempt.
        store._database._run(lambda connection: connection.execute("PRAGMA synchronous = OFF"))
        campaign_id = store.create_campaign(replace(record.plan, attempts=keys), record.facts, "0.1.0")
        for key in keys:
            latency = tuple(
                LatencySeries(s.frame_bytes, pings, pings, 0, rng.lognormal(7.3, 0.4, pings).astype(np.uint32))
                for s in template.latency
            )
            # What packet tests showed is kept once per candidate: of eight rounds, with the first.
            capture = template.capture if key.position % 8 == 0 else None
            store.save_attempt(campaign_id, replace(template, key=key, latency=latency, capture=capture))
        store.finish_campaign(campaign_id, CampaignStatus.COMPLETED)
    return campaign_id


@pytest.mark.parametrize(("attempts", "pings"), [(40, 200), (12, 2_000), (4, 10_000)])
def test_the_whole_file_takes_at_most_three_bytes_for_each_sample(path: Path, attempts: int, pings: int) -> None:
    Store.open(path).close()
    empty = path.stat().st_size
    _large(path, attempts, pings)
    each = (path.stat().st_size - empty) / (attempts * 7 * pings)
    print(f"{pings} echo requests: {each:.2f} bytes per sample, everything about the attempts included")
    assert each <= 3.0


@pytest.mark.parametrize(
    ("attempts", "most_s"), [(200, 0.4), pytest.param(1_000, 2.0, marks=pytest.mark.full)], ids=["200", "1000"]
)
def test_many_attempts_are_loaded_quickly(path: Path, attempts: int, most_s: float) -> None:
    campaign_id = _large(path, attempts, 200)
    with Store.open(path) as store:
        times_s = []
        for _ in range(3):
            # Not the clock: other programs on this computer are not what is measured. They share its caches, though: it
            # takes twice as long beside them, so the limit is several times what is usual.
            before = time.process_time()
            record = store.load_campaign(campaign_id)
            times_s.append(time.process_time() - before)
    assert len(record.attempts) == attempts
    print(f"{attempts} attempts of 7 x 200 samples: {min(times_s):.3f} s")
    assert min(times_s) < most_s
