"""Fields to search in: Esc empties them before it stops what the page is doing."""

from __future__ import annotations

from deployments_driver import page_of, show_active
from PySide6.QtCore import Qt
from window_driver import Driver

from app.measurement.wizard import Step
from ui.common.search_field import SearchField


def _try(driver: Driver, field: SearchField) -> None:
    stopped = []
    page = driver.window.current
    assert page is not None
    page.cancel = lambda: bool(stopped.append(1))  # type: ignore[method-assign,func-returns-value]
    driver.window.activateWindow()
    driver.until(driver.window.isActiveWindow)
    field.setFocus()
    field.setText("wireguard")
    driver.press(field, Qt.Key.Key_Escape)
    assert (field.text(), stopped) == ("", [])
    driver.press(field, Qt.Key.Key_Escape)
    assert stopped == [1], "an empty field leaves Esc to the page"


def test_in_files_and_commands(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    _try(driver, driver.window.step_page(Step.PLAN).code.search)  # type: ignore[attr-defined]


def test_in_the_audit_log(driver: Driver) -> None:
    show_active(driver)
    page = page_of(driver)
    page.detail.tabs.setCurrentWidget(page.detail.audit)
    _try(driver, page.detail.audit.search)


def test_among_the_options_of_a_census(driver: Driver) -> None:
    driver.window.show_area("census")
    driver.idle()
    page = driver.window.current
    page.begin.click()  # type: ignore[union-attr]
    driver.dialog().accept()
    driver.idle()
    _try(driver, page.search)  # type: ignore[union-attr]
