"""Language of the window: its texts, and the numbers, keys and standard dialogs of Qt."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.wording.language import SOURCE_LANGUAGE
from app.wording.language_choice import choose_language


def use_locale(application: QCoreApplication, settings_file: Path) -> str:
    """Choose the language before the first widget is made, and return its code.

    Args:
        application: Gets the translator of Qt's own texts, and keeps it.
        settings_file: See `Paths.settings`.
    """
    system = QLocale.system()
    code = choose_language(settings_file, system.uiLanguages())
    QLocale.setDefault(system if system.name().startswith(f"{code}_") else QLocale(code))
    if code != SOURCE_LANGUAGE:
        translator = QTranslator(application)
        if translator.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            application.installTranslator(translator)
    return code
