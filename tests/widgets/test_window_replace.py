"""Replacing a tunnel: the page says what is deployed, what replaces it, and what comes back."""

from __future__ import annotations

import pytest
from deploy_driver import inspected, page_of
from deployments_driver import page_of as deployments_page_of
from deployments_driver import show_active
from PySide6.QtWidgets import QComboBox, QLabel, QStyle, QStyleOptionComboBox
from window_driver import Driver

from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.hosts import Side
from app.domain.preferences import Preferences
from ui.deployments.deploy_page import DeployPage


def shown_width_px(box: QComboBox) -> int:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    return box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, box).width()


def test_replacing_says_what_is_replaced_and_that_it_comes_back(driver: Driver) -> None:
    show_active(driver)
    page = deployments_page_of(driver)
    driver.click(page.detail.replace)
    page = driver.page(DeployPage)
    assert page.title.text() == "Replace a tunnel"
    assert page.form.replaced.isVisible()
    assert "Replaces WireGuard, ChaCha20-Poly1305, active since 2026-03-05" in page.form.replaced.text()
    assert "both hosts roll back to it" in page.form.replaced.text()
    assert page.deploy.text().replace("&", "") == "Deploy and replace"


def test_a_pair_without_a_tunnel_is_deployed_to_for_the_first_time(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    assert page.form.replaced.isVisible(), "it is said wherever the pair is chosen"
    page.form.pairs.setCurrentIndex(1)
    assert not page.form.replaced.isVisible()
    assert page.title.text() == "Deploy"
    assert page.deploy.text().replace("&", "") == "Deploy"


@pytest.mark.parametrize(
    ("state", "is_replaced"), [(DeploymentState.HALF_CONFIRMED, True), (DeploymentState.APPLIED, False)]
)
def test_what_a_host_keeps_is_replaced(driver: Driver, state: DeploymentState, is_replaced: bool) -> None:
    driver.services.store(show_active(driver), state)
    page = page_of(driver)
    assert page.form.replaced.isVisible() == is_replaced
    assert page.title.text() == ("Replace a tunnel" if is_replaced else "Deploy")


def test_who_confirms_is_not_cut(driver: Driver) -> None:
    page = inspected(driver)
    driver.window.resize(1024, 700)
    for nth in range(page.form.who.count()):
        text = page.form.who.itemText(nth)
        needed_px = page.form.who.fontMetrics().horizontalAdvance(text)
        driver.until(lambda needed_px=needed_px: needed_px <= shown_width_px(page.form.who))  # type: ignore[misc]


def test_before_the_hosts_are_inspected_no_empty_box_can_be_opened(driver: Driver) -> None:
    page = page_of(driver)
    form = page.form
    assert not form.solution.isEnabled()
    assert form.solution.placeholderText() == "inspect both hosts first"
    assert not form.suite.isVisible()
    assert [form.lans[side].address_name.text() for side in Side] == ["Address of A", "Address of B"]
    assert form.lans[Side.B].address_name.buddy() is form.lans[Side.B].address
    driver.click(page.ask_hosts)
    driver.until(lambda: form.candidate is not None)
    driver.idle()
    assert form.solution.isEnabled()
    assert form.suite.isVisible()
    form.pairs.setCurrentIndex(1)
    assert not form.solution.isEnabled(), "what was found is of the other pair"


def test_what_is_undone_is_not_called_replaced(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    assert page.title.text() == "Replace a tunnel"
    driver.click(deployments_page_of(driver).detail.remove)
    driver.dialog().accept()
    driver.until(lambda: driver.window.current is page)
    driver.idle()
    assert page.title.text() == "Deploy"


@pytest.mark.parametrize("former_s", [None, 60.0])
def test_replacing_asks_the_user_within_the_time_of_the_settings(driver: Driver, former_s: float | None) -> None:
    driver.window.context.take_preferences(Preferences(confirm_within_s=90.0))
    show_active(driver, options=DeploymentOptions(confirm_within_s=former_s))
    driver.click(deployments_page_of(driver).detail.replace)
    form = driver.page(DeployPage).form
    driver.until(lambda: form.candidate is not None)
    assert form.options.confirm_within_s == 90.0
    assert form.within.isEnabled()


def test_replacing_does_not_take_over_that_no_one_was_asked_for_another_pair(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    page.form.who.setCurrentIndex(1)
    driver.click(deployments_page_of(driver).detail.replace)
    assert driver.page(DeployPage).form.who.currentData() == "user"


@pytest.mark.parametrize("former_s", [None, 60.0])
def test_deploying_again_asks_the_user_within_the_time_of_the_settings(driver: Driver, former_s: float | None) -> None:
    driver.window.context.take_preferences(Preferences(confirm_within_s=90.0))
    driver.services.tick_s = 30.0
    show_active(driver, title="WireGuard, first", options=DeploymentOptions(confirm_within_s=former_s))
    show_active(driver, title="WireGuard, second")
    page = deployments_page_of(driver)
    page.detail.tabs.setCurrentWidget(page.detail.earlier)
    page.detail.earlier.table.selectRow(1)
    driver.click(page.detail.earlier.again)
    words = " ".join(found.text() for found in driver.dialog().findChildren(QLabel))
    assert "You are asked to confirm it" in words
    driver.click(driver.dialog().yes)
    countdown = driver.window.deploy.live.countdown
    driver.until(lambda: countdown.is_open)
    driver.click(countdown.confirm)
    driver.until(lambda: not driver.window.deploy.is_running)
    driver.idle()
    assert driver.services.deployed[0].options.confirm_within_s == 90.0
