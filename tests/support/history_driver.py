"""A history with comparisons of two pairs, a census and a deployment, for tests of the window."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

from deployments_driver import show_active
from fake_services import FakeServices
from sample_records import MODELS, STARTED, pair, sample_record
from window_driver import Driver

from app.domain.cancel import CancelToken
from app.domain.results import CampaignStatus
from app.measurement.census.stored import CensusOptions

FAILING = tuple(one if not nth else replace(one, failure=("preflight", "no")) for nth, one in enumerate(MODELS))


def fill_history(driver: Driver) -> None:
    """Store comparisons 1 to 3, census 1 and a deployment."""
    records = driver.services.records
    plant = sample_record(rounds=2, pings=10, models=MODELS[:5], pair_spec=pair(is_lab=False))
    records[1] = replace(sample_record(rounds=1, pings=10), campaign_id=1)
    records[2] = replace(plant, campaign_id=2, started_at=STARTED + timedelta(days=1), note="old firmware")
    failed = sample_record(rounds=1, pings=10, models=FAILING, status=CampaignStatus.INTERRUPTED)
    records[3] = replace(failed, campaign_id=3, started_at=STARTED + timedelta(days=2))
    if not driver.services.census_records:
        with ThreadPoolExecutor(1) as worker:  # services are never called on the window's thread
            worker.submit(_take_census, driver.services).result()
    if not driver.services.deployed:
        show_active(driver)


def _take_census(services: FakeServices) -> None:
    """Store the census that the page of the same name would take."""
    token = CancelToken()
    found = services.discover(pair(), token=token, on_progress=lambda _what, _share: None)
    plan = services.plan_census(found, CensusOptions(has_load_consent=True))
    services.run_census(found, plan, token=token, emit=lambda _event: None)
