"""The page of deployments where TCP's MSS is clamped."""

from __future__ import annotations

from dataclasses import replace

from deployments_driver import cell, page_of, show_active
from fake_deployment_values import status_of
from sample_records import pair
from window_driver import Driver

from app.deployment.lan.messages import CLAMP_TITLE, OWN_TABLE
from app.domain.deployment_status import ClampStatus
from ui.common.texts import NONE
from ui.deployments.deployments_table import TUNNEL


def test_what_is_clamped_is_among_the_facts_of_each_host(driver: Driver) -> None:
    one = show_active(driver)
    clamped = OWN_TABLE(title=CLAMP_TITLE(ipv4=1414, ipv6=1394))
    driver.services.statuses.append(status_of(pair(), replace(one, a=replace(one.a, clamped=clamped))))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    driver.idle()
    a, b = page.detail.now.facts.text("TCP segments")
    assert a == clamped
    assert b == NONE


def test_a_table_that_is_missing_is_shown_at_its_host(driver: Driver) -> None:
    one = show_active(driver)
    clamped = OWN_TABLE(title=CLAMP_TITLE(ipv4=1414, ipv6=1394))
    stored = replace(one, a=replace(one.a, clamped=clamped), b=replace(one.b, clamped=clamped))
    found, there = status_of(pair(), stored), ClampStatus(1414, 1394, is_there=True)
    missing = replace(found.a, clamp=replace(there, is_there=False))
    driver.services.statuses.append(replace(found, a=missing, b=replace(found.b, clamp=there)))
    page = page_of(driver)
    driver.click(page.detail.refresh)
    driver.until(lambda: cell(page, TUNNEL) == "up")
    driver.idle()
    a, b = page.detail.now.facts.text("TCP segments")
    assert a == "not fitted to the path: the firewall table is missing or was changed, or nft is missing"
    assert b == clamped
