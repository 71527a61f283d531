"""Common actions of tests of the page of deployments."""

from __future__ import annotations

from sample_records import pair
from window_driver import Driver

from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from ui.deployments.deployments_page import DeploymentsPage


def show_active(
    driver: Driver, *, title: str = "WireGuard, ChaCha20-Poly1305", options: DeploymentOptions | None = None
) -> Deployment:
    services = driver.services
    made = services.made(pair(), "wireguard", "chacha20-poly1305", title, options)
    return services.store(made, DeploymentState.CONFIRMED)


def page_of(driver: Driver) -> DeploymentsPage:
    driver.window.show_area("deployments")
    return driver.page(DeploymentsPage)


def cell(page: DeploymentsPage, column: int, nth: int = 0) -> str:
    return page.table.item(nth, column).text()
