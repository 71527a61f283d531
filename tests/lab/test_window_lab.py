"""The window's lab menu before real gateways: start, state, and stop, with a question while a user is logged in."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab_window import opened
from platformdirs import user_cache_path
from program import PROGRAM
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.lab import LabManager
from ui.shell.lab_dialog import LabDialog
from ui.shell.panel import Information

pytestmark = pytest.mark.qt_log_ignore("does not support", extend=True)


@pytest.fixture
def driver(has_qemu: None, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with opened(qtbot, tmp_path, monkeypatch) as driver:
        yield driver


def actions(menu: QMenu) -> list[QAction]:
    return [inner for action in menu.actions() for inner in (actions(action.menu()) if action.menu() else [action])]


def trigger(driver: Driver, beginning: str) -> None:
    labs = driver.window.desk.labs
    labs.menu.aboutToShow.emit()
    next(action for action in actions(labs.menu) if action.text().startswith(beginning)).trigger()


@contextmanager
def logged_in(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Keep a login on gateway A from another process."""
    words = (PROGRAM, "lab", "ssh", "A", "--name", "default", "--", "hostname; exec sleep 600")
    environment = {**os.environ, "TUNNELMARK_HOME": str(home)}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "gateway-a\n"
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # ssh, which it has started, too


@pytest.mark.timeout(600)
def test_a_lab_is_started_shown_and_stopped(driver: Driver, tmp_path: Path) -> None:
    window = driver.window
    driver.until(lambda: window.top.lab.text() == "lab: down")
    trigger(driver, "Start a lab")
    dialog = driver.dialog()
    assert isinstance(dialog, LabDialog)
    driver.click(dialog.yes)
    driver.until(lambda: window.top.lab.text() == "lab: up")
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=tmp_path / "labs")
    lab = manager.find("default")
    assert lab is not None
    trigger(driver, "default: ")
    shown = next(one for one in window.findChildren(Information) if one.isVisible())
    assert shown.lines["Gateway A"].startswith("up, SSH port ")
    shown.close()

    with logged_in(tmp_path) as login:
        trigger(driver, "Stop default")
        driver.click(driver.dialog().no)
        driver.until(lambda: not window.runner.running)
        assert login.poll() is None, "a lab that somebody uses is left alone"

    trigger(driver, "Stop default")
    driver.until(lambda: window.top.lab.text() == "lab: down")
    assert manager.find("default") is None
