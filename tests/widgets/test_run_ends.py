"""Comparison that "Resume" and "Try again" go on with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample

from app.domain.results import CampaignRecord, CampaignStatus
from ui.comparison.run_ends import number_to_resume

NEWEST = 9


@pytest.mark.parametrize(
    ("begun_id", "status", "number"),
    [
        (3, CampaignStatus.INTERRUPTED, 3),
        (3, CampaignStatus.CANCELLED, 3),
        (3, CampaignStatus.COMPLETED, NEWEST),
        (None, CampaignStatus.INTERRUPTED, NEWEST),
    ],
)
def test_what_began_here_goes_on_and_another_one_only_where_nothing_of_it_is_left(
    begun_id: int | None, status: CampaignStatus, number: int
) -> None:
    def record(_number: int) -> CampaignRecord:
        kept = 1 if status is CampaignStatus.CANCELLED else None
        return sample.sample_record(rounds=1, pings=5, attempts_kept=kept, status=status)

    services: Any = SimpleNamespace(unfinished=lambda _pair: NEWEST, record=record)
    assert number_to_resume(services, "lab:practice", begun_id) == number
