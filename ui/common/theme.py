"""Colour scheme, spacing and fonts of the window."""

from __future__ import annotations

from weakref import WeakSet

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from ui.common.colours import DARK, LIGHT, Colours
from ui.common.icons import make_icon, refresh_icons
from ui.common.stylesheet import stylesheet

GRID = 8
"""Distance unit in logical pixels: margins and gaps are multiples of it."""

CHOICES = {"system": None, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
"""Colour schemes by the names that are stored; None follows the system."""

_KEY = "window/theme"
_TEXT_PT = 10.0
_TEXT_SCALES = (0.8, 2.0)


def tabular(font: QFont) -> QFont:
    """Return a font whose figures all have the same width."""
    figures = QFont(font)
    figures.setFeature(QFont.Tag("tnum"), 1)
    return figures


def fixed_font() -> QFont:
    """Return the system's font for files and commands."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


class Theme(QObject):
    """Follows the system's colour scheme and size of texts; `changed` is emitted when either changes.

    Attributes:
        colours: Those of the scheme in use.
        text_scale: Factor by which texts are larger than usual.
    """

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._forced: Qt.ColorScheme | None = None
        self._memory: QSettings | None = None
        self.text_scale = 1.0
        self._windows: WeakSet[QWidget] = WeakSet()
        application.setStyle("Fusion")
        hints = application.styleHints()
        self.colours = DARK if hints.colorScheme() is Qt.ColorScheme.Dark else LIGHT
        self._apply()
        hints.colorSchemeChanged.connect(self._follow)

    @property
    def is_dark(self) -> bool:
        """Whether the dark colours are in use."""
        return self.colours.is_dark

    def force(self, scheme: Qt.ColorScheme | None) -> None:
        """Use light or dark whatever the system says; None follows the system again."""
        self._forced = scheme
        self._follow(self._application.styleHints().colorScheme())

    @property
    def choice(self) -> str:
        """Return what the user chose: `system`, `light` or `dark`."""
        return next(name for name, scheme in CHOICES.items() if scheme is self._forced)

    def choose(self, choice: str) -> None:
        """Use `light` or `dark`, or follow the `system`, from now on and after the next start."""
        self.force(CHOICES[choice])
        if self._memory is not None:
            self._memory.setValue(_KEY, choice)
            self._memory.sync()

    def restore(self, memory: QSettings) -> None:
        """Take what was chosen before, and store there what will be chosen."""
        self._memory = memory
        stored = str(memory.value(_KEY, "system"))
        self.force(CHOICES.get(stored))

    def zoom(self, factor: float) -> None:
        """Show all texts larger or smaller by a factor, within limits; 0 takes the usual size."""
        wanted = self.text_scale * factor if factor else 1.0
        wanted = min(max(wanted, _TEXT_SCALES[0]), _TEXT_SCALES[1])
        if wanted != self.text_scale:
            self.text_scale = wanted
            self._apply()
            self.changed.emit()

    def _follow(self, scheme: Qt.ColorScheme) -> None:
        wanted = self._forced if self._forced is not None else scheme
        colours = DARK if wanted is Qt.ColorScheme.Dark else LIGHT
        if colours is self.colours:
            return
        self.colours = colours
        self._apply()
        for widget in QApplication.topLevelWidgets():
            refresh_icons(widget, self.colours)
        self.changed.emit()

    def _apply(self) -> None:
        self._application.setPalette(palette(self.colours))
        font = self._application.font()
        font.setPointSizeF(_TEXT_PT * self.text_scale)
        self._application.setFont(font)
        for window in filter(isValid, tuple(self._windows)):
            self.attach(window)

    def attach(self, window: QWidget) -> None:
        """Give a window the style sheet, which its dialogs take over, now and after each change.

        The application has none: with one, Qt styles a part of a page anew each time it is put into another part, and
        pages took a third longer to build.
        """
        self._windows.add(window)
        window.setStyleSheet(stylesheet(self.colours, self.text_scale))

    def icon(self, name: str, role: str) -> QIcon:
        """Return an icon in a colour of the scheme, given by its name in `Colours`; none where the name is empty."""
        return make_icon(name, getattr(self.colours, role)) if name else QIcon()

    def dress(self, widget: QWidget) -> None:
        """Colour the icons of a widget that was made after the last change."""
        refresh_icons(widget, self.colours)


def palette(colours: Colours) -> QPalette:
    """Translate colours into what Fusion draws with."""
    role = QPalette.ColorRole
    result = QPalette()
    for name, value in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.base),
        (role.AlternateBase, colours.window),
        (role.Text, colours.text),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.bad),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Accent, colours.accent),
        (role.Light, colours.base),
        (role.Midlight, colours.raised),
        (role.Mid, colours.border),
        (role.Dark, colours.border),
        (role.Shadow, colours.border),
    ):
        result.setColor(name, QColor(value))
    for name in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(colours.muted))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(colours.raised))
    return result
