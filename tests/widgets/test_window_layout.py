"""Every page at the sizes that are promised: nothing is clipped, covered or out of sight."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from dialog_tour import dialogs, settle
from layout_checks import bold_faults, layout_faults, size_faults
from page_tour import tour
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication
from window_driver import Driver

from app.measurement.wizard import Step
from ui.common.theme import Theme

_WITHOUT_ROOM = ("has no room for all tabs", "columns of RankingTable 'Ranking' are out of sight")
"""With larger texts in a small window the ranking and the tabs of the results are scrolled."""


@pytest.fixture
def text_scale(request: pytest.FixtureRequest, theme: Theme) -> float:
    theme.zoom(request.param)
    factor: float = request.param
    return factor


@pytest.mark.parametrize(
    ("text_scale", "sizes"),
    [
        (1.0, [(1024, 700)]),
        pytest.param(1.0, [(1366, 768)], marks=pytest.mark.full),
        pytest.param(1.25, [(1024, 700), (1366, 768)], marks=pytest.mark.full),
    ],
    indirect=["text_scale"],
)
def test_no_page_clips_or_hides_anything(text_scale: float, sizes: list[tuple[int, int]], driver: Driver) -> None:
    """Larger texts in every run: `test_every_page_is_readable_in_a_small_window_with_larger_texts`."""
    window = driver.window
    found = []
    for name in tour(driver):
        for size in sizes:
            window.resize(*size)
            for _ in range(3):
                QApplication.processEvents()  # layouts settle on posted events
            driver.lay_out()  # of figures that arrived meanwhile
            assert window.size() == QSize(*size), name
            faults = layout_faults(window)
            if text_scale > 1.0 and size[0] < 1366:
                faults = [one for one in faults if not any(words in one for words in _WITHOUT_ROOM)]
            found += [f"{name} {size[0]}x{size[1]}: {fault}" for fault in faults]
    assert found == [], f"with texts {text_scale} times as large"


@pytest.mark.parametrize("text_scale", [1.0, pytest.param(1.25, marks=pytest.mark.full)], indirect=True)
def test_no_dialog_of_the_menu_clips_or_hides_anything(text_scale: float, driver: Driver) -> None:
    driver.window.resize(1024, 700)
    found = []
    for name, dialog in dialogs(driver):
        found += [f"{name}: {fault}" for fault in layout_faults(dialog)]
        assert (dialog.width(), dialog.height()) <= (1024, 700), name
        assert dialog.height() <= 700, name
    assert found == [], f"with texts {text_scale} times as large"


@pytest.mark.parametrize(
    "text",
    [
        "lab: partly off",
        *(pytest.param(f"lab: {state}", marks=pytest.mark.full) for state in ("up", "starting", "unknown")),
    ],
)
def test_the_top_bar_has_room_for_every_state_of_the_lab(text: str, driver: Driver) -> None:
    window = driver.window
    for width in (1024, 1280):
        window.resize(width, 700)
        settle()
        window.top.show_lab(text, is_up=False)
        settle()
        assert window.width() == width
        assert layout_faults(window) == [], f"{width} px"


@pytest.mark.parametrize(
    "text_scale", [1.4, *(pytest.param(scale, marks=pytest.mark.full) for scale in (1.1, 1.25, 1.3))], indirect=True
)
def test_no_button_of_the_top_bar_is_cut_with_larger_texts(text_scale: float, driver: Driver) -> None:
    driver.window.resize(1024, 700)
    top = driver.window.top
    cut = []
    for area in (*top._areas, top.deployment):
        area.click()
        driver.idle()
        settle()
        buttons = (*top._areas, top.lab, top.menu)
        narrow = [one for one in buttons if one.width() < one.minimumSizeHint().width()]
        cut += [f"{one.accessibleName()} while at {area.accessibleName()}" for one in narrow]
    assert cut == [], f"with texts {text_scale} times as large"


_BANNER = {
    "title": "gateway-b stays away.",
    "hint": "Results so far are saved. Each host rolls back automatically.",
}


def test_run_and_results_are_readable_in_a_small_window_with_larger_texts(driver: Driver) -> None:
    window = driver.window
    window.resize(1024, 700)
    driver.go_to(Step.RUN)
    driver.until(lambda: not window.is_measuring)
    driver.idle()
    notice = window.run_page.notice
    notice.show_message("error", **_BANNER, actions={"Resume": notice.clear})
    found = []
    for presses in (0, 2, 4):
        for step in (Step.RUN, Step.RESULTS):
            window.go(step)
            driver.idle()
            assert notice.isVisible() is (step is Step.RUN)
            found += [f"{step.value}, {presses} presses: {fault}" for fault in _settled_faults(driver)]
        for _ in range(2 if presses < 4 else 0):
            driver.press(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert window.size() == QSize(1024, 700)
    assert found == []


def test_every_page_is_readable_in_a_small_window_with_larger_texts(
    open_window: Callable[..., Driver], theme: Theme
) -> None:
    """Four presses of Ctrl++ before the window is opened: to change the texts of every page takes seconds."""
    theme.zoom(1.1**4)
    try:
        driver = open_window()
        window, found = driver.window, []
        window.resize(1024, 700)
        for name in tour(driver, is_measured=False):
            found += [f"{name}: {fault}" for fault in _settled_faults(driver)]
            assert window.size() == QSize(1024, 700), name
    finally:
        theme.zoom(0)
    assert found == []


def _settled_faults(driver: Driver) -> list[str]:
    for _ in range(3):
        settle()
    window = driver.window
    # Tables and tab bars scroll where texts are large, examples in fields and headers are shortened with a sign.
    others = [fault for fault in layout_faults(window) if not any(word in fault for word in _SCROLLED)]
    return [*others, *bold_faults(window), *size_faults(window)]


_SCROLLED = (
    "look alike in",
    "is shortened in",
    "has no room for all tabs",
    "are out of sight",
    "placeholder ",
    "header ",
)
