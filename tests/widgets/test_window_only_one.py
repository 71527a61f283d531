"""One window per data folder: a second one raises the first, and says what that one is doing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from window_driver import Driver

from app.measurement.wizard import Step
from ui.shell.single_instance import OnlyWindow
from ui.studies.studies_page import StudiesPage

_UNANSWERED = "no window listens yet"
_SECOND = (
    "import sys; from pathlib import Path; from ui.shell import single_instance; from ui.shell.app import run_window\n"
    "single_instance._ANSWER_MS = 60_000\n"  # the first one may be slow on a busy computer
    "class Pause(single_instance.QThread):\n"
    "    @staticmethod\n"
    "    def msleep(ms):\n"
    f"        print({_UNANSWERED!r}, file=sys.stderr, flush=True)\n"
    "        super(Pause, Pause).msleep(ms)\n"
    "single_instance.QThread = Pause\n"
    "raise SystemExit(run_window(lambda prompts: None, data_dir=Path(sys.argv[1])))"
)


@pytest.fixture
def first(tmp_path: Path) -> Iterator[OnlyWindow]:
    only = OnlyWindow(tmp_path / "data")
    assert only.take()
    yield only
    only.release()


def _start_second(
    driver: Driver, data_dir: Path, *, once_unanswered: Callable[[], None] | None = None
) -> tuple[int, str]:
    """Start another window and wait for its end; return its exit status and what it reported.

    Args:
        driver: The first one.
        data_dir: The folder of both.
        once_unanswered: Done as soon as the other one has found that no window listens.
    """
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", _SECOND, str(data_dir)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        try:
            if once_unanswered is not None:
                assert any(_UNANSWERED in line for line in second.stderr)
                once_unanswered()
            driver.until(lambda: second.poll() is not None)
        finally:
            second.kill()
        return second.returncode, second.stderr.read()


def test_a_second_window_raises_the_first_and_ends(driver: Driver, first: OnlyWindow, tmp_path: Path) -> None:
    first.serve(driver.window)
    driver.window.showMinimized()
    status, reported = _start_second(driver, tmp_path / "data")
    assert status == 1
    assert f"open already ({tmp_path / 'data'}, process {os.getpid()} on " in reported
    assert "brought to the front" in reported
    driver.until(lambda: not driver.window.windowState() & Qt.WindowState.WindowMinimized)


def test_a_second_window_says_that_the_first_one_measures(driver: Driver, first: OnlyWindow, tmp_path: Path) -> None:
    first.serve(driver.window)
    driver.services.holds_after = 3  # it measures however long the second one takes to start
    driver.go_to(Step.RUN)
    assert driver.window.is_measuring
    status, reported = _start_second(driver, tmp_path / "data")
    assert driver.window.is_measuring
    assert status == 1
    assert "A comparison is running in that window." in reported


def test_a_second_window_says_that_a_study_is_measured(driver: Driver, first: OnlyWindow, tmp_path: Path) -> None:
    first.serve(driver.window)
    driver.window.show_area("studies")
    page = driver.page(StudiesPage)
    driver.services.study_gate.clear()
    page.begin.click()
    driver.dialog().accept()
    driver.until(lambda: driver.window.is_studying)
    status, reported = _start_second(driver, tmp_path / "data")
    assert status == 1
    assert "A study is running in that window." in reported


def test_the_folder_is_free_again_after_the_window_and_after_one_that_died(tmp_path: Path) -> None:
    first = OnlyWindow(tmp_path)
    assert first.take()
    assert not OnlyWindow(tmp_path).take()
    first.release()
    dies = "import os, sys; from pathlib import Path; from ui.shell.single_instance import OnlyWindow\n"
    dies += "assert OnlyWindow(Path(sys.argv[1])).take(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", dies, str(tmp_path)], check=False).returncode == 9
    again = OnlyWindow(tmp_path)
    assert again.take()
    again.release()


def test_a_window_that_is_just_opening_is_waited_for(driver: Driver, first: OnlyWindow, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    status, reported = _start_second(driver, folder, once_unanswered=lambda: first.serve(driver.window))
    assert (status, "brought to the front" in reported) == (1, True)


def test_a_window_that_does_not_answer_is_named(
    first: OnlyWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert first._server is None, "it does not listen yet"
    monkeypatch.setattr("ui.shell.single_instance._ANSWER_MS", 100)
    other = OnlyWindow(tmp_path / "data").report_other()
    assert other.activity == ""
    assert other.pid == os.getpid()
    assert "does not answer" in other.sentences()[0]


def test_a_folder_that_cannot_be_made_does_not_keep_the_window_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert OnlyWindow(tmp_path / "file" / "data").take()


def test_a_long_path_gets_a_socket_elsewhere(tmp_path: Path, open_window: Callable[..., Driver]) -> None:
    driver = open_window()
    only = OnlyWindow(tmp_path / ("x" * 120))
    assert only.take()
    only.serve(driver.window)
    assert only._server.isListening()
    status, reported = _start_second(driver, tmp_path / ("x" * 120))
    only.release()
    assert (status, "brought to the front" in reported) == (1, True)
