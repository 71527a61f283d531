"""The language of the window: chosen in the settings or by the system, for texts, numbers, keys and Qt's dialogs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from window_driver import Driver

from app.domain.preferences import Preferences
from app.policy.settings_file import Settings, write_settings
from app.wording.language import VARIABLE
from ui.shell.settings_dialog import SettingsDialog

_SHOW_LOCALE = """
import sys
from pathlib import Path
from PySide6.QtCore import QLocale
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication
from ui.common.texts import ms, tr
from ui.shell.locale import use_locale
application = QApplication([])
code = use_locale(application, Path(sys.argv[1]))
keys = QKeySequence("Ctrl+F").toString(QKeySequence.SequenceFormat.NativeText)
print(code, QLocale().language().name, keys, tr("Continue"), ms(1.5), sep="|")
"""


def _shown(settings_file: Path, system: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    environment.pop(VARIABLE, None)
    environment |= {"LANG": system, "QT_QPA_PLATFORM": "offscreen", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", _SHOW_LOCALE, str(settings_file)]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    return done.stdout.strip().split("|")


@pytest.mark.parametrize(
    ("stored", "system", "shown"),
    [
        ("", "de_AT.UTF-8", ["de", "German", "Strg+F", "Weiter", "1,50 ms"]),
        ("de", "en_US.UTF-8", ["de", "German", "Strg+F", "Weiter", "1,50 ms"]),
        ("en", "de_DE.UTF-8", ["en", "English", "Ctrl+F", "Continue", "1.50 ms"]),
        ("", "fr_FR.UTF-8", ["en", "English", "Ctrl+F", "Continue", "1.50 ms"]),
        ("", "C.UTF-8", ["en", "English", "Ctrl+F", "Continue", "1.50 ms"]),
    ],
)
def test_texts_numbers_and_keys_have_one_language(tmp_path: Path, stored: str, system: str, shown: list[str]) -> None:
    path = tmp_path / "settings.toml"
    write_settings(path, Settings(preferences=Preferences(language=stored)))
    assert _shown(path, system) == shown


def test_the_language_is_chosen_in_the_settings_and_kept(driver: Driver) -> None:
    driver.window.desk.show_settings()
    driver.idle()
    dialog = next(one for one in driver.window.findChildren(SettingsDialog) if one.isVisible())
    shown = [dialog.language.itemText(nth) for nth in range(dialog.language.count())]
    assert shown == ["As the system", "English", "Deutsch"]
    assert dialog.language.currentData() == ""
    dialog.language.setCurrentIndex(dialog.language.findData("de"))
    dialog.close()
    driver.idle()
    assert driver.services.kept.language == "de"
