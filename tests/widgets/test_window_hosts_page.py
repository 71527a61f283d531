"""Step 1: the form for own hosts, the practice lab, and where the focus goes."""

from __future__ import annotations

from sample_records import pair
from window_driver import Driver

from app.domain.errors import LabFault
from app.wizard import Step


def _is_empty_and_editable(driver: Driver) -> bool:
    hosts = driver.window.hosts
    return hosts.form_a.isVisible() and all(
        not field.text() and not field.isReadOnly()
        for form in (hosts.form_a, hosts.form_b)
        for field in (form.address, form.user, form.port, form.identity, form.underlay)
    )


def test_entering_own_hosts_after_the_lab_shows_an_empty_form(driver: Driver) -> None:
    window = driver.window
    window.begin_with_lab()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    window.show_welcome()
    driver.click(window.welcome.hosts[1])
    driver.idle()
    assert _is_empty_and_editable(driver)
    assert window.hosts.name.text() == ""
    assert not window.hosts.name.isReadOnly()
    assert window.hosts.pairs.currentText() == "New pair"
    assert window.hosts.form_a.address.hasFocus()


def test_the_box_says_what_is_loaded_and_a_button_leads_out_of_it(driver: Driver) -> None:
    window = driver.window
    window.begin_with_lab()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    hosts = window.hosts
    driver.click(hosts.edit)
    assert hosts.form_a.address.isReadOnly()
    assert hosts.pairs.currentText().startswith("lab:practice")
    driver.click(hosts.new)
    assert _is_empty_and_editable(driver)
    assert not hosts.new.isEnabled()


def test_what_was_typed_for_a_new_pair_is_kept(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.form_a.address.setText("gateway.example")
    window.show_welcome()
    window.begin_with_hosts()
    assert window.hosts.form_a.address.text() == "gateway.example"


def test_a_new_pair_after_a_stored_one_is_not_stored_under_its_name(driver: Driver) -> None:
    window = driver.window
    driver.look_at_hosts()
    window.begin_with_hosts()
    for form, address in ((window.hosts.form_a, "198.51.100.1"), (window.hosts.form_b, "198.51.100.2")):
        form.address.setText(address)
        form.underlay.setText(address)
    made = window.hosts.entered_pair()
    assert made.name == "198.51.100.1-198.51.100.2"
    assert not made.is_lab
    assert made.a.label == "198.51.100.1"


def test_while_the_lab_starts_no_form_for_own_hosts_is_shown(driver: Driver) -> None:
    window = driver.window
    driver.services.pace_s = 0.05
    driver.click(window.welcome.lab[1])
    driver.until(lambda: "start_lab" in driver.services.calls)
    assert not window.hosts.form_a.isVisible()
    assert window.hosts.start_lab.isVisible()
    assert not window.hosts.start_lab.isEnabled()
    driver.until(lambda: window.wizard.state.discovery is not None)


def test_a_lab_that_does_not_start_can_be_started_again_or_left(driver: Driver) -> None:
    window = driver.window
    driver.services.faults["start_lab"] = LabFault("The image is damaged.", hint="Make it again.")
    driver.click(window.welcome.lab[1])
    driver.until(lambda: "The image is damaged." in window.hosts.notice.text)
    driver.idle()
    assert not window.hosts.form_a.isVisible()
    driver.click(window.hosts.start_lab)
    driver.until(lambda: window.wizard.state.discovery is not None)


def test_after_the_hosts_were_inspected_the_focus_is_on_next(driver: Driver) -> None:
    window = driver.window
    window.activateWindow()
    driver.click(window.welcome.lab[1])
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    driver.until(window.footer.next.hasFocus)
    window.go(Step.HOSTS)
    assert window.footer.next.hasFocus()


def test_a_fault_goes_when_its_field_is_edited_and_moves_no_field(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    hosts = window.hosts
    hosts.discover()
    assert "Host A has no address" in hosts.form_a.fault.text()
    assert hosts.form_a.fault.isVisible()
    assert hosts.notice.text == "", "it is said once"
    assert hosts.form_a.address.accessibleDescription() == hosts.form_a.fault.text(), "and read out with the field"
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
    assert "same underlay address" in hosts.form_b.fault.text()
    assert hosts.form_b.underlay.hasFocus()
    assert [form.underlay.property("fault") for form in (hosts.form_a, hosts.form_b)] == [True, True]
    driver.qtbot.keyClicks(hosts.form_b.underlay, "1")
    assert not any(form.underlay.property("fault") for form in (hosts.form_a, hosts.form_b))
    hosts.name.setText("a/b")
    hosts.discover()
    assert hosts.notice.text
    assert hosts.name.hasFocus()
    assert hosts.name.property("fault")


def test_a_stored_pair_is_filled_in_from_the_box(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    box = window.hosts.pairs
    nth = box.findData("plant-north")
    box.setCurrentIndex(nth)
    box.activated.emit(nth)
    assert window.hosts.name.text() == "plant-north"
    assert window.hosts.form_a.address.text() == pair(is_lab=False).a.address
