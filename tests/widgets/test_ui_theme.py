from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.domain.verdicts import Verdict
from ui.common.basics import label
from ui.common.colours import DARK, LIGHT, Colours
from ui.common.dialogs import Question
from ui.common.icons import make_icon, set_icon
from ui.common.theme import Theme
from ui.common.verdicts import VerdictLabel, verdict_appearance
from ui.plots.throughput_cpu import CpuPlot, cpu_shades

ICONS = Path(__file__).parents[2] / "resources" / "icons"


@pytest.fixture
def switchable(theme: Theme) -> Iterator[Theme]:
    yield theme
    theme.force(None)


def _luminance(colour: str) -> float:
    parts = [channel / 255 for channel in QColor(colour).getRgb()[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["text", "muted", "accent", "good", "fair", "legacy", "bad"])
def test_words_can_be_read_on_every_ground(colours: Colours, role: str) -> None:
    for ground in (colours.window, colours.base):
        assert contrast(getattr(colours, role), ground) >= 4.5
    assert contrast(colours.text, colours.accent_soft) >= 4.5
    assert contrast(colours.on_accent, colours.accent) >= 4.5


@pytest.mark.parametrize("scheme", [Qt.ColorScheme.Light, Qt.ColorScheme.Dark])
def test_shares_of_the_cpu_are_parted_by_a_line_that_can_be_seen(
    switchable: Theme, qtbot: QtBot, scheme: Qt.ColorScheme
) -> None:
    switchable.force(scheme)
    plot = CpuPlot(switchable, "A")
    qtbot.addWidget(plot)
    for area, shade in zip(plot._areas, cpu_shades(switchable), strict=True):
        assert contrast(area.opts["pen"].color().name(), shade) >= 3  # Source: WCAG 2.1, success criterion 1.4.11


def test_the_window_follows_the_colour_scheme_and_its_icons_do(switchable: Theme, qtbot: QtBot) -> None:
    shown = QPushButton("Copy")
    qtbot.addWidget(shown)
    switchable.force(Qt.ColorScheme.Light)
    set_icon(shown, "copy")
    shown.show()
    reported = []
    switchable.changed.connect(lambda: reported.append(switchable.is_dark))
    light = shown.icon().pixmap(16).toImage()
    switchable.force(Qt.ColorScheme.Dark)
    assert reported == [True]
    assert QApplication.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    dark = shown.icon().pixmap(16).toImage()
    assert light != dark
    switchable.force(Qt.ColorScheme.Dark)
    assert reported == [True]


def test_dialogs_have_the_style_sheet_of_their_window_in_every_scheme(switchable: Theme, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    switchable.attach(window)
    dialog = Question(window, "Stop?", "It goes on later.", "Stop", "Continue")
    muted = label("A note", "muted")
    dialog.body.addWidget(muted)
    for scheme, colours in ((Qt.ColorScheme.Light, LIGHT), (Qt.ColorScheme.Dark, DARK)):
        switchable.force(scheme)
        muted.ensurePolished()
        assert muted.palette().color(QPalette.ColorRole.WindowText) == QColor(colours.muted)
    assert not QApplication.instance().styleSheet(), "every move of a widget would style all below it anew"


def test_every_icon_is_valid_and_takes_the_colour_of_the_text() -> None:
    used = set()
    for source in (Path(__file__).parents[2] / "ui").rglob("*.py"):
        used |= set(re.findall(r'"([a-z-]+)"', source.read_text("utf-8")))
    for path in sorted(ICONS.glob("*.svg")):
        assert QSvgRenderer(str(path)).isValid(), path.name
        name = path.stem
        if name.rpartition("-")[2] in {"light", "dark"}:
            continue
        assert "currentColor" in path.read_text("utf-8"), path.name
        assert name in used, f"{path.name} is used nowhere"
        image = make_icon(name, "#ff0000", 0.0, 32).pixmap(32).toImage()
        colours = {
            image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255
        }
        assert colours == {"#ff0000"}, path.name


def test_every_verdict_has_an_icon_of_its_own_and_a_word(qtbot: QtBot) -> None:
    inspections = [verdict_appearance(verdict) for verdict in Verdict]
    assert (
        len({appearance.icon for appearance in inspections})
        == len({appearance.word for appearance in inspections})
        == len(Verdict)
    )
    label = VerdictLabel(verdict_appearance(Verdict.INSECURE))
    qtbot.addWidget(label)
    assert label.accessibleName() == "Insecure"
