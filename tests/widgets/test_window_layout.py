"""Every page at the sizes that are promised: nothing is clipped, covered or out of sight."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dialog_tour import dialogs, settle
from layout_checks import layout_faults
from page_tour import tour
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication
from window_driver import Driver

from ui.theme import Theme


@pytest.fixture
def text_scale(request: pytest.FixtureRequest, theme: Theme) -> Iterator[float]:
    theme.zoom(request.param)
    yield request.param
    theme.zoom(0)


@pytest.mark.parametrize(
    ("text_scale", "sizes"),
    [(1.0, [(1024, 700), (1366, 768)]), (1.25, [(1366, 768)])],
    indirect=["text_scale"],
)
def test_no_page_clips_or_hides_anything(text_scale: float, sizes: list[tuple[int, int]], driver: Driver) -> None:
    window = driver.window
    found = []
    for name in tour(driver):
        for size in sizes:
            window.resize(*size)
            for _ in range(3):
                QApplication.processEvents()  # layouts settle on posted events
            assert window.size() == QSize(*size), name
            found += [f"{name} {size[0]}x{size[1]}: {fault}" for fault in layout_faults(window)]
    assert found == [], f"with texts {text_scale} times as large"


@pytest.mark.parametrize("text_scale", [1.0, 1.25], indirect=True)
def test_no_dialog_of_the_menu_clips_or_hides_anything(text_scale: float, driver: Driver) -> None:
    driver.window.resize(1024, 700)
    found = []
    for name, dialog in dialogs(driver):
        found += [f"{name}: {fault}" for fault in layout_faults(dialog)]
        assert (dialog.width(), dialog.height()) <= (1024, 700), name
        assert dialog.height() <= 700, name
    assert found == [], f"with texts {text_scale} times as large"


@pytest.mark.parametrize("text", ["lab: up", "lab: partly off", "lab: starting", "lab: unknown"])
def test_the_top_bar_has_room_for_every_state_of_the_lab(text: str, driver: Driver) -> None:
    window = driver.window
    for width in (1024, 1280):
        window.resize(width, 700)
        settle()
        window.top.show_lab(text, is_up=False)
        settle()
        assert window.width() == width
        assert layout_faults(window) == [], f"{width} px"
