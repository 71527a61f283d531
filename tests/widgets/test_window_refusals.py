"""Values that cannot be used are refused where they are entered; missing ones are named where Next is pressed."""

from __future__ import annotations

from dataclasses import replace

from fake_services import FakeServices
from PySide6.QtCore import Qt
from sample_records import pair
from window_driver import Driver

from app.domain.results import Candidate
from app.domain.verdicts import Verdict
from app.measurement.wizard import Step
from ui.comparison.candidate_texts import distinct_titles
from ui.comparison.candidates_page import CandidatesPage
from ui.comparison.link_page import LinkPage


def _link(driver: Driver) -> LinkPage:
    driver.go_to(Step.LINK)
    driver.idle()
    page = driver.window.step_page(Step.LINK)
    assert isinstance(page, LinkPage)
    return page


def _choice(driver: Driver) -> CandidatesPage:
    driver.go_to(Step.CHOOSE)
    driver.idle()
    page = driver.window.step_page(Step.CHOOSE)
    assert isinstance(page, CandidatesPage)
    return page


def test_an_inner_subnet_that_collides_is_refused_in_its_field(driver: Driver) -> None:
    page = _link(driver)
    page.subnet.clear()
    driver.qtbot.keyClicks(page.subnet, "198.51.100.0/24")
    assert page.subnet.property("fault") is True
    assert "The inner subnet 198.51.100.0/24 overlaps eth1 198.51.100.1/24 of gateway-a" in page.subnet_fault.text()
    driver.window.go_next()
    assert driver.window.wizard.current is Step.LINK
    assert page.notice.text == "", "said once, below the field"
    assert page.subnet_fault.visibleRegion().boundingRect().height() == page.subnet_fault.height()
    assert "overlaps" in page.subnet.accessibleDescription(), "and read out with it"
    page.subnet.clear()
    driver.qtbot.keyClicks(page.subnet, "198.18.7.0/24")
    assert page.subnet.property("fault") is False
    assert not page.subnet_fault.isVisible()
    assert page.notice.text == ""
    driver.window.go_next()
    assert driver.window.wizard.current is Step.CHOOSE


def test_next_on_the_link_page_says_that_consent_is_missing(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    page = _link(driver)
    assert window.footer.next.isEnabled()
    window.go_next()
    assert window.wizard.current is Step.LINK
    assert "need your consent" in page.notice.text
    assert page.consent.hasFocus()
    assert page.consent.property("fault") is True
    page.consent.setChecked(True)
    assert page.consent.property("fault") is False
    window.go_next()
    assert window.wizard.current is Step.CHOOSE


def test_next_without_a_tick_says_so(driver: Driver) -> None:
    page = _choice(driver)
    for key in page.ticked():
        page.tick(key, is_on=False)
    assert driver.window.footer.next.isEnabled()
    driver.window.go_next()
    assert driver.window.wizard.current is Step.CHOOSE
    assert "Nothing is ticked" in page.notice.text


def test_a_weak_suite_has_no_box_until_weak_suites_are_included(driver: Driver) -> None:
    page = _choice(driver)
    weak = next(
        item
        for item in page._items()
        if (key := item.data(0, Qt.ItemDataRole.UserRole)) and page._by_key[key].verdict is Verdict.INSECURE
    )
    assert weak.data(0, Qt.ItemDataRole.CheckStateRole) is None
    page.tree.itemClicked.emit(weak, 0)
    assert "Include weak suites" in driver.window.footer.status.text()
    page.weak.setChecked(True)
    assert weak.checkState(0) is Qt.CheckState.Unchecked
    assert weak.data(0, Qt.ItemDataRole.CheckStateRole) is not None
    weak.setCheckState(0, Qt.CheckState.Checked)
    page.weak.setChecked(False)
    assert weak.data(0, Qt.ItemDataRole.CheckStateRole) is None
    assert weak.data(0, Qt.ItemDataRole.UserRole) not in page.ticked()


def test_suites_with_one_title_are_distinguished() -> None:
    def suite(name: str, title: str) -> Candidate:
        return Candidate("ssh", name, f"OpenSSH, {title}", Verdict.ACCEPTABLE)

    made = [suite("aes128-cbc-sha2", "aes128-cbc"), suite("aes128-cbc-sha1", "aes128-cbc"), suite("gcm", "AES-GCM")]
    assert list(distinct_titles(made, "OpenSSH").values()) == [
        "aes128-cbc  aes128-cbc-sha2",
        "aes128-cbc  aes128-cbc-sha1",
        "AES-GCM",
    ]


def test_ticks_that_the_search_hides_are_counted_and_other_hosts_clear_it(driver: Driver) -> None:
    page = _choice(driver)
    ticked = len(page.ticked())
    page.search.field.setText("wireguard")
    assert f"{ticked - 1} of {ticked} selected candidates are hidden" in driver.window.footer.status.text()
    other = replace(driver.window.wizard.state.discovery, pair=pair(is_lab=False))
    driver.window.wizard.set_discovery(other)
    page.enter()
    assert page.search.field.text() == ""


def test_escape_in_the_search_clears_it(driver: Driver) -> None:
    page = _choice(driver)
    page.search.field.setText("wireguard")
    driver.press(page.search.field, Qt.Key.Key_Escape)
    assert page.search.field.text() == ""


def test_the_button_names_what_it_deploys_and_needs_a_measured_line(driver: Driver) -> None:
    services: FakeServices = driver.services
    services.failure = ("tunnel-down", "The daemon ended.")
    driver.compare()
    driver.idle()
    page = driver.window.results
    for nth in range(page.table.rowCount()):
        page.table.setCurrentCell(nth, 0)
        assert not page.deploy.isEnabled(), page.deploy.text()


def test_the_button_follows_the_selected_line(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    page = driver.window.results
    page.table.setCurrentCell(1, 0)
    title = page.data.result(page.table.selected_key()).title
    assert page.deploy.accessibleName() == f"Deploy {title}"
    assert page.deploy.isEnabled()


def test_the_selected_line_has_its_band_in_the_curves(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    page = driver.window.results
    bands = page.tabs.latency._bands
    assert len(bands) > 3
    assert [key for key, band in bands.items() if band.fill.isVisible()] == [page.table.selected_key()]
