"""The user's settings, read and changed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.domain.preferences import Preferences
from app.policy.settings_file import Settings, read_settings, write_settings


class SettingsOperations:
    """Implements `app.services.interfaces.desk.SettingsServices`. Safe to use from several threads.

    Args:
        settings_file: See `Paths.settings`.
    """

    def __init__(self, settings_file: Path) -> None:
        self._settings_file = settings_file
        self._settings_lock = threading.Lock()

    def settings(self) -> Settings:
        """Return what the user has set."""
        return read_settings(self._settings_file)

    def guidelines(self) -> tuple[str, ...]:
        """Return the ids of the guidelines that apply."""
        return self.settings().guidelines

    def use_guidelines(self, ids: Sequence[str]) -> None:
        """Let other guidelines apply from now on."""
        with self._settings_lock:
            write_settings(self._settings_file, replace(self.settings(), guidelines=tuple(ids)))

    def preferences(self) -> Preferences:
        """Return the defaults that the user has set."""
        return self.settings().preferences

    def save_preferences(self, preferences: Preferences) -> None:
        """Keep other defaults."""
        with self._settings_lock:
            write_settings(self._settings_file, replace(self.settings(), preferences=preferences))
