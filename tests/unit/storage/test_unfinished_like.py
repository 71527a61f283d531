"""Interrupted comparisons that go on where the same is asked for again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import sample_records as sample

from app.domain.condition_files import presets
from app.domain.results import CampaignRecord, CampaignStatus
from app.storage import Store

HALF = sample.sample_record(rounds=1, pings=5, attempts_kept=2)
PLAN = HALF.plan


def stored(store: Store, record: CampaignRecord, status: CampaignStatus) -> int:
    number = store.create_campaign(record.plan, record.facts, record.tunnelmark_version)
    for attempt in record.attempts:
        store.save_attempt(number, attempt)
    store.finish_campaign(number, status, "")
    return number


def test_those_of_the_same_plan_after_its_last_complete_one_go_on_newest_first(tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:

        def found() -> tuple[int, ...]:
            return store.unfinished_like(PLAN)

        first = stored(store, HALF, CampaignStatus.INTERRUPTED)
        second = stored(store, HALF, CampaignStatus.CANCELLED)
        others: list[Any] = [
            {"seed": PLAN.seed + 1},
            {"workloads": ("voice",)},
            {"candidates": PLAN.candidates[1:]},
            {"condition": presets()["geo"]},
            {"pair": replace(PLAN.pair, name="another")},
        ]
        for changes in others:
            stored(store, replace(HALF, plan=replace(PLAN, **changes)), CampaignStatus.INTERRUPTED)
        assert found() == (second, first)
        stored(store, sample.sample_record(rounds=1, pings=5), CampaignStatus.COMPLETED)
        assert found() == ()
        third = stored(store, HALF, CampaignStatus.INTERRUPTED)
        assert found() == (third,)
