"""Values that cannot be used are refused where they are entered; missing ones are named where Next is pressed."""

from __future__ import annotations

from dataclasses import replace

from fake_services import FakeServices
from PySide6.QtCore import Qt
from sample_records import pair
from window_driver import Driver

from app.domain.messages.inputs import HOST_WITHOUT_ADDRESS, NO_IP_ADDRESS, NO_TCP_PORT, UNDERLAYS_ARE_THE_SAME
from app.domain.results import Candidate
from app.domain.verdicts import Verdict
from app.measurement.messages import NOTHING_TICKED
from app.measurement.wizard import Step
from ui.comparison.candidate_texts import distinct_titles
from ui.comparison.candidates_page import CandidatesPage
from ui.comparison.link_page import LinkPage
from ui.comparison.tree_search import every_item


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
    assert NOTHING_TICKED() in page.notice.text


def test_a_weak_suite_has_no_box_until_weak_suites_are_included(driver: Driver) -> None:
    page = _choice(driver)
    weak = next(
        item
        for item in every_item(page.tree)
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


def test_a_fault_goes_when_its_field_is_edited_and_moves_no_field(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    hosts = window.hosts
    hosts.discover()
    assert HOST_WITHOUT_ADDRESS(side="A") in hosts.form_a.fault.text()
    assert hosts.form_a.fault.isVisible()
    assert hosts.notice.text == "", "it is said once"
    reported = hosts.form_a.address.accessibleDescription()
    assert reported == hosts.form_a.fault.text().splitlines()[0], "and read out with the field"
    driver.until(lambda: hosts.form_a.address.y() == hosts.form_b.address.y())
    driver.qtbot.keyClicks(hosts.form_a.address, "g")
    assert hosts.notice.text == ""
    assert not hosts.form_a.fault.isVisible()


def test_equal_underlay_addresses_are_marked_and_have_the_focus(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    hosts = window.hosts
    for form, address in ((hosts.form_a, "192.0.2.10"), (hosts.form_b, "192.0.2.11")):
        form.address.setText(address)
        form.underlay.setText("10.1.0.1")
    hosts.discover()
    assert UNDERLAYS_ARE_THE_SAME() in hosts.form_b.fault.text()
    assert hosts.form_b.underlay.hasFocus()
    assert [form.underlay.property("fault") for form in (hosts.form_a, hosts.form_b)] == [True, True]
    driver.qtbot.keyClicks(hosts.form_b.underlay, "1")
    assert not any(form.underlay.property("fault") for form in (hosts.form_a, hosts.form_b))
    hosts.name.setText("a/b")
    hosts.discover()
    assert hosts.notice.text
    assert hosts.name.hasFocus()
    assert hosts.name.property("fault")


def test_all_faults_of_both_hosts_are_reported_at_once(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    a, b = window.hosts.form_a, window.hosts.form_b
    a.address.setText("192.0.2.10")
    a.port.setText("99999")
    a.underlay.setText("10.1.0.1")
    b.underlay.setText("10.1.0")
    window.hosts.discover()
    wrong_port = NO_TCP_PORT(port=99999, side="A", highest=65535)
    assert a.fault.text() == f"{wrong_port} {wrong_port.hint}"
    first, second = b.fault.text().splitlines()
    assert HOST_WITHOUT_ADDRESS(side="B") in first
    assert NO_IP_ADDRESS(address="10.1.0") in second
    marked = [field.property("fault") for field in (a.address, a.port, a.underlay, b.address, b.port, b.underlay)]
    assert [bool(one) for one in marked] == [False, True, False, True, False, True]
    assert a.port.hasFocus()
