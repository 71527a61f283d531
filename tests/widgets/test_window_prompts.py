"""Questions of worker threads, and copying from tables."""

from __future__ import annotations

from dataclasses import replace
from threading import Thread

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from sample_records import pair
from window_driver import Driver

from app.domain.credentials import HostKeyQuestion, Secret, SecretKey, SecretKind
from ui.common.dialogs import Question
from ui.common.icons import set_icon
from ui.common.notices import DetailFold
from ui.common.stage_texts import joined
from ui.results.candidate_page import CandidatePage
from ui.shell.prompting import host_name


def _open(driver: Driver) -> list[Question]:
    return [one for one in driver.window.findChildren(Question) if one.isVisible()]


def test_questions_of_two_hosts_come_one_after_the_other_and_name_their_host(driver: Driver) -> None:
    window = driver.window
    driver.look_at_hosts()
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
        thread.join(10)
    assert answers["key"] is True
    assert isinstance(answers["password"], Secret)


@pytest.mark.parametrize("is_retry", [False, True])
def test_prompt_for_a_password_says_which_key_was_refused(driver: Driver, is_retry: bool) -> None:
    login = SecretKey(SecretKind.LOGIN, "root@192.0.2.10:22", ("key /home/meier/.ssh/id_ed25519",))
    thread = Thread(target=lambda: driver.window.bridge.ask_password(login, is_retry))
    thread.start()
    dialog = driver.dialog()
    assert ("refused key /home/meier/.ssh/id_ed25519." in dialog._text.text()) is not is_retry
    assert ("Wrong password" in dialog._text.text()) is is_retry
    driver.click(dialog.no)
    thread.join(10)


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


def test_two_hosts_with_one_address_are_told_apart_by_their_ports() -> None:
    both = pair()
    both = replace(both, b=replace(both.b, address="192.0.2.10", port=2222))
    assert host_name(both, "root@192.0.2.10:2222") == "Host B (gateway-b)"
    assert host_name(both, "root@192.0.2.10") == ""
    assert host_name(None, "root@192.0.2.10") == ""


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


def test_a_stage_and_a_sentence_are_kept_apart() -> None:
    assert joined("latency", "512 B") == "latency 512 B"
    assert joined("preflight checks", "checking both hosts") == "preflight checks: checking both hosts"
    assert joined("generating keys", "") == "generating keys"


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
