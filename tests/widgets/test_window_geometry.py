from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMargins, QRect, QSettings
from window_driver import Driver

from ui.shell.geometry import PREFERRED, WindowGeometry, fitted, is_tight

FRAME = QMargins(1, 29, 1, 5)


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        (QRect(0, 0, 1366, 768), (1280, 734)),
        (QRect(0, 0, 1280, 720), (1278, 686)),  # 1920x1080 at 150 %
        (QRect(0, 0, 1280, 800), (1278, 766)),
        (QRect(0, 40, 1024, 660), (1022, 626)),
        (QRect(1920, 0, 2560, 1440), (1280, 800)),
    ],
)
def test_the_window_with_its_frame_lies_within_the_screen(screen: QRect, size: tuple[int, int]) -> None:
    found = fitted(QRect(0, 0, PREFERRED.width(), PREFERRED.height()), screen, FRAME)
    assert (found.width(), found.height()) == size
    assert screen.contains(found.marginsAdded(FRAME))


def test_a_small_screen_is_filled() -> None:
    assert is_tight(QRect(0, 0, 1280, 700))
    assert is_tight(QRect(0, 0, 1024, 768))
    assert not is_tight(QRect(0, 0, 1366, 728))


def test_a_window_that_is_larger_than_its_screen_is_fitted_when_it_is_shown(
    open_window: Callable[..., Driver], tmp_path: Path
) -> None:
    driver = open_window()
    memory = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    geometry = WindowGeometry(driver.window, memory)
    driver.window.setGeometry(300, 300, 1280, 800)
    available = driver.window.screen().availableGeometry()
    assert not available.contains(driver.window.geometry())
    geometry.fit()
    assert available.contains(driver.window.frameGeometry())
    footer = driver.window.footer
    assert driver.window.rect().contains(footer.rect().translated(footer.mapTo(driver.window, footer.rect().topLeft())))


def test_the_geometry_is_remembered(open_window: Callable[..., Driver], tmp_path: Path) -> None:
    memory = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    first, second = open_window().window, open_window().window
    WindowGeometry(first, memory)
    first.setMinimumSize(200, 200)
    first.setGeometry(30, 40, 640, 480)
    first.hide()  # as closing does
    other = WindowGeometry(second, memory)
    second.setMinimumSize(200, 200)
    other.restore()
    assert (second.width(), second.height()) == (640, 480)
    first.show()


def test_without_a_memory_a_window_takes_the_room_that_there_is(
    open_window: Callable[..., Driver], tmp_path: Path
) -> None:
    window = open_window().window
    window.setMinimumSize(200, 200)
    WindowGeometry(window, QSettings(str(tmp_path / "none.ini"), QSettings.Format.IniFormat)).restore()
    assert window.isMaximized() == is_tight(window.screen().availableGeometry())
    assert window.screen().availableGeometry().contains(window.normalGeometry())
