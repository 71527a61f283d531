"""Step 1: what was typed for own hosts is kept, and everything that is wrong is reported at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel
from sample_records import pair
from window_driver import Driver

from app.domain.errors import HostUnreachable, LabFault, PairLocked
from app.domain.hosts import AuthKind
from app.domain.messages.inputs import NO_IP_ADDRESS, NO_TCP_PORT, PAIR_NAME_WRONG
from ui.comparison.hosts_page import HostsPage


def _typed(driver: Driver) -> HostsPage:
    """Type a new pair."""
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    page = window.hosts
    driver.qtbot.keyClicks(page.name, "plant-1")
    for form, address, port in ((page.form_a, "127.0.0.1", "9"), (page.form_b, "nohost.invalid", "22")):
        driver.qtbot.keyClicks(form.address, address)
        driver.qtbot.keyClicks(form.port, port)
        driver.qtbot.keyClicks(form.underlay, f"10.1.0.{port}")
    return page


def _texts(page: HostsPage) -> list[str]:
    forms = (page.form_a, page.form_b)
    fields = [field for form in forms for field in (form.address, form.port, form.underlay)]
    return [field.text() for field in (page.name, *fields)]


TYPED = ["plant-1", "127.0.0.1", "9", "10.1.0.9", "nohost.invalid", "22", "10.1.0.22"]


def test_what_was_typed_survives_a_practice_lab_that_is_in_use(driver: Driver) -> None:
    window, page = driver.window, _typed(driver)
    page.form_a.auth.setCurrentIndex(page.form_a.auth.count() - 1)
    way = page.form_a.auth.currentData()
    driver.services.faults["refuse_if_in_use"] = PairLocked("gateway-a is in use on this computer by comparison 3.")
    window.show_welcome()
    driver.click(window.welcome.lab[1])
    driver.until(lambda: "in use on this computer" in page.notice.text)
    driver.idle()
    window.show_welcome()
    driver.click(window.welcome.hosts[1])
    driver.idle()
    assert _texts(page) == TYPED
    assert page.form_a.auth.currentData() == way
    assert not page.form_a.address.isReadOnly()
    assert page.entered_pair().name == "plant-1"


def test_what_was_typed_survives_a_stored_pair_that_is_shown(driver: Driver) -> None:
    page = _typed(driver)
    for name in ("plant-north", ""):
        page.pairs.setCurrentIndex(page.pairs.findData(name))
        page.pairs.activated.emit(page.pairs.currentIndex())
    assert _texts(page) == TYPED


def test_a_pair_that_was_inspected_is_stored_and_its_form_empty_afterwards(driver: Driver) -> None:
    window, page = driver.window, _typed(driver)
    page.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    window.begin_with_hosts()
    assert _texts(page) == [""] * len(TYPED)


def test_new_pair_empties_a_form_in_which_something_was_typed(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    page = window.hosts
    assert not page.new.isEnabled()
    driver.qtbot.keyClicks(page.form_b.port, "2")
    assert page.new.isEnabled()
    assert "Empties the form" in page.new.toolTip()
    driver.click(page.new)
    assert page.form_b.port.text() == ""
    assert not page.new.isEnabled()
    page = _typed(driver)
    window.show_welcome()
    window.begin_with_hosts()
    assert page.new.isEnabled(), "also when the page is shown again"
    driver.click(page.new)
    assert _texts(page) == [""] * len(TYPED)


def test_a_wrong_name_is_reported_beside_what_is_wrong_with_the_hosts(driver: Driver) -> None:
    page = _typed(driver)
    page.name.setText("plant 1")
    page.form_a.port.setText("99999")
    page.form_b.underlay.setText("10.1.0")
    page.discover()
    assert PAIR_NAME_WRONG(name="plant 1") in page.notice.text
    assert NO_TCP_PORT(port=99999, side="A") in page.form_a.fault.text()
    assert NO_IP_ADDRESS(address="10.1.0") in page.form_b.fault.text()
    marked = [bool(field.property("fault")) for field in (page.name, page.form_a.port, page.form_b.underlay)]
    assert marked == [True, True, True]
    assert page.form_a.port.hasFocus()
    driver.qtbot.keyClicks(page.name, "x")
    assert page.notice.text == ""
    assert not page.name.property("fault")


def test_a_key_file_that_is_none_is_refused_before_any_host_is_asked(driver: Driver, tmp_path: Path) -> None:
    page = _typed(driver)
    form = page.form_b
    form.auth.setCurrentIndex(form.auth.findData(AuthKind.KEY))
    (tmp_path / "id.pub").write_text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 eve@laptop\n")
    for name, words in (("id.pub", "is a public key"), ("none", "not found")):
        form.identity.setText(str(tmp_path / name))
        page.discover()
        driver.idle()
        assert words in form.fault.text()
        assert form.identity.property("fault") is True
    assert "discover" not in driver.services.calls


def test_the_addresses_of_hosts_that_cannot_be_reached_are_marked(driver: Driver) -> None:
    page = _typed(driver)
    driver.services.faults["discover"] = HostUnreachable(
        "127.0.0.1 (root@127.0.0.1:9) cannot be reached: refused. The name nohost.invalid is not known: no such name."
    )
    page.discover()
    driver.until(lambda: "cannot be reached" in page.notice.text)
    driver.idle()
    assert [bool(form.address.property("fault")) for form in (page.form_a, page.form_b)] == [True, True]
    assert page.form_a.address.hasFocus()
    driver.qtbot.keyClicks(page.form_b.address, "x")
    assert not any(form.address.property("fault") for form in (page.form_a, page.form_b))
    assert "cannot be reached" in page.notice.text, "it is true until both hosts are inspected again"


def test_the_address_of_the_one_host_that_cannot_be_reached_is_marked_alone(driver: Driver) -> None:
    page = _typed(driver)
    driver.services.faults["discover"] = HostUnreachable("The name nohost.invalid is not known: no such name.")
    page.discover()
    driver.until(lambda: "is not known" in page.notice.text)
    driver.idle()
    assert [bool(form.address.property("fault")) for form in (page.form_a, page.form_b)] == [False, True]
    assert page.form_b.address.hasFocus()


def test_what_was_found_is_listed_by_the_titles_of_vpns_and_the_names_of_hosts(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    named = pair(is_lab=False)
    window.hosts.show_pair(replace(named, a=replace(named.a, label="A"), b=replace(named.b, label="B")))
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    texts = [one.text() for one in window.hosts.findChildren(QLabel) if one.isVisible()]
    assert any(text.startswith("WireGuard 1.0.") for text in texts)
    assert not any("openvpn-udp" in text for text in texts)
    assert {"A   192.0.2.10", "B   192.0.2.11"} <= set(texts)


def test_the_button_that_inspects_is_in_view_below_a_notice(driver: Driver) -> None:
    window, page = driver.window, _typed(driver)
    window.context.theme.zoom(1.25)
    window.resize(1024, 700)
    QApplication.processEvents()
    driver.services.faults["discover"] = HostUnreachable(f"127.0.0.1 cannot be reached: {'refused, ' * 30}.")
    page.discover()
    driver.until(lambda: "cannot be reached" in page.notice.text)
    driver.idle()
    assert page._scroll.verticalScrollBar().maximum() > 0, "the form has less room than it needs"
    assert page.inspect.visibleRegion().boundingRect().height() == page.inspect.height()


def test_a_lab_that_is_up_but_in_use_is_not_offered_to_be_started(driver: Driver) -> None:
    window = driver.window
    driver.services.faults["refuse_if_in_use"] = PairLocked("gateway-a is in use on this computer by comparison 3.")
    driver.click(window.welcome.lab[1])
    page = window.hosts
    assert page.start_lab.text() == "Start the practice lab"
    driver.until(lambda: "in use on this computer" in page.notice.text)
    driver.idle()
    assert page.start_lab.text() == "Inspect the practice lab"
    assert page.start_lab.isEnabled()
    driver.services.faults["start_lab"] = LabFault("The lab has ended.")
    driver.click(page.start_lab)
    driver.until(lambda: "The lab has ended." in page.notice.text)
    driver.idle()
    assert page.start_lab.text() == "Start the practice lab"
    driver.click(page.start_lab)
    driver.until(lambda: window.wizard.state.discovery is not None)


def test_a_lab_that_a_terminal_starts_is_offered_without_leaving_the_page(driver: Driver) -> None:
    window = driver.window
    labs = driver.services.up_labs
    driver.services.up_labs = {}
    window.desk.labs.refresh()
    window.begin_with_hosts()
    driver.idle()
    reads = driver.services.calls.count("pairs")
    window.desk.labs.refresh()
    driver.idle()
    assert driver.services.calls.count("pairs") == reads, "nothing has changed"
    driver.services.up_labs = labs
    window.desk.labs.refresh()
    driver.idle()
    assert driver.services.calls.count("pairs") == reads + 1
