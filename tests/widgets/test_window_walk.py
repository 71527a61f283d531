from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from sample_records import pair
from shown_text import shown_text
from window_driver import Driver

from app.domain.hosts import Side
from app.domain.profiles import ProfileName
from app.measurement.wizard import Step
from ui.comparison.tree_search import every_item


def test_first_page_offers_three_ways_and_no_way_out_of_nothing(driver: Driver) -> None:
    window = driver.window
    assert window.current is window.welcome
    assert not window.footer.back.isVisible()
    assert not window.footer.next.isVisible()
    assert window.welcome.lab[1].hasFocus()


def test_every_step_can_be_reached_in_turn(driver: Driver) -> None:
    reached = []
    driver.inspect_hosts()
    reached.append(driver.window.wizard.current)
    for step in list(Step)[1:]:
        driver.go_to(step)
        reached.append(driver.window.wizard.current)
        assert driver.window.current is driver.window.step_page(step)
    assert reached == list(Step)
    driver.idle()
    assert driver.window.results.data is not None


def test_the_practice_lab_is_started_and_inspected_with_one_button(driver: Driver) -> None:
    driver.click(driver.window.welcome.lab[1])
    driver.until(lambda: driver.window.wizard.state.discovery is not None)
    assert driver.services.calls.count("start_lab") == 1
    assert driver.window.footer.next.isEnabled()


def test_a_step_that_is_not_ready_cannot_be_entered(driver: Driver) -> None:
    driver.window.begin_with_hosts()
    steps = driver.window.steps.buttons
    assert [step for step in Step if steps[step].isEnabled()] == [Step.HOSTS]
    driver.window.go(Step.PLAN)
    assert driver.window.wizard.current is Step.HOSTS
    assert "Step 1" in driver.window.footer.status.text()


def test_done_steps_carry_a_tick_and_say_so_to_a_screen_reader(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    names = {step: entry.accessibleName() for step, entry in driver.window.steps.buttons.items()}
    assert names[Step.HOSTS].endswith("done")
    assert names[Step.LINK].endswith("done")
    assert names[Step.CHOOSE].endswith("open")
    assert names[Step.RUN].endswith("not yet")


def test_back_and_forth_keeps_what_was_typed(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.LINK)
    link = window.step_page(Step.LINK)
    link.has_cap.setChecked(True)
    link.cap.setValue(7.5)
    link.subnet.setText("198.19.4.0/24")
    window.show_previous()
    window.go_next()
    assert link.cap.value() == 7.5
    assert link.subnet.text() == "198.19.4.0/24"
    driver.next()
    assert window.wizard.state.options.load_cap_mbit_s == 7.5
    assert window.wizard.state.discovery.link.inner_a == "198.19.4.1/24"

    choice = window.step_page(Step.CHOOSE)
    choice.tick(("openvpn-tcp", "aes-256-gcm"), is_on=False)
    window.show_previous()
    assert link.subnet.text() == "198.19.4.0/24"
    driver.next()
    assert ("openvpn-tcp", "aes-256-gcm") not in choice.ticked()
    driver.next()
    plan = window.step_page(Step.PLAN)
    plan.form.choose(ProfileName.STANDARD)
    driver.idle()
    window.show_previous()
    driver.next()
    assert plan.form.options(window.wizard.state.options).profile.name is ProfileName.STANDARD
    assert ("openvpn-tcp", "aes-256-gcm") not in window.wizard.state.chosen


def test_typed_hosts_survive_a_inspection_of_the_history(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.form_a.address.setText("gateway.example")
    window.show_area("history")
    driver.idle()
    window.go(Step.HOSTS)
    assert window.hosts.form_a.address.text() == "gateway.example"


def test_own_hosts_are_stored_labs_are_not(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    for form, address, underlay in (
        (window.hosts.form_a, "a.example", "198.51.100.1"),
        (window.hosts.form_b, "b.example", "198.51.100.2"),
    ):
        form.address.setText(address)
        form.underlay.setText(underlay)
    window.hosts.name.setText("plant-south")
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    assert "save_pair" in driver.services.calls
    assert window.wizard.state.pair.name == "plant-south"
    assert window.wizard.state.pair.underlay(Side.B) == "198.51.100.2"


def test_load_on_hosts_that_are_no_lab_needs_consent(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.next()
    link = window.step_page(Step.LINK)
    assert link.consent.isVisible()
    window.go_next()
    assert window.wizard.current is Step.LINK
    link.consent.setChecked(True)
    driver.next()
    assert window.wizard.state.options.has_load_consent


def test_weak_suites_need_a_knowing_tick(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    page = driver.window.step_page(Step.CHOOSE)
    weak = next(
        item for item in every_item(page.tree) if item.data(0, Qt.ItemDataRole.UserRole) == ("openvpn-udp", "bf-cbc")
    )
    assert not weak.flags() & Qt.ItemFlag.ItemIsUserCheckable
    fold = weak.parent()
    assert (fold.text(0), fold.isExpanded()) == ("1 more supported suites", False)
    assert fold.parent().text(0) == "OpenVPN over UDP"
    page.weak.setChecked(True)
    assert weak.flags() & Qt.ItemFlag.ItemIsUserCheckable
    page.tick(("openvpn-udp", "bf-cbc"))
    assert ("openvpn-udp", "bf-cbc") in page.ticked()
    page.weak.setChecked(False)
    assert ("openvpn-udp", "bf-cbc") not in page.ticked()


def test_selecting_a_candidate_shows_reason_source_and_replacement(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    page = driver.window.step_page(Step.CHOOSE)
    item = next(
        item for item in every_item(page.tree) if item.data(0, Qt.ItemDataRole.UserRole) == ("openvpn-udp", "bf-cbc")
    )
    page.tree.setCurrentItem(item)
    for words in ("Blocks of 64 bits", "CVE-2016-6329", "AES-256-GCM"):
        assert words in shown_text(page.details)


def test_what_is_not_possible_says_why(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    page = driver.window.step_page(Step.CHOOSE)
    page.tree.setCurrentItem(next(item for item in every_item(page.tree) if item.text(0) == "tinc"))
    assert "lacks tincd" in shown_text(page.details)


def test_the_plan_shows_files_and_commands_that_can_be_searched(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    code = driver.window.step_page(Step.PLAN).code
    text = code.view.toPlainText()
    for words in (
        "/run/tunnelmark/tunnel/wireguard.conf",
        "ip link add tmk0",
        "ip link delete tmk0",
        "A  file",
        "B  rollback",
    ):
        assert words in text
    code.search.setText("peer_id")
    assert code.hits.text() == "2 found"
    code.search.setText("nowhere to be found")
    assert code.hits.text() == "0 found"
    driver.click(code.copy)
    assert QApplication.clipboard().text() == text


def test_a_longer_profile_predicts_more_time(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    page = driver.window.step_page(Step.PLAN)
    quick = page.total.text()
    page.form.choose(ProfileName.PAPER)
    driver.idle()
    assert page.total.text() != quick
    assert page._plan.profile.pings == 10_000


def _tab_to(driver: Driver, is_wanted: Callable[[QWidget], bool], most: int = 60) -> QWidget:
    for _ in range(most):
        holder = QApplication.focusWidget()
        if holder is not None and is_wanted(holder):
            return holder
        driver.press(holder or driver.window, Qt.Key.Key_Tab)
    pytest.fail("Tab does not lead there")


def test_keyboard_alone_leads_from_the_first_page_to_the_results(driver: Driver) -> None:
    window = driver.window
    window.activateWindow()
    driver.until(window.welcome.lab[1].hasFocus)
    driver.press(QApplication.focusWidget(), Qt.Key.Key_Space)  # the practice lab has the focus
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    alt = Qt.KeyboardModifier.AltModifier
    driver.press(window, Qt.Key.Key_Right, alt)
    assert window.wizard.current is Step.LINK
    _tab_to(driver, lambda widget: widget is window.step_page(Step.LINK).has_cap)
    driver.press(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert window.step_page(Step.LINK).has_cap.isChecked()
    driver.press(window, Qt.Key.Key_Right, alt)
    assert window.wizard.current is Step.CHOOSE
    tree = window.step_page(Step.CHOOSE).tree
    assert tree.hasFocus()
    before = window.step_page(Step.CHOOSE).ticked()
    driver.press(tree, Qt.Key.Key_Up)
    driver.press(tree, Qt.Key.Key_Space)
    assert window.step_page(Step.CHOOSE).ticked() != before
    driver.press(window, Qt.Key.Key_Right, alt)
    assert window.wizard.current is Step.PLAN
    driver.idle()
    _tab_to(driver, lambda widget: widget is window.footer.next)
    driver.press(window.footer.next, Qt.Key.Key_Space)
    assert window.wizard.current is Step.RUN
    driver.until(lambda: not window.is_measuring)
    driver.press(window, Qt.Key.Key_Right, alt)
    assert window.wizard.current is Step.RESULTS
    driver.idle()
    assert window.results.table.hasFocus()
    driver.press(window, Qt.Key.Key_Left, alt)
    assert window.wizard.current is Step.RUN
    driver.press(window, Qt.Key.Key_2, alt)
    driver.until(lambda: window.wizard.current is Step.LINK)  # a button that is pressed by its keys moves first


def test_an_empty_history_offers_the_practice_lab(driver: Driver) -> None:
    driver.window.show_area("history")
    driver.idle()
    page = driver.window.current
    assert "No comparisons yet" in page.notice.text
    driver.click(page.notice.action("Start the practice lab"))
    driver.until(lambda: "start_lab" in driver.services.calls)
    driver.until(lambda: driver.window.wizard.state.discovery is not None)
