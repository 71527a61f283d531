"""The window's menu: settings and pairs; and the lab menu beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from ui.common.texts import tr
from ui.shell.lab_menu import LabMenu
from ui.shell.shortcuts import menu_action

if TYPE_CHECKING:
    from app.domain.hosts import PairSpec
    from app.domain.preferences import Preferences
    from ui.shell.navigator import Navigator
    from ui.shell.pairs_dialog import PairsDialog
    from ui.shell.settings_dialog import SettingsDialog


class Desk:
    """Belongs to a window."""

    def __init__(self, window: Navigator) -> None:
        self._window = window
        self.labs = LabMenu(window)
        menu = QMenu(window.top.menu)
        self.settings = menu_action(window, menu, tr("Settings…"), "Ctrl+,", self.show_settings)
        self.pairs = menu_action(window, menu, tr("Pairs of hosts…"), "Ctrl+Shift+P", self.show_pairs)
        window.top.menu.setMenu(menu)
        window.ready.connect(self.read_preferences)

    def read_preferences(self) -> None:
        """Read the defaults that the user has set."""
        window = self._window
        services = window.context.services
        window.runner.run(
            tr("Reading the settings"),
            lambda _token, _report: services.preferences(),
            on_success=window.context.take_preferences,
            on_failure=lambda error: window.current.notice.show_error(error) if window.current is not None else None,
            is_quiet=True,
        )

    def show_settings(self) -> SettingsDialog | None:
        """Open the settings; None while the services are not open yet."""
        window = self._window
        if not self._is_ready():
            return None
        from app.domain.paths import find_paths
        from ui.shell.settings_dialog import SettingsDialog

        dialog = SettingsDialog(window, window.context, find_paths().data_dir)
        dialog.guidelines_picked.connect(self._on_guidelines)
        dialog.finished.connect(lambda: self._take(dialog.preferences()))
        dialog.open()
        return dialog

    def _on_guidelines(self) -> None:
        if self._window.current is not None:
            self._window.current.take_guidelines()

    def _take(self, preferences: Preferences) -> None:
        window = self._window
        is_same = preferences == window.context.preferences
        window.context.take_preferences(preferences)
        if window.current is not None:
            window.current.take_settings()
        if is_same:
            return
        services = window.context.services
        window.runner.run(
            tr("Storing the settings"),
            lambda _token, _report: services.save_preferences(preferences),
            on_success=lambda _none: window.show_status(tr("The settings are stored.")),
            on_failure=lambda error: window.current.notice.show_error(error) if window.current is not None else None,
            is_quiet=True,
        )

    def show_pairs(self) -> PairsDialog | None:
        """Open the dialog with stored pairs; None while the services are not open yet."""
        if not self._is_ready():
            return None
        from ui.shell.pairs_dialog import PairsDialog

        dialog = PairsDialog(self._window, self._window.context)
        dialog.changed.connect(self._on_pairs)
        dialog.renamed.connect(self._on_renamed)
        dialog.new_wanted.connect(self._window.begin_with_hosts)
        dialog.edit_wanted.connect(self._edit_pair)
        dialog.open()
        return dialog

    def _edit_pair(self, pair: PairSpec) -> None:
        self._window.begin_with_hosts()
        if not self._window.is_measuring:
            self._window.hosts.show_pair(pair)

    def _on_renamed(self, old: str, new: str) -> None:
        self._window.context.wizard.rename_pair(old, new)
        self._window.hosts.rename_pair(old, new)

    def _on_pairs(self) -> None:
        if self._window.current is not None:
            self._window.current.take_pairs()

    def _is_ready(self) -> bool:
        is_ready = self._window.context.has_services
        if not is_ready:
            self._window.show_status(tr("Opening the database; try again in a moment"))
        return is_ready and not self._window.is_closing
