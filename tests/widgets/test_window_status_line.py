"""The status line says what is happening, and not what has happened."""

from __future__ import annotations

import pytest
from window_driver import Driver

from app.domain.errors import HostUnreachable


@pytest.mark.parametrize("area", ["census", "deploy", "deployments", "lint"])
def test_what_has_ended_is_no_longer_reported_to_happen(driver: Driver, area: str) -> None:
    driver.window.show_area(area)
    driver.idle()
    assert not driver.window.footer.status.text().startswith("Reading")


def test_an_error_leaves_no_work_in_the_status_line(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    fault = HostUnreachable("gateway.example cannot be reached.", hint="Is it on?")
    driver.services.faults["discover"] = fault
    for form, address in ((window.hosts.form_a, "192.0.2.10"), (window.hosts.form_b, "192.0.2.11")):
        form.address.setText(address)
        form.underlay.setText(address)
    window.hosts.discover()
    assert window.footer.status.text()
    driver.idle()
    assert fault.message in window.hosts.notice.text
    assert window.footer.status.text() == ""
