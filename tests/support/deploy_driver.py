"""Driver of the page that deploys."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from window_driver import Driver

from ui.deployments.deploy_page import DeployPage


def page_of(driver: Driver) -> DeployPage:
    driver.window.show_deploy()
    return driver.page(DeployPage)


def inspected(driver: Driver) -> DeployPage:
    page = page_of(driver)
    driver.click(page.ask_hosts)
    driver.until(lambda: page.form.candidate is not None)
    driver.idle()
    return page


def previewed(driver: Driver) -> DeployPage:
    page = inspected(driver)
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.idle()
    return page


def counting_down(driver: Driver, *, tick_s: float = 30.0) -> DeployPage:
    driver.services.tick_s = tick_s
    page = previewed(driver)
    driver.click(page.deploy)
    driver.until(lambda: page.live.countdown.is_open)
    return page


def texts_of(page: DeployPage) -> str:
    return " ".join(found.text() for found in page.live.result.findChildren(QLabel))
