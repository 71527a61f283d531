from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_services import FakeServices
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QWidget
from sample_records import pair
from window_driver import Driver

from app.domain.credentials import Secret, SecretKey, SecretKind
from app.domain.errors import (
    AuthenticationFailed,
    DiskFull,
    HostKeyChanged,
    HostUnreachable,
    PairLocked,
    StorageFault,
)
from app.domain.hosts import MissingPart
from app.domain.messages.inputs import HOST_WITHOUT_ADDRESS
from app.measurement.wizard import Step
from app.services.interfaces import Prompts
from ui.common.dialogs import Question
from ui.common.host_card import HostCard
from ui.common.theme import Theme


def _inspect(driver: Driver) -> None:
    driver.window.begin_with_hosts()
    driver.window.hosts.show_pair(pair())
    driver.window.hosts.discover()


def test_an_unreachable_host_is_named_with_a_way_on_and_its_own_words(driver: Driver) -> None:
    driver.services.faults["discover"] = HostUnreachable(
        "gateway-b does not answer on 192.0.2.11:22.",
        hint="Is it switched on?",
        context={"errno": "113", "said": "No route to host"},
    )
    _inspect(driver)
    notice = driver.window.hosts.notice
    driver.until(lambda: "does not answer" in notice.text)
    assert "Is it switched on?" in notice.text
    assert driver.window.hosts.form_a.address.text() == "192.0.2.10"
    assert not driver.window.footer.next.isEnabled()
    details = notice.findChild(QPlainTextEdit)
    assert not details.isVisible()
    driver.click(notice.action("Show details"))
    assert details.isVisible()
    driver.click(notice.action("Copy details"))
    assert "No route to host" in QApplication.clipboard().text()
    driver.click(notice.action("Try again"))
    driver.until(lambda: driver.window.wizard.state.discovery is not None)


def test_a_refused_login_can_be_tried_again_and_the_focus_remains_on_the_page(driver: Driver) -> None:
    driver.services.faults["discover"] = AuthenticationFailed("gateway-a refused the login.")
    _inspect(driver)
    page = driver.window.hosts
    driver.until(lambda: "refused the login" in page.notice.text)
    driver.idle()
    assert page.isAncestorOf(QApplication.focusWidget())
    driver.click(page.notice.action("Try again"))
    driver.until(lambda: driver.window.wizard.state.discovery is not None)


def test_a_changed_host_key_is_explained_and_cannot_be_clicked_away(driver: Driver) -> None:
    driver.services.faults["discover"] = HostKeyChanged("gateway-a shows another key than the known one.")
    _inspect(driver)
    notice = driver.window.hosts.notice
    driver.until(lambda: "another key" in notice.text)
    assert "remove its old line from known_hosts" in notice.text
    with pytest.raises(StopIteration):
        notice.action("Try again")


@pytest.mark.parametrize("is_accepted", [True, False])
def test_an_unknown_host_key_is_shown_and_the_answer_counts(
    open_window: Callable[..., Driver], is_accepted: bool
) -> None:
    driver = open_window(asks_host_key=True)
    _inspect(driver)
    dialog = driver.dialog()
    assert any("SHA256:wVbwOu4nAfXBgS0Z" in field.text() for field in dialog.findChildren(QLabel))
    assert dialog.no.hasFocus()
    driver.click(dialog.yes if is_accepted else dialog.no)
    if is_accepted:
        driver.until(lambda: driver.window.wizard.state.discovery is not None)
    else:
        driver.until(lambda: "was not accepted" in driver.window.hosts.notice.text)


@pytest.mark.parametrize("zoom", [1.0, 1.1**2, 1.1**4])
def test_the_fingerprint_of_a_host_key_is_wholly_visible_at_every_size_of_texts(
    open_window: Callable[..., Driver], theme: Theme, zoom: float
) -> None:
    driver = open_window(asks_host_key=True)
    theme.zoom(zoom)
    try:
        _inspect(driver)
        dialog = driver.dialog()
        driver.until(dialog.isVisible)
        shown = next(one for one in dialog.findChildren(QWidget) if "SHA256:" in getattr(one, "text", str)())
        lines = shown.text().splitlines()
        widest = max(shown.fontMetrics().horizontalAdvance(line) for line in lines)
        assert shown.contentsRect().width() >= widest
        assert dialog.contentsRect().contains(shown.geometry())
        assert shown.height() >= len(lines) * shown.fontMetrics().height()
        driver.click(dialog.no)
    finally:
        theme.zoom(0)


def test_a_password_reaches_the_worker_and_leaves_no_trace_in_the_dialog(driver: Driver) -> None:
    window = driver.window
    answers: list[Secret | None] = []
    key = SecretKey(SecretKind.LOGIN, "root@192.0.2.10:22")
    window.runner.run(
        "Asking",
        lambda _token, _report: window.bridge.ask_password(key, True),
        on_success=answers.append,
        on_failure=lambda error: pytest.fail(str(error)),
    )
    dialog = driver.dialog()
    field = dialog.findChild(QLineEdit)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    assert "root@192.0.2.10:22" in dialog.windowTitle()
    assert "Try again" in dialog._text.text()
    texts: list[str] = []
    field.textChanged.connect(texts.append)
    driver.qtbot.keyClicks(field, "hunter2")
    driver.click(dialog.yes)
    driver.until(lambda: bool(answers))
    assert answers[0].value == "hunter2"
    assert texts[-1] == ""
    assert "hunter2" not in repr(answers)


def test_closing_the_password_dialog_declines(driver: Driver) -> None:
    window = driver.window
    answers: list[Secret | None] = []
    window.runner.run(
        "Asking",
        lambda _token, _report: window.bridge.ask_password(SecretKey(SecretKind.SUDO, "op@h:22"), False),
        on_success=answers.append,
        on_failure=lambda error: pytest.fail(str(error)),
    )
    driver.dialog().reject()
    driver.until(lambda: answers != [])
    driver.idle()
    assert answers == [None]
    assert not any(question.isVisible() for question in window.findChildren(Question))


def test_what_the_worker_tells_is_shown(driver: Driver) -> None:
    driver.window.bridge.report("There is no keyring: the password is kept in memory only.")
    driver.until(lambda: driver.window.current.notice.text != "")
    assert driver.window.current.notice.text == "There is no keyring: the password is kept in memory only."


def test_services_that_do_not_open_can_be_tried_again(open_window: Callable[..., Driver]) -> None:
    faults = [StorageFault("The database was made by a newer Tunnelmark.", hint="Update Tunnelmark.")]

    def make(prompts: Prompts) -> FakeServices:
        if faults:
            raise faults.pop()
        return FakeServices(prompts)

    driver = open_window(is_waiting=False, factory=make)
    notice = driver.window.welcome.notice
    driver.until(lambda: "newer Tunnelmark" in notice.text)
    driver.click(notice.action("Try again"))
    driver.until(lambda: driver.window.context.has_services)
    assert notice.text == ""


def test_what_was_clicked_too_early_happens_when_the_services_are_open(open_window: Callable[..., Driver]) -> None:
    driver = open_window(is_waiting=False)
    driver.window.begin_with_lab()
    assert not driver.window.context.has_services
    driver.until(lambda: driver.window.context.has_services)
    driver.until(lambda: driver.window.wizard.state.discovery is not None)


@pytest.mark.allow_logs("ui.common.operations")
def test_a_fault_of_our_own_is_reported_to_be_one_and_carries_its_traceback(driver: Driver) -> None:
    def broken(*_arguments: object, **_words: object) -> None:
        raise ZeroDivisionError("seven")

    driver.services.discover = broken
    _inspect(driver)
    notice = driver.window.hosts.notice
    driver.until(lambda: "fault in Tunnelmark" in notice.text)
    driver.click(notice.action("Show details"))
    assert "ZeroDivisionError: seven" in notice.findChild(QPlainTextEdit).toPlainText()


def test_missing_parts_are_named_and_installed_after_a_question(open_window: Callable[..., Driver]) -> None:
    driver = open_window(missing_on_b=(MissingPart("iperf3", "throughput", "iperf3"),))
    driver.inspect_hosts()
    card = next(card for card in driver.window.hosts.findChildren(HostCard) if hasattr(card, "install"))
    assert "iperf3" in card.install.text()
    driver.click(card.install)
    dialog = driver.dialog()
    assert "refused if it would remove" in dialog._text.text()
    driver.click(dialog.yes)
    driver.until(lambda: "Installed iperf3" in driver.window.hosts.notice.text)
    driver.idle()
    assert not driver.window.wizard.state.discovery.b.missing


def test_an_empty_form_says_which_field_is_missing_and_puts_the_focus_there(driver: Driver) -> None:
    driver.window.begin_with_hosts()
    driver.window.hosts.discover()
    hosts = driver.window.hosts
    assert HOST_WITHOUT_ADDRESS(side="A") in hosts.form_a.fault.text()
    assert hosts.form_a.address.hasFocus()
    assert hosts.form_a.address.property("fault") is True
    assert driver.services.calls.count("discover") == 0


@pytest.mark.parametrize(
    ("subnet", "words"),
    [
        ("not a net", "not an IPv4 network"),
        ("198.18.0.0/31", "too small"),
        ("198.18.0.7/24", "not an IPv4"),
    ],
)
def test_a_wrong_subnet_is_refused_with_an_example(driver: Driver, subnet: str, words: str) -> None:
    driver.go_to(Step.LINK)
    link = driver.window.step_page(Step.LINK)
    link.subnet.setText(subnet)
    driver.window.go_next()
    assert words in link.subnet_fault.text()
    assert "198.18.0.0/24" in link.subnet_fault.text()
    assert link.notice.text == "", "said once"
    assert link.subnet.property("fault") is True
    assert link.subnet.hasFocus()
    assert driver.window.wizard.current is Step.LINK


def test_equal_or_wrong_underlay_addresses_of_a_link_are_marked_and_have_the_focus(driver: Driver) -> None:
    driver.go_to(Step.LINK)
    link = driver.window.step_page(Step.LINK)
    a, b = link.underlay.values()
    former = b.currentText()
    b.setCurrentText(a.currentText())
    driver.window.go_next()
    assert "same underlay address" in link.notice.text
    assert [box.property("fault") for box in (a, b)] == [True, True]
    assert a.hasFocus() or a.lineEdit().hasFocus()
    b.setCurrentText("192.0.2.77")
    driver.window.go_next()
    assert "does not have the address 192.0.2.77" in link.notice.text
    assert [box.property("fault") for box in (a, b)] == [False, True]
    b.setCurrentText("gateway")
    assert [box.property("fault") for box in (a, b)] == [False, False], "an edit takes the marks away"
    driver.window.go_next()
    assert [box.property("fault") for box in (a, b)] == [False, True]
    assert b.hasFocus() or b.lineEdit().hasFocus()
    b.setCurrentText(former)
    driver.next()
    assert driver.window.wizard.current is Step.CHOOSE


def test_a_plan_that_cannot_be_made_remains_on_its_page(driver: Driver) -> None:
    driver.go_to(Step.CHOOSE)
    driver.services.faults["plan"] = StorageFault("The database is locked.")
    driver.window.go_next()
    driver.idle()
    assert "locked" in driver.window.step_page(Step.PLAN).notice.text
    assert not driver.window.footer.next.isEnabled()


def test_a_run_that_cannot_start_says_why_and_can_be_tried_again(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    driver.services.faults["run"] = PairLocked("Another Tunnelmark works on gateway-a.", hint="Wait for it.")
    driver.window.go_next()
    run = driver.window.run_page
    driver.until(lambda: "Another Tunnelmark" in run.notice.text)
    assert not driver.window.is_measuring
    driver.click(run.notice.action("Try again"))
    driver.until(lambda: driver.window.wizard.state.campaign_id is not None)


def test_a_report_that_cannot_be_written_says_why(driver: Driver, tmp_path: object) -> None:
    driver.compare()
    driver.idle()
    driver.services.faults["write_report"] = DiskFull("There is no space left for the report.")
    driver.window.results.write_report(tmp_path / "report.html")
    driver.until(lambda: "no space" in driver.window.results.notice.text)
    driver.window.results.write_report(tmp_path / "report.html")
    driver.until(lambda: "Report saved" in driver.window.results.notice.text)
    assert (tmp_path / "report.html").exists()


def test_results_that_cannot_be_read_can_be_tried_again(driver: Driver) -> None:
    driver.go_to(Step.RUN)
    driver.until(lambda: not driver.window.is_measuring)
    driver.services.faults["results"] = StorageFault("The database is locked.")
    driver.window.go_next()
    notice = driver.window.results.notice
    driver.until(lambda: "locked" in notice.text)
    assert driver.window.results.data is None
    driver.click(notice.action("Try again"))
    driver.until(lambda: driver.window.results.data is not None)
    driver.idle()
    assert notice.text == ""
    assert driver.window.results.data.record == driver.services.records[1]
