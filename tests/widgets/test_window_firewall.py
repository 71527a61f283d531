"""Blocking firewalls, and the consent that they are opened: on the link's page and before a deployment."""

from __future__ import annotations

from collections.abc import Callable

from deploy_driver import inspected, previewed
from PySide6.QtWidgets import QLabel
from window_driver import Driver

from app.measurement.wizard import Step
from ui.common.firewall_consent import FirewallConsent
from ui.comparison.link_page import LinkPage

BLOCKED = {"wireguard": ("blocked by the firewall of gateway-b: udp 21820 from 192.0.2.1",)}


def text_of(card: FirewallConsent) -> str:
    return " ".join(one.text() for one in card.findChildren(QLabel))


def test_where_nothing_is_blocked_nothing_is_asked(driver: Driver) -> None:
    driver.go_to(Step.LINK)
    assert not driver.page(LinkPage).firewalls.isVisible()
    assert not inspected(driver).firewalls.isVisible()


def test_the_consent_goes_with_the_pair_into_the_comparison(open_window: Callable[..., Driver]) -> None:
    driver = open_window(blocked=BLOCKED)
    driver.go_to(Step.LINK)
    page = driver.page(LinkPage)
    assert page.firewalls.isVisible()
    assert "WireGuard" in text_of(page.firewalls)
    assert "udp 21820 from 192.0.2.1" in text_of(page.firewalls)
    assert not page.firewalls.may_open
    driver.click(page.firewalls.box)
    driver.next()
    pair = driver.window.wizard.state.pair
    assert pair is not None
    assert pair.may_open_firewall


def test_a_deployment_asks_for_the_solution_that_is_chosen(open_window: Callable[..., Driver]) -> None:
    driver = open_window(blocked=BLOCKED)
    page = previewed(driver)
    page.form.choose(("openvpn-udp", page.form.suite.itemData(0)))
    assert not page.firewalls.isVisible()
    suite = next(one.suite for one in page.setup.discovery.candidates if one.solution == "wireguard")  # type: ignore[union-attr]
    page.form.choose(("wireguard", suite))
    assert page.firewalls.isVisible()
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.firewalls.box)
    # What the dry run showed was without the rules.
    assert not page.deploy.isEnabled()
    assert page.setup.discovery is not None
    assert page.setup.discovery.pair.may_open_firewall
