"""Questions of worker threads, and copying from tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Event, Thread

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPlainTextEdit
from sample_records import pair
from window_driver import Driver

from app.domain.concurrency import WorkerPool
from app.domain.credentials import HostKeyQuestion, Secret, SecretKey, SecretKind
from app.tunnel.messages import WAS_CANCELLED
from support.pseudo_language import brackets
from ui.common.dialogs import Question
from ui.common.icons import set_icon
from ui.common.notices import DetailFold
from ui.common.stage_texts import joined
from ui.results.candidate_page import CandidatePage
from ui.shell.prompting import host_name


def _open(driver: Driver) -> list[Question]:
    return [one for one in driver.window.findChildren(Question) if one.isVisible()]


def test_questions_of_two_hosts_come_in_turn_and_name_their_host(driver: Driver) -> None:
    window = driver.window
    driver.inspect_hosts()
    bridge, answers = window.bridge, {}
    key = HostKeyQuestion("192.0.2.11", "ssh-ed25519", "SHA256:wVbwOu4nAfXBgS0ZLVqMjbDpPSVSwSkDtnkyHzhjVKQ")
    login = SecretKey(SecretKind.LOGIN, "root@192.0.2.10:22")
    threads = [
        Thread(target=lambda: answers.update(key=bridge.confirm_host_key(key))),
        Thread(target=lambda: answers.update(password=bridge.ask_password(login, False))),
    ]
    threads[0].start()
    first = driver.dialog()
    assert first.windowTitle() == "Host B: Unknown host key"
    assert any(one.text() == "Host B (gateway-b): Unknown host key" for one in first.findChildren(QLabel))
    assert "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" in first._text.text()
    threads[1].start()
    driver.until(lambda: len(window._prompts._waiting) == 1)
    assert _open(driver) == [first]
    driver.click(first.yes)
    driver.until(lambda: bool(_open(driver)) and _open(driver)[0] is not first)
    second = driver.dialog()
    assert second.windowTitle().startswith("Host A (gateway-a): ")
    second.accept()
    driver.until(lambda: len(answers) == 2)
    for thread in threads:
        thread.join(120)
    assert answers["key"] is True
    assert isinstance(answers["password"], Secret)


KEY = HostKeyQuestion("192.0.2.11", "ssh-ed25519", "SHA256:wVbwOu4nAfXBgS0ZLVqMjbDpPSVSwSkDtnkyHzhjVKQ")
OTHER_KEY = HostKeyQuestion("192.0.2.10", "ssh-ed25519", "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGLFG/jEeqvHcsTTAJM")
LOGIN = SecretKey(SecretKind.LOGIN, "root@192.0.2.10:22")


def _operation(driver: Driver, *later: Callable[[], object], first: Callable[[], object]) -> tuple[Event, list[object]]:
    """Begin an operation that asks something, and more once the event is set; the list gets the answers at its end."""
    may_ask, answers = Event(), list[object]()

    def wait_and_ask(ask: Callable[[], object]) -> object:
        assert may_ask.wait(120)
        return ask()

    def work(*_: object) -> list[object]:
        with WorkerPool(1 + len(later)) as pool:
            asked = [pool.submit(first), *(pool.submit(wait_and_ask, one) for one in later)]
        return [one.result() for one in asked]

    driver.window.runner.run(
        "Asking", work, on_success=answers.extend, on_failure=lambda error: pytest.fail(str(error))
    )
    return may_ask, answers


@pytest.mark.parametrize("comes_late", [False, True])
def test_after_a_refused_host_key_the_operation_asks_nothing_of_the_other_host(
    driver: Driver, *, comes_late: bool
) -> None:
    driver.inspect_hosts()
    bridge = driver.window.bridge
    may_ask, answers = _operation(
        driver,
        partial(bridge.confirm_host_key, OTHER_KEY),
        partial(bridge.ask_password, LOGIN, False),
        first=partial(bridge.confirm_host_key, KEY),
    )
    dialog = driver.dialog()
    if not comes_late:
        may_ask.set()
        driver.until(lambda: len(driver.window._prompts._waiting) == 2)
    driver.click(dialog.no)
    may_ask.set()
    driver.until(lambda: len(answers) == 3)
    assert answers == [False, False, None]
    assert not _open(driver)


def test_a_refused_host_key_does_not_concern_other_operations(driver: Driver) -> None:
    driver.inspect_hosts()
    bridge = driver.window.bridge
    _, refused = _operation(driver, first=partial(bridge.confirm_host_key, KEY))
    dialog = driver.dialog()
    _, answers = _operation(driver, first=partial(bridge.ask_password, LOGIN, False))
    driver.until(lambda: len(driver.window._prompts._waiting) == 1)
    driver.click(dialog.no)
    driver.until(lambda: refused == [False] and bool(_open(driver)))
    driver.dialog().accept()
    driver.until(lambda: len(answers) == 1)
    assert isinstance(answers[0], Secret)


@pytest.mark.parametrize("is_retry", [False, True])
def test_prompt_for_a_password_says_which_key_was_refused(driver: Driver, is_retry: bool) -> None:
    login = SecretKey(SecretKind.LOGIN, "root@192.0.2.10:22", ("key /home/meier/.ssh/id_ed25519",))
    thread = Thread(target=lambda: driver.window.bridge.ask_password(login, is_retry))
    thread.start()
    dialog = driver.dialog()
    assert ("refused key /home/meier/.ssh/id_ed25519." in dialog._text.text()) is not is_retry
    assert ("Wrong password" in dialog._text.text()) is is_retry
    driver.click(dialog.no)
    thread.join(120)


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("root@192.0.2.10:22", "Host A (gateway-a)"),
        ("[192.0.2.11]:2222", "Host B (gateway-b)"),
        ("192.0.2.11", "Host B (gateway-b)"),
        ("192.0.2.12", ""),
        ("/home/meier/.ssh/id_ed25519", ""),
    ],
)
def test_the_host_of_a_question_is_found_by_its_address(subject: str, name: str) -> None:
    assert host_name(pair(), subject) == name


def test_two_hosts_with_one_address_are_distinguished_by_their_ports() -> None:
    both = pair()
    both = replace(both, b=replace(both.b, address="192.0.2.10", port=2222))
    assert host_name(both, "root@192.0.2.10:2222") == "Host B (gateway-b)"
    assert host_name(both, "root@192.0.2.10") == ""
    assert host_name(None, "root@192.0.2.10") == ""


def test_a_host_that_is_called_by_the_letter_of_its_side_is_named_by_its_address() -> None:
    named = pair()
    named = replace(named, a=replace(named.a, label="A"))
    assert host_name(named, "root@192.0.2.10:22") == "Host A (192.0.2.10)"


def test_copying_takes_the_whole_line_and_double_click_opens_the_candidate(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    page = driver.window.results
    page.table.setCurrentCell(1, 0)
    driver.press(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = QApplication.clipboard().text().split("\t")
    assert page.table.item(1, 1).text() in cells
    assert len(cells) >= 5
    next(action for action in page.table.actions() if action.text() == "Copy all").trigger()
    assert len(QApplication.clipboard().text().splitlines()) == page.table.rowCount() + 1
    page.table.itemActivated.emit(page.table.item(1, 1))
    assert isinstance(driver.window.current, CandidatePage)


def test_a_chevron_on_a_transparent_ground_has_the_colour_of_the_text(driver: Driver) -> None:
    fold = DetailFold()
    driver.qtbot.addWidget(fold)
    fold.show_details({"host": "a"})
    fold.show()
    set_icon(fold._toggle, "chevron-right")
    image = fold._toggle.icon().pixmap(fold._toggle.iconSize()).toImage()
    drawn = [
        image.pixelColor(x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() > 200
    ]
    assert drawn
    assert all((colour.lightnessF() < 0.5) is not driver.window.context.theme.is_dark for colour in drawn)


def test_messages_among_details_are_in_the_readers_language(driver: Driver) -> None:
    fold = DetailFold()
    driver.qtbot.addWidget(fold)
    with brackets():
        fold.show_details({"cause": WAS_CANCELLED(), "status": "4"})
    assert fold.findChild(QPlainTextEdit).toPlainText().startswith("cause: ⟦It was cancelled.⟧\nstatus: ")


def test_a_stage_and_a_sentence_are_kept_apart() -> None:
    assert joined("latency", "512 B") == "latency 512 B"
    assert joined("preflight checks", "checking both hosts") == "preflight checks: checking both hosts"
    assert joined("generating keys", "") == "generating keys"


def test_a_question_that_warns_has_an_amber_sign(driver: Driver) -> None:
    signs = {}
    for icon in ("warning", "info"):
        dialog = Question(driver.window, "Stop it?", "It is stopped.", "Stop", "Continue", icon)
        (sign,) = (one for one in dialog.findChildren(QLabel) if one.property("icon_name"))
        signs[icon] = sign.property("icon_role")
        dialog.close()
    assert signs == {"warning": "legacy", "info": "accent"}


def test_a_question_with_much_to_choose_has_room_for_its_text(driver: Driver) -> None:
    words = "Weak options are used for test traffic. " * 6
    dialog = Question(driver.window, "Try the ciphers?", words, "Try", "Cancel")
    for nth in range(12):
        dialog.body.addWidget(QCheckBox(f"{nth} options"))
    dialog.ask(lambda: None)
    driver.until(lambda: dialog._text.height() > 0)
    assert dialog.height() > driver.window.screen().availableSize().height() * 2 / 3
    assert dialog._text.height() >= dialog._text.heightForWidth(dialog._text.width())
    dialog.close()


def test_another_style_leaves_the_focus_on_the_safe_answer(driver: Driver) -> None:
    window = driver.window
    dialog = Question(window, "Remove the pair?", "Its hosts are not changed.", "Remove", "Cancel")
    dialog.ask(lambda: None)
    driver.until(dialog.no.hasFocus)
    for change in (lambda: window.context.theme.force(Qt.ColorScheme.Dark), lambda: window.context.theme.zoom(1.2)):
        change()
        for _ in range(5):
            QApplication.processEvents()
        assert dialog.no.hasFocus()
    dialog.close()
