"""The script that takes the documents' pictures, on services that touch nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import screenshots
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from sample_records import sample_record, with_open_device
from screenshots import PICTURES, SCHEMES, Photographer, Tour, drop_old, file_name
from window_driver import Driver

from app.ranking import rank
from ui.common.colours import DARK, LIGHT
from ui.common.theme import Theme
from ui.plots.result_data import prepare
from ui.results.result_tabs import ResultTabs
from ui.shell.window import MainWindow

_GROUNDS = {(LIGHT.base, DARK.base), (LIGHT.window, DARK.window)}
"""Main colour of a picture, light and dark."""


@pytest.mark.full  # two minutes
def test_every_picture_is_taken_in_both_schemes(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshots, "_CHECK_MS", 2)
    monkeypatch.setattr(screenshots, "_MOST_COMPRESSED", 100)  # compressing takes most of the time
    monkeypatch.setattr(Driver, "until", lambda self, wanted: self.qtbot.waitUntil(wanted, timeout=300_000))
    driver.services.pace_s, driver.services.batch, driver.services.tick_s = 0.02, 50, 30.0
    driver.window.resize(1280, 800)
    tour = Tour(driver.window, tmp_path)
    driver.until(lambda: tour.is_complete or bool(tour.fault))
    assert tour.fault == ""
    wanted = {file_name(name, word) for name in PICTURES for _, word in SCHEMES}
    assert {path.name for path in tmp_path.iterdir()} == wanted
    for name in PICTURES:
        light, dark = (_colours(tmp_path / file_name(name, word)) for word in ("light", "dark"))
        assert min(len(light), len(dark)) > 8, f"{name} is empty"
        assert (light.most_common(1)[0][0], dark.most_common(1)[0][0]) in _GROUNDS, name


def _colours(path: Path) -> Counter[str]:
    picture = QImage(str(path))
    return Counter(
        picture.pixelColor(x, y).name() for x in range(0, picture.width(), 5) for y in range(0, picture.height(), 5)
    )


def test_pictures_that_are_no_longer_taken_are_deleted(tmp_path: Path) -> None:
    kept = tmp_path / file_name(PICTURES[0], "dark")
    old = tmp_path / "advisor-light.png"
    text = tmp_path / "notes.txt"
    for path in (kept, old, text):
        path.write_bytes(b"x")
    assert drop_old(tmp_path) == [old]
    assert sorted(tmp_path.iterdir()) == sorted([kept, text])


def test_a_picture_is_taken_when_new_labels_have_their_heights(qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    tabs = ResultTabs(theme)
    qtbot.addWidget(tabs)
    tabs.resize(1060, 480)
    tabs.show()
    record = with_open_device(sample_record(rounds=1))
    tabs.show_data(prepare(record, rank(record)))
    tabs.setCurrentWidget(next(one for one in map(tabs.widget, range(tabs.count())) if one.isAncestorOf(tabs.captures)))
    squashed: list[str] = []

    class Tabs(QWidget):
        """Sees at the moment of a picture which labels are cut."""

        def grab(self) -> QPixmap:  # type: ignore[override]
            labels = tabs.captures.details.findChildren(QLabel)
            squashed.extend(
                one.text() for one in labels if one.isVisible() and one.height() < one.heightForWidth(one.width())
            )
            return tabs.grab()

    seen = Tabs()
    qtbot.addWidget(seen)
    window = cast("MainWindow", SimpleNamespace(context=SimpleNamespace(theme=theme)))
    Photographer(window, tmp_path).take("wire", seen)
    assert squashed == []
    assert len(list(tmp_path.iterdir())) == 2
