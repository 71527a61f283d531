"""The pages of deployments where a tunnel is metered."""

from __future__ import annotations

import pytest
from deploy_driver import inspected
from deployments_driver import cell, page_of, show_active
from fake_deployment_values import status_of
from sample_records import pair
from window_driver import Driver

from app.domain.deployment import DeploymentOptions
from app.domain.keepalive import Keepalive
from ui.deployments.deployments_table import TUNNEL


@pytest.mark.parametrize("keepalive", list(Keepalive))
def test_what_a_metered_tunnel_costs_in_time_is_among_the_facts(driver: Driver, keepalive: Keepalive) -> None:
    one = show_active(driver, options=DeploymentOptions(keepalive=keepalive))
    driver.services.statuses.append(status_of(pair(), one))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    driver.idle()
    facts = page.detail.now.facts
    names = [facts.cell(row, 0).text() for row in range(facts.rowCount())]
    assert ("Keepalive" in names) == (keepalive is Keepalive.METERED)
    if keepalive is Keepalive.METERED:
        assert all(text.startswith("Metered: while idle") for text in facts.text("Keepalive"))


@pytest.mark.parametrize("is_metered", [False, True])
def test_a_dry_run_shows_it_before(driver: Driver, is_metered: bool) -> None:
    page = inspected(driver)
    page.form.metered.setChecked(is_metered)
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    sentences = page.view.overview.sentences
    assert any(one.startswith("Metered: while idle") for one in sentences) == is_metered
