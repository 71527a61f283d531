"""The lab menu: state, login, start with cancel, stop and restart with a question where a lab is in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from fake_desk import PRACTICE
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu
from window_driver import Driver

from app.domain.errors import LabFault
from app.domain.practice_labs import LabChoice
from app.lab.messages import LAB_ENDED, LAB_MEASURES
from support.message_checks import shows
from ui.shell.lab_dialog import LabDialog
from ui.shell.panel import Information

CHOICE = LabChoice("second", "debian-11", "debian-13", has_aes=False, is_hardened=True, is_detached=True)


def _actions(menu: QMenu) -> list[QAction]:
    return [inner for action in menu.actions() for inner in (_actions(action.menu()) if action.menu() else [action])]


def _action(driver: Driver, beginning: str) -> QAction:
    labs = driver.window.desk.labs
    labs.menu.aboutToShow.emit()
    return next(action for action in _actions(labs.menu) if action.text().startswith(beginning))


def test_the_button_says_how_the_labs_are(driver: Driver) -> None:
    top, labs = driver.window.top, driver.window.desk.labs
    for up_labs, text in (
        ({}, "lab: down"),
        ({"practice": PRACTICE}, "lab: up"),
        ({"practice": replace(PRACTICE, is_up=(True, False))}, "lab: partly off"),
        ({"practice": replace(PRACTICE, is_up=(False, False), is_starting=True)}, "lab: starting"),
    ):
        driver.services.up_labs = up_labs
        labs.refresh()
        driver.idle()
        assert top.lab.text() == text
        assert top.lab.accessibleName() == text
    driver.services.faults["lab_details"] = LabFault("The lab does not answer.")
    labs.refresh()
    driver.idle()
    assert top.lab.text() == "lab: unknown"


def test_the_state_of_each_gateway_and_the_logins_are_shown_and_copied(driver: Driver) -> None:
    driver.services.up_labs = {"practice": replace(PRACTICE, is_up=(True, False))}
    driver.window.desk.labs.refresh()
    driver.idle()
    _action(driver, "practice: gateway B is off").trigger()
    shown = next(one for one in driver.window.findChildren(Information) if one.isVisible())
    assert shown.lines["Gateway A"] == "up, SSH port 2201"
    assert shown.lines["Gateway B"] == "off, SSH port 2202"
    assert shown.lines["Log in to B"] == "tunnelmark lab ssh B --name practice"
    shown.close()
    _action(driver, "Copy the login command of gateway A").trigger()
    assert QGuiApplication.clipboard().text() == "tunnelmark lab ssh A --name practice"
    assert "tunnelmark lab ssh A" in driver.window.footer.status.text()


def test_a_lab_is_started_as_chosen(driver: Driver) -> None:
    _action(driver, "Start a lab").trigger()
    dialog = driver.dialog()
    assert isinstance(dialog, LabDialog)
    assert dialog.name.text() == "default"
    dialog.name.setText("second")
    dialog.platform_a.setCurrentIndex(dialog.platform_a.findData("debian-11"))
    dialog.cpu.setCurrentIndex(1)
    dialog.hardened.setChecked(True)
    dialog.keep_running.setChecked(True)
    dialog.yes.click()
    driver.idle()
    assert driver.services.started == [CHOICE]
    assert "lab:second" in driver.window.footer.status.text()
    driver.window.desk.labs.menu.aboutToShow.emit()
    assert [action.text() for action in driver.window.desk.labs.menu.actions() if action.menu()] == [
        "practice",
        "second",
    ]


@pytest.mark.parametrize("name", ["practice", "A B", "debian-13", ""])
def test_a_name_that_is_taken_or_not_allowed_keeps_the_dialog_open(driver: Driver, name: str) -> None:
    _action(driver, "Start a lab").trigger()
    dialog = driver.dialog()
    assert isinstance(dialog, LabDialog)
    dialog.name.setText(name)
    dialog.yes.click()
    assert dialog.isVisible()
    assert dialog.fault.text()
    assert dialog.name.property("fault")
    assert driver.services.started == []


def test_a_start_is_shown_and_can_be_cancelled(driver: Driver) -> None:
    labs, services = driver.window.desk.labs, driver.services
    services.lab_gate.clear()
    labs.start(CHOICE)
    driver.until(lambda: "Booting" in driver.window.footer.status.text())
    assert driver.window.top.lab.text() == "lab: starting"
    assert not _action(driver, "Stop practice").isEnabled()
    _action(driver, "Cancel the start").trigger()
    driver.idle()
    assert services.started == []
    assert "cancelled" in driver.window.footer.status.text()
    assert driver.window.top.lab.text() == "lab: up"
    services.lab_gate.set()
    labs.start(CHOICE)
    driver.idle()
    assert services.started == [CHOICE]


def test_closing_the_window_cancels_a_start(driver: Driver) -> None:
    driver.services.lab_gate.clear()
    driver.window.desk.labs.start(CHOICE)
    driver.until(lambda: "start_chosen_lab" in driver.services.calls)
    driver.window.close_now()
    driver.until(lambda: not driver.window.isVisible())
    assert driver.services.started == []


def test_a_failed_start_is_reported_on_the_page(driver: Driver) -> None:
    driver.services.faults["start_chosen_lab"] = LabFault("qemu-system-x86_64 is missing on this computer.")
    driver.window.desk.labs.start(CHOICE)
    driver.idle()
    assert "qemu-system-x86_64" in driver.window.current.notice.text  # type: ignore[union-attr]
    assert not driver.window.desk.labs.is_starting


def test_an_unused_lab_that_is_to_last_is_stopped_after_a_question(driver: Driver) -> None:
    for answer, left in (("no", {"practice"}), ("yes", set())):
        _action(driver, "Stop practice").trigger()
        dialog = driver.dialog()
        assert dialog.windowTitle() == "Stop the lab practice?"
        assert "It is not in use" in dialog._text.text()
        getattr(dialog, answer).click()
        driver.idle()
        assert set(driver.services.up_labs) == left


@pytest.mark.parametrize("verb", ["Stop", "Restart"])
def test_what_uses_a_lab_only_since_the_question_is_asked_about_again(driver: Driver, verb: str) -> None:
    status = driver.window.footer.status
    done: Callable[[], bool] = lambda: "is stopped" in status.text() or "was restarted" in status.text()  # noqa: E731
    _action(driver, f"{verb} practice").trigger()
    question = driver.dialog()
    driver.services.uses["practice"] = (use := LAB_MEASURES(pair="lab:practice"),)
    question.yes.click()
    driver.idle()
    assert not done()
    assert set(driver.services.up_labs) == {"practice"}
    again = driver.dialog()
    assert again.windowTitle() == f"{verb} the lab practice although it is in use?"
    assert use in again._text.text()
    again.yes.click()
    driver.idle()
    assert done()


def test_an_unused_lab_that_ends_with_the_window_is_stopped_without_a_question(driver: Driver) -> None:
    driver.services.up_labs = {"practice": replace(PRACTICE, is_detached=False)}
    driver.window.desk.labs.refresh()
    driver.idle()
    _action(driver, "Stop practice").trigger()
    driver.idle()
    assert driver.services.up_labs == {}
    assert driver.window.top.lab.text() == "lab: down"


@pytest.mark.parametrize("verb", ["Stop", "Restart"])
def test_a_lab_in_use_is_left_alone_unless_the_user_says_so(driver: Driver, verb: str) -> None:
    done: Callable[[], bool] = lambda: f"{verb.lower()}_lab" in driver.services.calls  # noqa: E731
    driver.services.uses["practice"] = ("process 4711 (tunnelmark compare) is connected to it.",)
    for answer in ("no", "yes"):
        _action(driver, f"{verb} practice").trigger()
        dialog = driver.dialog()
        assert "process 4711" in dialog._text.text()
        assert dialog.no.isDefault()
        getattr(dialog, answer).click()
        driver.idle()
        assert done() is (answer == "yes")


def test_a_cancelled_restart_says_that_the_lab_is_stopped(driver: Driver) -> None:
    driver.services.lab_gate.clear()
    _action(driver, "Restart practice").trigger()
    driver.dialog().yes.click()
    driver.until(lambda: "restart_lab" in driver.services.calls and driver.window.desk.labs.is_starting)
    _action(driver, "Cancel the start").trigger()
    driver.idle()
    assert "is stopped" in driver.window.footer.status.text()
    assert driver.window.top.lab.text() == "lab: down"


def test_a_lab_that_ended_meanwhile_is_reported(driver: Driver) -> None:
    action = _action(driver, "Stop practice")
    driver.services.up_labs = {}
    action.trigger()
    driver.idle()
    assert shows(driver.window.current.notice.text, LAB_ENDED.text, lab="practice")  # type: ignore[union-attr]
    assert driver.window.top.lab.text() == "lab: down"


def test_the_first_page_says_whether_the_lab_is_started_or_used(driver: Driver) -> None:
    begin, labs = driver.window.welcome.lab[1], driver.window.desk.labs
    driver.services.up_labs = {}
    labs.refresh()
    driver.idle()
    assert begin.text() == "Start the &practice lab"
    driver.services.up_labs = {"practice": PRACTICE}
    labs.refresh()
    driver.idle()
    assert begin.text() == "Use the &practice lab"
    assert begin.accessibleName() == "Use the practice lab"
