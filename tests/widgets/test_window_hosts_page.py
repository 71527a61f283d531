"""Step 1: the form for own hosts, the practice lab, and where the focus goes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from sample_records import pair
from window_driver import Driver

from app.cli import main
from app.cli.exit_codes import ExitCode
from app.domain.errors import HostUnreachable, InvalidOption, LabFault, PairLocked
from app.domain.hosts import HostSpec, NodeHost, PairSpec
from app.domain.messages import MessageForm
from app.domain.messages.inputs import (
    HOST_IS_A_NODE,
    HOSTS_ARE_THE_SAME,
    NO_IP_ADDRESS_OF_HOST,
    UNDERLAY_IS_IPV6,
    UNDERLAYS_ARE_THE_SAME,
)
from app.measurement.wizard import Step
from app.ssh.messages import HOST_UNREACHABLE
from app.storage.messages import HOST_IN_USE, PAIR_GONE
from support.message_checks import has_message, shows
from ui.common.dialogs import Question
from ui.comparison.hosts_page import HostsPage


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
    driver.inspect_hosts()
    window.begin_with_hosts()
    for form, address in ((window.hosts.form_a, "198.51.100.1"), (window.hosts.form_b, "198.51.100.2")):
        form.address.setText(address)
        form.underlay.setText(address)
    made = window.hosts.entered_pair()
    assert made.name == "198.51.100.1-198.51.100.2"
    assert not made.is_lab
    assert made.a.label == "198.51.100.1"


def shown_with_nodes(driver: Driver) -> tuple[PairSpec, HostsPage]:
    """Return a stored pair with a node behind each host, and the page whose forms show it."""
    nodes = {side: NodeHost(HostSpec(f"node-{side}", f"10.0.1.{side}"), "eth1", "eth2") for side in (1, 2)}
    stored = replace(pair(is_lab=False), node_a=nodes[1], node_b=nodes[2])
    hosts = driver.window.hosts
    driver.window.begin_with_hosts()
    hosts.show_pair(stored)
    return stored, hosts


def test_a_stored_pair_keeps_its_nodes_where_it_is_changed_in_the_form(driver: Driver) -> None:
    stored, hosts = shown_with_nodes(driver)
    hosts.form_a.underlay.setText("203.0.113.77")
    made = hosts.entered_pair()
    assert made.underlay_a == "203.0.113.77"
    assert made.nodes == stored.nodes
    hosts.name.setText("another")
    assert hosts.entered_pair().nodes == {}, "another pair with other hosts"
    hosts.form_a.underlay.setText(stored.underlay_a)
    assert hosts.entered_pair().nodes == stored.nodes, "the same hosts"


def test_a_host_with_the_address_of_a_node_is_refused_at_its_field(driver: Driver) -> None:
    stored, hosts = shown_with_nodes(driver)
    hosts.form_b.address.setText("10.0.1.1")
    if hosts.form_b.port.text():
        hosts.form_b.port.setText("22")
    with pytest.raises(InvalidOption, check=has_message(HOST_IS_A_NODE, side="B", node="A")):
        hosts.entered_pair()
    assert hosts.fields.has_fault
    hosts.form_b.address.setText("10.0.1.9")
    assert hosts.entered_pair().nodes == stored.nodes


def test_while_the_lab_starts_no_form_for_own_hosts_is_shown(driver: Driver) -> None:
    window = driver.window
    driver.services.pace_s = 3600.0
    driver.click(window.welcome.lab[1])
    driver.until(lambda: "start_lab" in driver.services.calls)
    assert not window.hosts.form_a.isVisible()
    assert window.hosts.start_lab.isVisible()
    assert not window.hosts.start_lab.isEnabled()
    driver.services.pace_s = 0.0
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


def test_a_pair_with_the_time_of_its_last_measurement_is_not_cut_in_its_box(driver: Driver) -> None:
    window = driver.window
    window.resize(1024, 700)
    window.begin_with_hosts()
    driver.idle()
    box = window.hosts.pairs
    texts = [box.itemText(nth) for nth in range(box.count())]
    assert any("(20" in text for text in texts)
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    room_px = box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, box).width()
    assert [text for text in texts if box.fontMetrics().horizontalAdvance(text) > room_px] == []
    assert window.width() == 1024


def test_a_page_has_its_layout_when_nothing_runs_any_more(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    box, choices = window.hosts.pairs, tuple(window.hosts._choices.values())
    box.clear()
    driver.idle()
    window.hosts._fill_pairs(choices)
    assert box.width() < box.sizeHint().width(), "layouts are not done at once"
    driver.idle()
    assert box.width() >= box.sizeHint().width()


def test_a_host_that_is_called_by_its_address_is_called_by_another_one_when_that_is_typed(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    hosts = window.hosts
    for form, port in ((hosts.form_a, "2222"), (hosts.form_b, "2223")):
        form.address.setText("127.0.0.1")
        form.port.setText(port)
        form.underlay.setText(f"10.1.0.{port[-1]}")
    entered = hosts.entered_pair()
    assert (entered.a.label, entered.b.label) == ("127.0.0.1:2222", "127.0.0.1:2223")
    hosts.show_pair(entered)
    hosts.form_a.address.setText("192.0.2.7")
    assert hosts.entered_pair().a.label == "192.0.2.7"


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


def _enter(driver: Driver, name: str, a: str, b: str, underlay: tuple[str, str] = ("192.0.2.10", "192.0.2.11")) -> None:
    """Fill in the form for a new pair."""
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    page = window.hosts
    page.name.setText(name)
    for form, address, outer in zip((page.form_a, page.form_b), (a, b), underlay, strict=True):
        form.address.setText(address)
        form.underlay.setText(outer)


def _question(driver: Driver) -> Question | None:
    return next((one for one in driver.window.findChildren(Question) if one.isVisible()), None)


def test_a_new_pair_of_a_stored_name_replaces_that_only_after_a_question(driver: Driver) -> None:
    stored = pair(is_lab=False)
    _enter(driver, stored.name, "198.51.100.1", "198.51.100.2")
    driver.window.hosts.discover()
    question = _question(driver)
    assert question is not None
    assert question.windowTitle() == f"Replace the hosts of {stored.name}?"
    question.no.click()
    driver.idle()
    assert "discover" not in driver.services.calls
    assert driver.services.stored == {stored.name: stored}
    driver.window.hosts.discover()
    question = _question(driver)
    assert question is not None
    question.yes.click()
    driver.until(lambda: driver.window.wizard.state.discovery is not None)
    driver.idle()
    assert driver.services.stored[stored.name].a.address == "198.51.100.1"


def test_a_stored_pair_that_is_changed_in_the_form_needs_no_question(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    window.hosts.show_pair(pair(is_lab=False))
    window.hosts.form_a.underlay.setText("192.0.2.77")
    window.hosts.discover()
    assert _question(driver) is None
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.idle()
    assert driver.services.stored["plant-north"].underlay_a == "192.0.2.77"


def test_a_pair_that_was_renamed_elsewhere_is_not_inspected_under_its_old_name(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    window.hosts.show_pair(pair(is_lab=False))
    driver.services.stored = {"south": replace(pair(is_lab=False), name="south")}
    window.hosts.discover()
    driver.idle()
    assert PAIR_GONE(name="plant-north") in window.hosts.notice.text
    assert "discover" not in driver.services.calls
    assert set(driver.services.stored) == {"south"}


@pytest.mark.parametrize(
    ("hosts", "underlay", "form"),
    [
        (("10.0.0.999", "gw"), ("192.0.2.1", "192.0.2.2"), NO_IP_ADDRESS_OF_HOST),
        (("gw", "gw"), ("192.0.2.1", "192.0.2.2"), HOSTS_ARE_THE_SAME),
        (("a", "b"), ("192.0.2.1", "192.0.2.1"), UNDERLAYS_ARE_THE_SAME),
        (("a", "b"), ("2001:db8::1", "192.0.2.1"), UNDERLAY_IS_IPV6),
    ],
)
def test_the_form_refuses_what_the_command_line_refuses_and_marks_the_field(
    driver: Driver, hosts: tuple[str, str], underlay: tuple[str, str], form: MessageForm
) -> None:
    _enter(driver, "south", *hosts, underlay)
    page = driver.window.hosts
    page.discover()
    driver.idle()
    assert page.notice.text == "", "said once, below the field"
    assert [one for one in (page.form_a, page.form_b) if shows(one.fault.text(), form.text)]
    assert "discover" not in driver.services.calls
    words = ["pair", "add", "south", "--a", hosts[0], "--b", hosts[1], "--underlay", ",".join(underlay)]
    assert main(words) == ExitCode.INVALID


def test_the_letter_of_a_button_works_beside_its_key(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    window.hosts.show_pair(pair())
    inspections: list[int] = []
    window.hosts.inspect.clicked.connect(lambda: inspections.append(1))
    for key, modifier in ((Qt.Key.Key_I, Qt.KeyboardModifier.AltModifier), (Qt.Key.Key_F5, Qt.KeyboardModifier(0))):
        window.begin_with_hosts()
        window.hosts.edit.click()
        driver.until(window.hosts.inspect.isVisible)
        inspections.clear()
        driver.press(window, key, modifier)
        driver.until(lambda: bool(inspections))
        driver.idle()


@pytest.mark.qt_log_ignore("does not support (raise|propagateSizeHints|grabbing the keyboard)")
def test_the_list_of_pairs_opens_with_room_for_every_line(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    pairs = window.hosts.pairs
    driver.qtbot.mouseClick(pairs, Qt.MouseButton.LeftButton)
    driver.until(pairs.view().isVisible)
    assert pairs.count() > 1
    assert pairs.view().viewport().height() >= pairs.count() * pairs.view().sizeHintForRow(0)
    pairs.hidePopup()


def test_a_failure_is_no_longer_shown_above_another_pair(driver: Driver) -> None:
    window = driver.window
    window.begin_with_hosts()
    driver.idle()
    hosts = window.hosts
    hosts.notice.show_message("error", "192.0.2.1 cannot be reached")
    hosts.pairs.setCurrentIndex(hosts.pairs.count() - 1)
    hosts.pairs.activated.emit(hosts.pairs.currentIndex())
    assert not hosts.notice.isVisible()


def test_the_steps_of_the_last_comparison_are_not_those_of_a_new_pair(driver: Driver) -> None:
    window = driver.window
    driver.go_to(Step.PLAN)
    window.go(Step.HOSTS)
    steps, hosts = window.steps, window.hosts
    former = hosts._pair
    driver.click(hosts.edit)
    assert steps.buttons[Step.CHOOSE].accessibleName().endswith("done")
    driver.click(hosts.new)
    assert steps.buttons[Step.HOSTS].accessibleName().endswith("open")
    assert steps.buttons[Step.CHOOSE].accessibleName().endswith("not yet")
    assert [step for step in Step if steps.buttons[step].isEnabled()] == [Step.HOSTS]
    assert former is not None
    hosts.show_pair(former)
    assert steps.buttons[Step.CHOOSE].accessibleName().endswith("done")


def test_hosts_that_are_being_measured_are_not_inspected(driver: Driver) -> None:
    window = driver.window
    driver.services.faults["refuse_if_in_use"] = in_use = PairLocked(
        HOST_IN_USE(hosts="gateway-a", owner="comparison 3")
    )
    window.begin_with_hosts()
    window.hosts.show_pair(pair())
    window.hosts.discover()
    driver.idle()
    assert in_use.message in window.hosts.notice.text
    assert "discover" not in driver.services.calls


def test_an_error_of_a_host_without_a_name_says_which_one_it_is(driver: Driver) -> None:
    window = driver.window
    unreachable = HostUnreachable(HOST_UNREACHABLE(host="127.0.0.1:22", why="refused"), hint="Is it on?")
    driver.services.faults["discover"] = unreachable
    window.begin_with_hosts()
    for form, port in ((window.hosts.form_a, "2222"), (window.hosts.form_b, "22")):
        form.address.setText("127.0.0.1")
        form.port.setText(port)
        form.underlay.setText(f"10.1.0.{port[-1]}{len(port)}")
    window.hosts.discover()
    driver.idle()
    assert window.hosts.notice.text == f"{unreachable.message} Host B: {unreachable.hint}"


def test_examples_in_empty_fields_can_be_read(driver: Driver) -> None:
    driver.window.begin_with_hosts()
    driver.idle()
    shown = driver.window.hosts.form_a.address.palette().color(QPalette.ColorRole.PlaceholderText)
    assert shown.name() == driver.window.context.theme.colours.muted
    assert shown.alpha() == 255
